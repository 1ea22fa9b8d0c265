import { describe, expect, test } from "vitest";

import { defineJob, type JobDefinition } from "../../api/index.ts";
import { Configuration, isStreamError } from "../../base/index.ts";
import type { CheckpointRecord } from "../../checkpoint/index.ts";
import { collectSink, generatorSource } from "../../connectors/index.ts";
import { type KeyedProcessContext, type Sink, WatermarkStrategy } from "../../operators/index.ts";
import { Types } from "../../serde/index.ts";
import { drive, driveUntil } from "../../testing/simulation/drive.ts";
import { quietMachine } from "../../testing/simulation/quiet-machine.ts";
import { type Job, type JobSurroundings, startJob } from "./job.ts";
import type { JobStatus } from "./job-status.ts";
import type { LocalSlot } from "./slots.ts";

type Machine = ReturnType<typeof quietMachine>;

const SETTINGS = {
  "execution.checkpointing.interval": "10 ms",
  "execution.checkpointing.dir": "/checkpoints",
  "execution.checkpointing.externalized-checkpoint-retention": "RETAIN_ON_CANCELLATION",
  "restart-strategy.type": "fixed-delay",
  "restart-strategy.fixed-delay.attempts": "3",
  "restart-strategy.fixed-delay.delay": "5 ms",
  "cutwater.operator-isolation": "shared",
};

function configuration(settings: Readonly<Record<string, string>> = {}): Configuration {
  return new Configuration(
    Object.entries({ ...SETTINGS, ...settings }).map(([key, value]) => ({
      key,
      value,
      origin: "flag",
      place: "test",
    })),
  );
}

interface Started {
  readonly job: Job;
  readonly statuses: JobStatus[];
  readonly records: CheckpointRecord[];
}

/** Small batches, so that a job takes long enough for checkpoints. */
const PACING: JobSurroundings["pacing"] = {
  recordsPerCall: 4,
  channelLimits: () => ({ batchSize: 4, capacityRecords: 8, capacityBatches: 4 }),
  order: (tasks) => tasks,
  skips: () => false,
  roundsPerTurn: () => 2,
  turnMs: 5,
  flushMs: 1,
};

async function start(
  { platform }: Machine,
  definition: JobDefinition,
  settings: Readonly<Record<string, string>> = {},
  surroundings: Partial<JobSurroundings> = {},
): Promise<Started> {
  const statuses: JobStatus[] = [];
  const records: CheckpointRecord[] = [];
  const job = await drive(
    platform,
    startJob(definition.build(configuration(settings)), configuration(settings), {
      platform,
      pacing: PACING,
      onStatus: (status) => statuses.push(status),
      observers: [{ onEnded: (record) => records.push(record) }],
      ...surroundings,
    }),
  );
  return { job, statuses, records };
}

/** Counts numbers; `count` of them, or for ever. */
function counting(count: number | undefined, options: { failAt?: number[] } = {}) {
  const sink = collectSink(Types.int());
  const failAt = new Set(options.failAt ?? []);
  const definition = defineJob("counting", (env) => {
    env
      .fromGenerator((index) => index, {
        ...(count === undefined ? {} : { count }),
        type: Types.int(),
      })
      .uid("numbers")
      .setParallelism(1)
      .map(
        (value) => {
          if (failAt.delete(value)) throw new Error(`cannot bear ${value}`);
          return value;
        },
        { returns: Types.int() },
      )
      .keyBy(() => 0, Types.int())
      .reduce((sum, value) => Math.max(sum, value))
      .uid("sums")
      .sinkTo(sink)
      .uid("sink");
  });
  return { definition, sink };
}

const upTo = (count: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => index);

function runUntil({ platform }: Machine, holds: () => boolean): Promise<void> {
  return driveUntil(platform, holds);
}

describe("a bounded job", () => {
  test("runs to its end, and what it published is there", async () => {
    const machine = quietMachine();
    const { definition, sink } = counting(200);
    const { job, statuses } = await start(machine, definition);
    const result = await drive(machine.platform, job.result);
    expect(result).toEqual({ status: "FINISHED", restarts: 0, savepointDirectory: undefined });
    expect(statuses).toEqual(["RUNNING", "FINISHED"]);
    expect(sink.records).toEqual(upTo(200));
  });

  test("writes down with each checkpoint where the barriers of a vertex come from", async () => {
    const machine = quietMachine();
    const { job, records } = await start(machine, counting(10).definition);
    await drive(machine.platform, job.result);
    const [source, sums] = records[0]?.vertices ?? [];
    expect(source?.inputs).toEqual([]);
    expect(sums?.inputs).toEqual([{ vertexId: source?.vertexId, shipStrategy: "HASH" }]);
  });

  test("does not wait for the next periodic checkpoint at its end", async () => {
    const machine = quietMachine();
    const { definition, sink } = counting(10);
    const { job, records } = await start(machine, definition, {
      "execution.checkpointing.interval": "1 h",
    });
    await drive(machine.platform, job.result);
    expect(machine.platform.monotonicMs()).toBeLessThan(1000);
    expect(records.map(({ status, isPeriodic }) => ({ status, isPeriodic }))).toEqual([
      { status: "COMPLETED", isPeriodic: false },
    ]);
    expect(sink.records).toEqual(upTo(10));
  });

  test("without checkpoints publishes at its end", async () => {
    const machine = quietMachine();
    const { definition, sink } = counting(50);
    const shared = new Configuration([
      { key: "cutwater.operator-isolation", value: "shared", origin: "flag", place: "test" },
    ]);
    const { platform } = machine;
    const running = startJob(definition.build(shared), shared, { platform, pacing: PACING });
    const job = await drive(machine.platform, running);
    await drive(machine.platform, job.result);
    expect(sink.records).toEqual(upTo(50));
    expect(machine.disk.filesBelow("/")).toEqual([]);
  });

  test("leaves no checkpoint behind when it has finished, and says so before it deletes the last", async () => {
    const machine = quietMachine();
    const { definition } = counting(100);
    let before: readonly string[] = [];
    const { job } = await start(
      machine,
      definition,
      {},
      {
        onEnd: async (status) => {
          before = status === "FINISHED" ? machine.disk.filesBelow("/checkpoints") : [];
        },
      },
    );
    await drive(machine.platform, job.result);
    expect(before.some((path) => path.endsWith("/_metadata"))).toBe(true);
    const after = machine.disk.filesBelow("/checkpoints");
    expect(after.filter((path) => path.includes("/chk-"))).toEqual([]);
  });
});

describe("a failing job", () => {
  test("starts again from its newest checkpoint and publishes each result once", async () => {
    const machine = quietMachine();
    const { definition, sink } = counting(3000, { failAt: [1000, 2000] });
    const { job, statuses } = await start(machine, definition);
    const result = await drive(machine.platform, job.result);
    expect(result.restarts).toBe(2);
    expect(statuses).toEqual([
      "RUNNING",
      "RESTARTING",
      "RUNNING",
      "RESTARTING",
      "RUNNING",
      "FINISHED",
    ]);
    expect(sink.records).toEqual(upTo(3000));
  });

  test("fails for good when its restart strategy gives up, naming task and cause; its checkpoints stay", async () => {
    const machine = quietMachine();
    const { definition } = counting(3000, { failAt: [2000] });
    const { job, statuses } = await start(machine, definition, { "restart-strategy.type": "none" });
    const failure = await drive(machine.platform, job.result).catch((error: unknown) => error);
    expect(isStreamError(failure, "JOB_FAILED")).toBe(true);
    expect(failure).toMatchObject({
      details: { restarts: 0, task: "Source: Generator Source -> Map (1/1)#0" },
      cause: { code: "USER_FUNCTION_FAILED", cause: { message: "cannot bear 2000" } },
    });
    expect(statuses).toEqual(["RUNNING", "FAILING", "FAILED"]);
    expect(machine.disk.filesBelow("/checkpoints").some((path) => path.endsWith("_metadata"))).toBe(
      true,
    );
  });

  test.each([1, 2])(
    "event time goes on after a restart, with %i subtasks of a source that does not say the split of its records",
    async (parallelism) => {
      const machine = quietMachine();
      const failAt = new Set([2000]);
      const seen = { beforeFailure: 0, last: 0 };
      const definition = defineJob("timed", (env) => {
        env
          .fromSource(
            generatorSource((index) => index, { count: 4000, type: Types.int() }),
            WatermarkStrategy.forMonotonousTimestamps<number>()
              .withTimestampAssigner((value) => value)
              .punctuated(),
            "numbers",
          )
          .uid("numbers")
          .setParallelism(parallelism)
          .keyBy(() => 0, Types.int())
          .process(
            () => ({
              processElement(value: number, context: KeyedProcessContext<number>): void {
                if (failAt.delete(value)) throw new Error(`cannot bear ${value}`);
                seen.last = context.timerService().currentWatermark();
                if (failAt.size > 0) seen.beforeFailure = seen.last;
              },
            }),
            { returns: Types.int() },
          )
          .uid("clock")
          .setParallelism(1)
          .sinkTo(collectSink(Types.int()))
          .uid("sink");
      });
      const { job } = await start(machine, definition);
      await drive(machine.platform, job.result);
      expect(seen.beforeFailure).toBeGreaterThan(1500);
      expect(seen.last).toBeGreaterThan(3900);
    },
  );

  test("goes on in another process from its newest retained checkpoint", async () => {
    const machine = quietMachine();
    const { definition, sink } = counting(3000, { failAt: [2000] });
    const first = await start(machine, definition, { "restart-strategy.type": "none" });
    await drive(machine.platform, first.job.result).catch(() => undefined);
    const second = await start(machine, definition, {}, { start: "newest-retained" });
    expect(second.job.restoredFrom?.checkpointId).toBeGreaterThan(0);
    await drive(machine.platform, second.job.result);
    expect(sink.records).toEqual(upTo(3000));
  });
});

describe("ending a job from outside", () => {
  test("cancel ends it, and its checkpoints stay as the retention says", async () => {
    const machine = quietMachine();
    const { definition } = counting(undefined);
    const { job, statuses, records } = await start(machine, definition);
    await runUntil(machine, () => records.length > 1);
    job.cancel();
    job.cancel();
    expect((await drive(machine.platform, job.result)).status).toBe("CANCELED");
    expect(statuses).toEqual(["RUNNING", "CANCELLING", "CANCELED"]);
    expect(machine.disk.filesBelow("/checkpoints").some((path) => path.endsWith("_metadata"))).toBe(
      true,
    );
  });

  test("cancel while it waits for a restart does not wait", async () => {
    const machine = quietMachine();
    const { definition } = counting(undefined, { failAt: [100] });
    const { job, statuses } = await start(machine, definition, {
      "restart-strategy.fixed-delay.delay": "1 h",
    });
    await runUntil(machine, () => statuses.includes("RESTARTING"));
    job.cancel();
    expect((await drive(machine.platform, job.result)).status).toBe("CANCELED");
    expect(machine.platform.monotonicMs()).toBeLessThan(60_000);
  });

  test("suspend takes a last checkpoint; the job goes on from exactly there", async () => {
    const machine = quietMachine();
    const { definition, sink } = counting(30_000);
    const settings = { "execution.checkpointing.interval": "1 h" };
    const first = await start(machine, definition, settings);
    await runUntil(
      machine,
      () => first.job.status === "RUNNING" && machine.platform.monotonicMs() > 10,
    );
    await drive(machine.platform, first.job.suspend(10_000));
    expect((await drive(machine.platform, first.job.result)).status).toBe("SUSPENDED");
    expect(first.records.map(({ status }) => status)).toEqual(["COMPLETED"]);
    const published = sink.records.length;
    expect(published).toBeLessThan(30_000);
    const second = await start(machine, definition, settings, { start: "newest-retained" });
    await drive(machine.platform, second.job.result);
    expect(sink.records).toEqual(upTo(30_000));
  });

  test.each([
    { drain: false, what: "goes on from it without loss" },
    { drain: true, what: "has drained the pipeline" },
  ])(
    "stop with savepoint, drain $drain: publishes up to it, and a job started from it $what",
    async ({ drain }) => {
      const machine = quietMachine();
      const { definition, sink } = counting(3000);
      const { job, statuses } = await start(machine, definition);
      await runUntil(machine, () => sink.records.length > 100);
      const directory = await drive(
        machine.platform,
        job.stopWithSavepoint({ targetDirectory: "/savepoints", drain }),
      );
      const result = await drive(machine.platform, job.result);
      expect(result).toMatchObject({ status: "FINISHED", savepointDirectory: directory });
      expect(statuses).toEqual(["RUNNING", "FINISHED"]);
      const published = sink.records.length;
      expect(published).toBeGreaterThan(100);
      expect(published).toBeLessThan(3000);
      expect(sink.records).toEqual(upTo(published));
      if (drain) return;
      const next = await start(machine, definition, { "execution.state-recovery.path": directory });
      await drive(machine.platform, next.job.result);
      expect(sink.records).toEqual(upTo(3000));
    },
  );

  test("a failure while stopping with a complete savepoint ends the job, which the savepoint then continues", async () => {
    const machine = quietMachine();
    const { definition, sink } = counting(3000);
    const slots: LocalSlot[] = [];
    const { job, statuses } = await start(
      machine,
      definition,
      {},
      { onSlot: (slot) => slots.push(slot) },
    );
    await runUntil(machine, () => sink.records.length > 100);
    const savepoint = await drive(
      machine.platform,
      job.stopWithSavepoint({ targetDirectory: "/savepoints" }),
    );
    const victim = slots[0]?.tasks[0];
    expect(victim?.status).toBe("RUNNING");
    victim?.fail(Object.assign(new Error("too late"), { code: "EIO" }));
    await expect(drive(machine.platform, job.result)).rejects.toMatchObject({
      code: "JOB_FAILED",
      cause: { code: "JOB_FAILED_WHILE_STOPPING", details: { savepoint } },
    });
    expect(statuses).toEqual(["RUNNING", "FAILING", "FAILED"]);
    const next = await start(machine, definition, { "execution.state-recovery.path": savepoint });
    await drive(machine.platform, next.job.result);
    expect(sink.records).toEqual(upTo(3000));
  });

  test("a job that is stopping takes no other savepoint or stop, and is not suspended before its end", async () => {
    const machine = quietMachine();
    const { definition, sink } = counting(3000);
    const { job } = await start(machine, definition);
    await runUntil(machine, () => sink.records.length > 100);
    const stopped = job.stopWithSavepoint({ targetDirectory: "/savepoints" });
    const refused = { code: "JOB_NOT_RUNNING", details: { job: "counting", status: "STOPPING" } };
    await expect(job.stopWithSavepoint({})).rejects.toMatchObject(refused);
    await expect(job.triggerSavepoint({})).rejects.toMatchObject(refused);
    const savepoint = await drive(machine.platform, stopped);
    await expect(job.suspendWithCheckpoint()).rejects.toMatchObject(refused);
    await drive(machine.platform, job.suspend(60_000));
    expect(await job.result).toMatchObject({ status: "FINISHED", savepointDirectory: savepoint });
  });

  test("stop with savepoint is refused while the job does not run", async () => {
    const machine = quietMachine();
    const { definition } = counting(1);
    const { job } = await start(machine, definition);
    await drive(machine.platform, job.result);
    await expect(job.stopWithSavepoint({})).rejects.toMatchObject({
      code: "JOB_NOT_RUNNING",
      details: { job: "counting", status: "FINISHED" },
    });
  });

  test("stop with savepoint that fails makes the job go on from its newest checkpoint", async () => {
    const machine = quietMachine();
    const { definition, sink } = counting(3000);
    const { job, statuses } = await start(machine, definition);
    await runUntil(machine, () => sink.records.length > 100);
    machine.disk.put("/savepoints", new Uint8Array(0)); // a file where the directory should be
    const failure = await drive(
      machine.platform,
      job.stopWithSavepoint({ targetDirectory: "/savepoints" }).catch((error: unknown) => error),
    );
    expect(isStreamError(failure, "SNAPSHOT_FAILED")).toBe(true);
    await drive(machine.platform, job.result);
    expect(statuses.at(-1)).toBe("FINISHED");
    expect(sink.records).toEqual(upTo(3000));
  });
});

describe("starting a job", () => {
  test("options that contradict each other are refused", async () => {
    const machine = quietMachine();
    const { definition } = counting(1);
    const contradiction = {
      "execution.checkpointing.unaligned.enabled": "true",
      "execution.checkpointing.max-concurrent-checkpoints": "2",
    };
    await expect(start(machine, definition, contradiction)).rejects.toMatchObject({
      code: "OPTIONS_CONTRADICT",
    });
  });

  test("state that no operator claims is refused with its name, and dropped if that is allowed", async () => {
    const machine = quietMachine();
    const { definition } = counting(3000, { failAt: [2000] });
    const first = await start(machine, definition, { "restart-strategy.type": "none" });
    await drive(machine.platform, first.job.result).catch(() => undefined);
    const sink = collectSink(Types.int());
    const other = defineJob("counting", (env) => {
      const numbers = env.fromGenerator((index) => index, { count: 3000, type: Types.int() });
      numbers.uid("numbers").setParallelism(1).sinkTo(sink).uid("other-sink");
    });
    const again = { start: "newest-retained" } as const;
    await expect(start(machine, other, {}, again)).rejects.toMatchObject({
      code: "STATE_NOT_MATCHED",
      message: expect.stringContaining("sums") as string,
    });
    const allowed = { "execution.state-recovery.ignore-unclaimed-state": "true" };
    const second = await start(machine, other, allowed, again);
    await drive(machine.platform, second.job.result);
    expect(sink.records.at(-1)).toBe(2999);
    expect(sink.records[0]).toBeGreaterThan(0);
  });

  test("a damaged newest checkpoint is named and not passed over", async () => {
    const machine = quietMachine();
    const { definition } = counting(undefined);
    const first = await start(machine, definition);
    await runUntil(machine, () => first.records.length > 1);
    first.job.cancel();
    await drive(machine.platform, first.job.result);
    const metadata =
      machine.disk
        .filesBelow("/checkpoints")
        .filter((path) => path.endsWith("_metadata"))
        .at(-1) ?? "";
    machine.disk.put(metadata, machine.disk.read(metadata).slice(0, 20));
    await expect(start(machine, definition, {}, { start: "newest-retained" })).rejects.toThrow(
      metadata,
    );
  });
});

describe("checkpoints of a running job", () => {
  test("are declined while the storage is in the way, and the job goes on when it is there again", async () => {
    const machine = quietMachine();
    const { definition, sink } = counting(2000);
    machine.disk.put("/checkpoints", new Uint8Array(0));
    const { job, records } = await start(
      machine,
      definition,
      { "execution.checkpointing.tolerable-failed-checkpoints": "1000" },
      { start: "fresh" },
    ).catch((error: unknown) => {
      throw error;
    });
    await runUntil(machine, () => machine.platform.monotonicMs() > 100);
    machine.disk.remove("/checkpoints");
    await drive(machine.platform, job.result);
    expect(records.some(({ status }) => status === "FAILED")).toBe(true);
    expect(sink.records).toEqual(upTo(2000));
  });

  test("say for every subtask how long its parts took", async () => {
    const machine = quietMachine();
    const { definition } = counting(500);
    const { job, records } = await start(machine, definition);
    await drive(machine.platform, job.result);
    const completed = records.filter(({ status }) => status === "COMPLETED");
    expect(completed.length).toBeGreaterThan(0);
    for (const { vertices } of completed) {
      for (const { subtasks } of vertices) {
        for (const subtask of subtasks) {
          expect(subtask.status).toBe("ACKNOWLEDGED");
          expect(subtask.startDelayMs).toBeGreaterThanOrEqual(0);
          expect(subtask.asyncDurationMs).toBeGreaterThanOrEqual(0);
          expect(subtask.stateSizeBytes).toBeGreaterThan(0);
        }
      }
    }
  });
});

test("a task whose operator waits for an answer from outside is busy, and what comes before it held up", async () => {
  const machine = quietMachine();
  const patient: Sink<number> = {
    name: "patient",
    writerStateSerializer: undefined,
    committableSerializer: undefined,
    createWriter(context) {
      let isWaiting = false;
      return {
        isAvailable: () => !isWaiting,
        write() {
          if (isWaiting) return;
          isWaiting = true;
          context.platform.after(20, () => {
            isWaiting = false;
            context.available();
          });
        },
        prepareCommit: () => ({ committables: [], durable: undefined }),
        close() {},
      };
    },
  };
  const definition = defineJob("patient", (env) => {
    const numbers = env.fromGenerator((index) => index, { type: Types.int() });
    numbers.uid("numbers").rebalance().sinkTo(patient).uid("sink");
  });
  const { job } = await start(machine, definition);
  await runUntil(machine, () => machine.platform.monotonicMs() > 1000);
  const shares = job.master.taskMetrics().map(({ times }) => {
    const totalMs = times.busyMs + times.idleMs + times.backPressuredMs;
    return { busy: times.busyMs / totalMs, heldUp: times.backPressuredMs / totalMs };
  });
  job.cancel();
  await drive(machine.platform, job.result);
  expect(shares[0]?.heldUp).toBeGreaterThan(0.9);
  expect(shares[1]?.busy).toBeGreaterThan(0.9);
});
