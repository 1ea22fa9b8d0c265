import { describe, expect, test } from "vitest";

import { defineJob } from "../../api/index.ts";
import { Configuration } from "../../base/index.ts";
import type { CheckpointRecord } from "../../checkpoint/index.ts";
import { collectSink } from "../../connectors/index.ts";
import { Types } from "../../serde/index.ts";
import { drive, driveUntil } from "../../testing/simulation/drive.ts";
import { quietMachine } from "../../testing/simulation/quiet-machine.ts";
import { type Job, startJob } from "../job/job.ts";
import type { JobStatus } from "../job/job-status.ts";
import type { LocalSlot } from "../job/slots.ts";

const SETTINGS = {
  "execution.checkpointing.interval": "10 ms",
  "execution.checkpointing.dir": "/checkpoints",
  "restart-strategy.type": "fixed-delay",
  "restart-strategy.fixed-delay.attempts": "3",
  "restart-strategy.fixed-delay.delay": "30 ms",
  "cutwater.operator-isolation": "shared",
};

/** Small batches, so that a job takes long enough for checkpoints. */
const PACING = {
  recordsPerCall: 4,
  channelLimits: () => ({ batchSize: 4, capacityRecords: 8, capacityBatches: 4 }),
  order: <T>(tasks: readonly T[]) => tasks,
  skips: () => false,
  roundsPerTurn: () => 2,
  turnMs: 5,
  flushMs: 1,
};

const COUNT = 2_000;
const upTo = (count: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => index);

interface Running {
  readonly job: Job;
  readonly sinks: Readonly<Record<"left" | "right", ReturnType<typeof collectSink<number>>>>;
  readonly slots: readonly LocalSlot[];
  readonly statuses: readonly JobStatus[];
  readonly records: readonly CheckpointRecord[];
  readonly log: readonly string[];
  readonly drive: <T>(promise: Promise<T>) => Promise<T>;
  readonly until: (holds: () => boolean) => Promise<void>;
  /** Has the running task whose operator has this uid fail. */
  readonly failTask: (uid: string) => void;
  /** The attempts of each part's tasks. */
  readonly attempts: (part: "left" | "right") => readonly number[];
}

/** A job of two parts, `left` and `right`, without a channel between them: running maxima, so that every number comes out once. */
async function startTwoParts(
  settings: Readonly<Record<string, string>> = {},
  slotCount = 1,
): Promise<Running> {
  const machine = quietMachine();
  const { platform } = machine;
  const sinks = { left: collectSink(Types.int()), right: collectSink(Types.int()) };
  const definition = defineJob("two-parts", (env) => {
    for (const part of ["left", "right"] as const) {
      env
        .fromGenerator((index) => index, { count: COUNT, type: Types.int() })
        .uid(`${part}-numbers`)
        .name(`${part} numbers`)
        .slotSharingGroup(part)
        .setParallelism(1)
        .keyBy(() => 0, Types.int())
        .reduce((max, value) => Math.max(max, value))
        .uid(`${part}-maxima`)
        .name(`${part} maxima`)
        .setParallelism(1)
        .sinkTo(sinks[part])
        .uid(`${part}-sink`)
        .setParallelism(1);
    }
  });
  const configuration = new Configuration(
    Object.entries({ ...SETTINGS, ...settings }).map(([key, value]) => ({
      key,
      value,
      origin: "flag",
      place: "test",
    })),
  );
  const slots: LocalSlot[] = [];
  const statuses: JobStatus[] = [];
  const records: CheckpointRecord[] = [];
  const log: string[] = [];
  const job = await drive(
    platform,
    startJob(definition.build(configuration), configuration, {
      platform,
      pacing: PACING,
      slotCount,
      log: { log: (level, text) => level === "WARN" && log.push(text) },
      onStatus: (status) => statuses.push(status),
      observers: [{ onEnded: (record) => void records.push(record) }],
      onSlot: (slot) => slots.push(slot),
    }),
  );
  job.result.catch(() => undefined);
  const running = (name: string) =>
    slots
      .flatMap(({ tasks }) => tasks)
      .find((task) => task.status === "RUNNING" && task.name.includes(name));
  return {
    job,
    sinks,
    slots,
    statuses,
    records,
    log,
    drive: (promise) => drive(platform, promise),
    until: (holds) => driveUntil(platform, holds),
    failTask(name) {
      const victim = running(name);
      if (victim === undefined) throw new Error(`No task ${name} is running`);
      victim.fail(new Error(`${name} was made to fail`));
    },
    attempts: (part) => {
      const ofPart = new Set(
        job.graph.vertices.filter(({ name }) => name.includes(`${part} `)).map(({ id }) => id),
      );
      return job.master.record.timelines
        .filter(({ task }) => ofPart.has(task.vertexId))
        .map(({ task }) => task.attempt);
    },
  };
}

describe("when a task of one part fails", () => {
  test("that part starts again; the other goes on undisturbed, and both publish each result once", async () => {
    const {
      job,
      sinks,
      statuses,
      drive: driven,
      until,
      failTask,
      attempts,
      log,
    } = await startTwoParts();
    await until(() => sinks.left.records.length > 100 && sinks.right.records.length > 100);
    failTask("left maxima");
    await until(() => job.status === "RESTARTING");
    const before = sinks.right.records.length;
    const readBefore = readBy(job, "right numbers");
    await until(() => readBy(job, "right numbers") > readBefore + 8);
    // Nothing is published meanwhile, since no checkpoint completes, but records flow.
    expect(job.status).toBe("RESTARTING");
    expect(sinks.right.records.length).toBe(before);
    await until(() => job.status === "RUNNING");
    expect(attempts("left")).toEqual([1, 1]);
    expect(attempts("right")).toEqual([0, 0]);
    const result = await driven(job.result);
    expect(result).toMatchObject({ status: "FINISHED", restarts: 1 });
    expect(statuses).toEqual(["RUNNING", "RESTARTING", "RUNNING", "FINISHED"]);
    expect(sinks.left.records).toEqual(upTo(COUNT));
    expect(sinks.right.records).toEqual(upTo(COUNT));
    expect(log.join("\n")).toContain("2 of 4 tasks of job two-parts start again in 0.0 s");
    const [failure] = job.master.record.failures;
    expect(failure?.restartedTasks).toHaveLength(2);
    expect(failure?.taskName).toMatch(/^left maxima.* \(1\/1\)#0$/);
  });

  test("the checkpoint that is pending is aborted, and the next one holds both parts", async () => {
    const { sinks, records, until, failTask, job } = await startTwoParts();
    await until(
      () => sinks.left.records.length > 100 && job.master.coordinator.pendingIds.length > 0,
    );
    failTask("left maxima");
    await until(() => job.status === "RESTARTING");
    expect(records.at(-1)?.status).toBe("FAILED");
    const completed = records.filter(({ status }) => status === "COMPLETED").length;
    await until(() => records.filter(({ status }) => status === "COMPLETED").length > completed);
    expect(records.at(-1)?.acknowledgedSubtaskCount).toBe(4);
    const attempts = records.at(-1)?.vertices.map(({ subtasks }) => subtasks[0]?.attempt);
    expect(attempts?.toSorted()).toEqual([0, 0, 1, 1]);
    job.cancel();
  });

  test("all tasks start again with jobmanager.execution.failover-strategy: full", async () => {
    const {
      job,
      sinks,
      drive: driven,
      until,
      failTask,
      attempts,
    } = await startTwoParts({
      "jobmanager.execution.failover-strategy": "full",
    });
    await until(() => sinks.left.records.length > 100);
    failTask("left maxima");
    await until(() => job.status === "RESTARTING");
    await until(() => job.status === "RUNNING");
    expect([...attempts("left"), ...attempts("right")]).toEqual([1, 1, 1, 1]);
    expect(job.master.record.failures[0]?.restartedTasks).toBeUndefined();
    await driven(job.result);
    expect(sinks.right.records).toEqual(upTo(COUNT));
  });

  test("the other may fail meanwhile: each starts again after its own time, and the job runs when both do", async () => {
    const {
      job,
      sinks,
      drive: driven,
      until,
      failTask,
      attempts,
      statuses,
    } = await startTwoParts();
    await until(() => sinks.left.records.length > 100 && sinks.right.records.length > 100);
    failTask("left maxima");
    await until(() => job.status === "RESTARTING");
    failTask("right numbers");
    await until(() => job.status === "RUNNING");
    expect([...attempts("left"), ...attempts("right")]).toEqual([1, 1, 1, 1]);
    expect(await driven(job.result)).toMatchObject({ restarts: 2 });
    expect(statuses).toEqual(["RUNNING", "RESTARTING", "RUNNING", "FINISHED"]);
    expect([sinks.left.records, sinks.right.records]).toEqual([upTo(COUNT), upTo(COUNT)]);
  });

  test("the restart strategy has the last word: the whole job fails", async () => {
    const {
      job,
      sinks,
      drive: driven,
      until,
      failTask,
    } = await startTwoParts({
      "restart-strategy.type": "none",
    });
    await until(() => sinks.left.records.length > 100);
    failTask("left maxima");
    await expect(driven(job.result)).rejects.toMatchObject({
      code: "JOB_FAILED",
      details: { task: expect.stringMatching(/^left maxima/) },
    });
    expect(job.master.execution.livingTasks).toEqual([]);
  });

  test.each(["cancel", "suspend"] as const)("%s ends the job while a part waits", async (how) => {
    const {
      job,
      sinks,
      drive: driven,
      until,
      failTask,
    } = await startTwoParts({
      "restart-strategy.fixed-delay.delay": "1 h",
    });
    await until(() => sinks.left.records.length > 100);
    failTask("left maxima");
    await until(() => job.status === "RESTARTING");
    if (how === "cancel") job.cancel();
    else await driven(job.suspend(1_000));
    const { status } = await driven(job.result);
    expect(status).toBe(how === "cancel" ? "CANCELED" : "SUSPENDED");
    expect(job.master.execution.livingTasks).toEqual([]);
  });

  test("while the job stops with a savepoint, all of it starts again: the sources of the other have stopped", async () => {
    const { job, sinks, drive: driven, until, failTask, attempts } = await startTwoParts();
    await until(() => sinks.left.records.length > 100);
    const stopped = job.stopWithSavepoint({ targetDirectory: "/savepoints" });
    failTask("left maxima");
    await expect(driven(stopped)).rejects.toMatchObject({ code: "SNAPSHOT_FAILED" });
    await until(() => job.status === "RUNNING");
    expect([...attempts("left"), ...attempts("right")]).toEqual([1, 1, 1, 1]);
    await driven(job.result);
    expect([sinks.left.records, sinks.right.records]).toEqual([upTo(COUNT), upTo(COUNT)]);
  });
});

describe("when a slot is lost", () => {
  test("only the parts with a task there start again", async () => {
    const { job, sinks, slots, drive: driven, until, attempts } = await startTwoParts({}, 2);
    await until(() => sinks.left.records.length > 100 && sinks.right.records.length > 100);
    const slotOfRight = slots.findIndex(({ tasks }) =>
      tasks.some(({ name }) => name.includes("right ")),
    );
    slots[slotOfRight]?.lose(new Error("The slot died"));
    await until(() => job.status === "RESTARTING");
    await until(() => job.status === "RUNNING");
    expect(attempts("left")).toEqual([0, 0]);
    expect(attempts("right")).toEqual([1, 1]);
    expect(await driven(job.result)).toMatchObject({ restarts: 1 });
    expect([sinks.left.records, sinks.right.records]).toEqual([upTo(COUNT), upTo(COUNT)]);
  });

  test("with tasks of all parts, that is one failure, and all start again", async () => {
    const { job, sinks, slots, drive: driven, until, attempts } = await startTwoParts({}, 1);
    await until(() => sinks.left.records.length > 100 && sinks.right.records.length > 100);
    slots[0]?.lose(new Error("The slot died"));
    await until(() => job.status === "RESTARTING");
    await until(() => job.status === "RUNNING");
    expect([...attempts("left"), ...attempts("right")]).toEqual([1, 1, 1, 1]);
    expect(await driven(job.result)).toMatchObject({ restarts: 1 });
    expect(job.master.record.failures).toHaveLength(1);
    expect([sinks.left.records, sinks.right.records]).toEqual([upTo(COUNT), upTo(COUNT)]);
  });
});

/** Records that the operator of this name has sent in its present attempt. */
function readBy({ master }: Job, name: string): number {
  return (
    master.metrics().find(({ operatorName }) => operatorName.includes(name))?.numRecordsOut ?? 0
  );
}
