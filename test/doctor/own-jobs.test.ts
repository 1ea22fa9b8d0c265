import { expect, test } from "vitest";

import { nodePlatform, StreamError } from "../../src/base/index.ts";
import { encodeRecord } from "../../src/checkpoint/index.ts";
import { diagnose, type Diagnosis, reportOf } from "../../src/doctor/index.ts";
import {
  startTroubled,
  type TroubledJob,
  type TroubledOptions,
} from "../failure-reasons/troubled-job.ts";

/** What the doctor says of a job's history, and of nothing else. */
async function diagnoseHistory({ records }: TroubledJob): Promise<Diagnosis> {
  const text = records.map((record) => encodeRecord(record)).join("");
  const bytes = new TextEncoder().encode(text);
  return diagnose([{ kind: "bytes", name: "history.jsonl", bytes }], nodePlatform());
}

const fails = (problem: string) => () => Promise.reject(new Error(problem));

interface FailingJob {
  readonly how: string;
  readonly options?: TroubledOptions;
  readonly provoke: (troubled: TroubledJob) => Promise<void>;
  /** The first of the findings, or the verdict. */
  readonly answer: string;
}

const SHORT: TroubledOptions = { settings: { "execution.checkpointing.timeout": "50 ms" } };

const JOBS: readonly FailingJob[] = [
  {
    how: "the file system of checkpoints is read-only",
    async provoke(troubled) {
      troubled.storage.initializeFails = true;
      await troubled.drive(troubled.trigger());
    },
    answer: "storage-read-only",
  },
  {
    how: "the disk is full",
    async provoke(troubled) {
      troubled.storage.writeState = fails("ENOSPC: no space left on device, write");
      await troubled.drive(troubled.trigger());
    },
    answer: "disk-full",
  },
  {
    how: "_metadata may not be written",
    async provoke(troubled) {
      troubled.storage.finalize = fails("EACCES: permission denied, open '/ck/chk-1/_metadata'");
      await troubled.drive(troubled.trigger());
    },
    answer: "storage-permission-denied",
  },
  {
    how: "the storage's server refuses connections",
    async provoke(troubled) {
      troubled.storage.writeState = fails("connect ECONNREFUSED 10.0.0.7:9000");
      await troubled.drive(troubled.trigger());
    },
    answer: "storage-unreachable",
  },
  {
    how: "a value in state cannot be serialized",
    async provoke(troubled) {
      const where = "state totals";
      troubled.storage.writeState = () =>
        Promise.reject(
          new StreamError("VALUE_NOT_SERIALIZABLE", {
            path: "total",
            where,
            problem: "is a function",
          }),
        );
      await troubled.drive(troubled.trigger());
    },
    answer: "not-serializable-state",
  },
  {
    how: "a sink throws when it prepares its commit",
    async provoke(troubled) {
      troubled.trouble.sinkThrows = true;
      await troubled.drive(troubled.trigger());
    },
    answer: "user-exception-in-snapshotstate",
  },
  {
    how: "a task fails while a checkpoint is pending",
    async provoke(troubled) {
      troubled.storage.waitsIn = () => true;
      const pending = troubled.trigger();
      troubled.slot.tasks
        .find(({ name }) => name.includes("sink"))
        ?.fail(new TypeError("order.total is undefined"));
      await troubled.drive(pending);
    },
    answer: "user-exception",
  },
  {
    how: "an enumerator cannot give its state",
    async provoke(troubled) {
      troubled.trouble.enumeratorThrows = true;
      await troubled.drive(troubled.trigger());
    },
    answer: "source-enumerator-snapshot-failed",
  },
  {
    how: "writing state takes longer than the time limit",
    options: SHORT,
    async provoke(troubled) {
      troubled.storage.waitsIn = () => true;
      await troubled.drive(troubled.trigger());
    },
    answer: "undetermined",
  },
  {
    how: "a sink takes nothing more until the time limit is over",
    options: SHORT,
    async provoke(troubled) {
      troubled.trouble.heldBack = "sink";
      await troubled.drive(troubled.trigger());
    },
    answer: "undetermined",
  },
  {
    how: "the job is cancelled while a checkpoint is pending",
    async provoke(troubled) {
      await troubled.drive(troubled.trigger());
      troubled.storage.waitsIn = () => true;
      const pending = troubled.trigger();
      troubled.job.cancel();
      await troubled.drive(pending);
    },
    // A job that fails suspends its checkpoints as well: the history alone does not tell the two apart.
    answer: "undetermined",
  },
  {
    how: "nothing goes wrong",
    async provoke(troubled) {
      await troubled.drive(troubled.trigger());
      await troubled.drive(troubled.trigger());
    },
    answer: "healthy",
  },
];

test.each(JOBS)("from the history alone: $how", async ({ options, provoke, answer }) => {
  const troubled = await startTroubled(options ?? {});
  await troubled.until(() => troubled.job.master.execution.isRunning);
  await provoke(troubled);
  const { verdict, findings } = await diagnoseHistory(troubled);
  const first = findings[0];
  expect(verdict === "cause" ? first?.code : verdict).toBe(answer);
});

test("who did not acknowledge an expired checkpoint is named", async () => {
  const troubled = await startTroubled(SHORT);
  await troubled.until(() => troubled.job.master.execution.isRunning);
  troubled.trouble.heldBack = "sink";
  await troubled.drive(troubled.trigger());
  const { timeline } = reportOf(await diagnoseHistory(troubled));
  expect(timeline).toMatchObject([
    { checkpointId: 1, outcome: "expired", notAcknowledged: ["Sink: sink (1/1)"] },
  ]);
});
