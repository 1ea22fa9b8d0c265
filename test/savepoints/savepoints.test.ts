import { describe, expect, test } from "vitest";

import { isStreamError } from "../../src/base/index.ts";
import { readSnapshot } from "../../src/checkpoint/index.ts";
import {
  collectSink,
  defineJob,
  type JobDefinition,
  TumblingEventTimeWindows,
  Types,
  WatermarkStrategy,
} from "../../src/index.ts";
import { quietMachine, simulateWithoutFaults } from "../../src/testing/index.ts";
import { stateJob } from "../../src/testing/index.ts";
import { LANES, unalignedJob } from "../unaligned/unaligned-jobs.ts";
import type { JobSurroundings } from "../../src/runtime/index.ts";
import { type Machine, move, start, type Started } from "./savepoint-job.ts";

/** Running maxima of numbers, so that every number comes out once. */
function counting(count: number | undefined, uid = "sums", name = "counting") {
  const sink = collectSink(Types.int());
  const definition = defineJob(name, (env) => {
    env
      .fromGenerator((index) => index, {
        ...(count === undefined ? {} : { count }),
        type: Types.int(),
      })
      .uid("numbers")
      .setParallelism(1)
      .keyBy(() => 0, Types.int())
      .reduce((sum, value) => Math.max(sum, value))
      .uid(uid)
      .sinkTo(sink)
      .uid("sink");
  });
  return { definition, sink };
}

const upTo = (count: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => index);

const exists = ({ disk }: Machine, directory: string): boolean =>
  disk.filesBelow(directory).some((path) => path.endsWith("/_metadata"));

const from = (path: string, claimMode?: string): Record<string, string> => ({
  "execution.state-recovery.path": path,
  ...(claimMode === undefined ? {} : { "execution.state-recovery.claim-mode": claimMode }),
});

describe("a savepoint", () => {
  test.each(["CANONICAL", "NATIVE"] as const)(
    "in %s form leaves the job running, stays when checkpoints go, and says what it is",
    async (format) => {
      const machine = quietMachine();
      const { definition, sink } = counting(3000);
      const { job, drive, until, records } = await start(machine, definition);
      await until(() => sink.records.length > 100);
      const request = { targetDirectory: "/savepoints", format };
      const directory = await drive(job.triggerSavepoint(request));
      expect(job.status).toBe("RUNNING");
      const before = records.length;
      await until(() => records.length > before + 2);
      expect(exists(machine, directory)).toBe(true);
      const { metadata } = await drive(readSnapshot(directory, machine.platform.files));
      expect(metadata.properties?.type).toMatchObject({ kind: "savepoint", format });
      const keyed = metadata.operatorStates.flatMap(({ subtaskStates }) =>
        subtaskStates.flatMap(({ state }) => state.managedKeyed ?? []),
      );
      // Flink's marks: 7 for what every state backend reads, 3 for a backend's own.
      expect(keyed.map((handle) => handle.kind === "key-groups" && handle.tag)).toEqual([
        format === "CANONICAL" ? 7 : 3,
      ]);
      await drive(job.result);
      expect(exists(machine, directory)).toBe(true);
      expect(sink.records).toEqual(upTo(3000));
    },
  );

  test("can be moved to another directory and still restores", async () => {
    const machine = quietMachine();
    const { definition, sink } = counting(3000);
    const first = await start(machine, definition);
    await first.until(() => sink.records.length > 100);
    const directory = await first.drive(first.job.stopWithSavepoint({ targetDirectory: "/old" }));
    await first.drive(first.job.result);
    expect(machine.disk.filesBelow(directory).length).toBeGreaterThan(1);
    move(machine, "/old", "/elsewhere/deeper");
    expect(machine.disk.filesBelow("/old")).toEqual([]);
    const moved = directory.replace("/old", "/elsewhere/deeper");
    const second = await start(machine, definition, from(moved));
    await second.drive(second.job.result);
    expect(sink.records).toEqual(upTo(3000));
  });

  test("cancels the job once it is complete; the job goes on from it without loss", async () => {
    const machine = quietMachine();
    const { definition, sink } = counting(3000);
    const first = await start(machine, definition);
    await first.until(() => sink.records.length > 100);
    const savepoint = first.job.cancelWithSavepoint({ targetDirectory: "/savepoints" });
    const directory = await first.drive(savepoint);
    expect(await first.drive(first.job.result)).toMatchObject({
      status: "CANCELED",
      savepointDirectory: directory,
    });
    const second = await start(machine, definition, from(directory));
    await second.drive(second.job.result);
    expect(sink.records).toEqual(upTo(3000));
  });

  test("that cannot be written cancels nothing", async () => {
    const machine = quietMachine();
    const { definition, sink } = counting(3000);
    const { job, drive, until } = await start(machine, definition);
    await until(() => sink.records.length > 100);
    machine.disk.put("/savepoints", new Uint8Array(0));
    const refused = job.cancelWithSavepoint({ targetDirectory: "/savepoints" });
    await expect(drive(refused)).rejects.toMatchObject({ code: "SNAPSHOT_FAILED" });
    expect(job.status).toBe("RUNNING");
    await drive(job.result);
    expect(sink.records).toEqual(upTo(3000));
  });

  test("is aligned where checkpoints are unaligned, and holds no in-flight data", async () => {
    const machine = quietMachine();
    const job = unalignedJob("keyed");
    const unaligned = { "execution.checkpointing.unaligned.enabled": "true" };
    const started = await start(machine, job, { ...unaligned, "parallelism.default": "3" });
    await started.until(() => started.records.some(({ status }) => status === "COMPLETED"));
    const savepoint = started.job.triggerSavepoint({ targetDirectory: "/savepoints" });
    const directory = await started.drive(savepoint);
    const { metadata } = await started.drive(readSnapshot(directory, machine.platform.files));
    const inFlight = metadata.operatorStates.flatMap(({ subtaskStates }) =>
      subtaskStates.flatMap(({ state }) => [...state.inputChannel, ...state.resultSubpartition]),
    );
    expect(inFlight).toEqual([]);
    started.job.cancel();
    await started.drive(started.job.result);
  });
});

/** One window over all numbers, which never ends by itself. */
function windowed() {
  const sink = collectSink(Types.int());
  const definition = defineJob("windowed", (env) => {
    env
      .fromGenerator((index) => index, { type: Types.int() })
      .uid("numbers")
      .setParallelism(1)
      .assignTimestampsAndWatermarks(
        WatermarkStrategy.forMonotonousTimestamps<number>().withTimestampAssigner((value) => value),
      )
      .uid("times")
      .keyBy(() => 0, Types.int())
      .window(TumblingEventTimeWindows.of("1000 d"))
      .reduce((a, b) => Math.max(a, b))
      .uid("windows")
      .sinkTo(sink)
      .uid("sink");
  });
  return { definition, sink };
}

describe("stopping with a savepoint", () => {
  test.each([
    { drain: true, fires: "fires its windows" },
    { drain: false, fires: "keeps its windows for the job that goes on" },
  ])("and drain $drain $fires", async ({ drain }) => {
    const machine = quietMachine();
    const { definition, sink } = windowed();
    const { job, drive, until, records } = await start(machine, definition);
    await until(() => records.length > 2);
    await drive(job.stopWithSavepoint({ targetDirectory: "/savepoints", drain }));
    expect(await drive(job.result)).toMatchObject({ status: "FINISHED" });
    expect(sink.records).toHaveLength(drain ? 1 : 0);
  });
});

describe("a restored snapshot", () => {
  async function stopped(machine: Machine) {
    const job = counting(6000);
    const first = await start(machine, job.definition);
    await first.until(() => job.sink.records.length > 100);
    const directory = await first.drive(
      first.job.stopWithSavepoint({ targetDirectory: "/savepoints" }),
    );
    await first.drive(first.job.result);
    return { ...job, directory };
  }

  test.each([
    { claimMode: "NO_CLAIM", isDeleted: false },
    { claimMode: "LEGACY", isDeleted: false },
    { claimMode: "CLAIM", isDeleted: true },
  ])(
    "in mode $claimMode is deleted when it is subsumed: $isDeleted",
    async ({ claimMode, isDeleted }) => {
      const machine = quietMachine();
      const { definition, sink, directory } = await stopped(machine);
      const second = await start(machine, definition, from(directory, claimMode));
      expect(exists(machine, directory)).toBe(true);
      await second.until(
        () => second.records.filter(({ status }) => status === "COMPLETED").length > 1,
      );
      const [firstOne, secondOne] = second.records.filter(({ status }) => status === "COMPLETED");
      expect(firstOne?.typeName).toBe(claimMode === "NO_CLAIM" ? "Full Checkpoint" : "Checkpoint");
      expect(secondOne?.typeName).toBe("Checkpoint");
      await second.drive(second.job.result);
      expect(exists(machine, directory)).toBe(!isDeleted);
      expect(sink.records).toEqual(upTo(6000));
    },
  );

  test("of a job's own checkpoint starts another job's life in its own directory", async () => {
    const machine = quietMachine();
    const { definition, sink } = counting(3000);
    const first = await start(machine, definition);
    await first.until(() => sink.records.length > 100);
    first.job.cancel();
    await first.drive(first.job.result);
    const newest = first.job.master.coordinator.latestCompleted ?? first.records.at(-1);
    const path = machine.disk
      .filesBelow("/checkpoints")
      .find((name) => name.endsWith("/_metadata"));
    expect(newest ?? path).toBeDefined();
    const second = await start(machine, definition, from(path ?? ""));
    await second.drive(second.job.result);
    expect(sink.records).toEqual(upTo(3000));
  });
});

describe("changes of parallelism", () => {
  test.each([{ unaligned: "false" }, { unaligned: "true" }])(
    "4 to 6 to 3 with all kinds of state and failures between (unaligned: $unaligned)",
    async ({ unaligned }) => {
      const baseline = await simulateWithoutFaults(stateJob(), { seed: 0 });
      const machine = quietMachine();
      const job = stateJob();
      const mode = { "execution.checkpointing.unaligned.enabled": unaligned };
      let path: Record<string, string> = {};
      for (const parallelism of [4, 6, 3]) {
        const settings = { ...mode, ...path, "parallelism.default": String(parallelism) };
        const started = await start(machine, job, settings, { pacing: SLOW });
        await started.until(() => started.records.some(({ status }) => status === "COMPLETED"));
        await failEach(started, ["KeyedProcess", "Holding", "Process"]);
        if (parallelism === 3) {
          expect(await started.drive(started.job.result)).toMatchObject({ status: "FINISHED" });
          break;
        }
        const savepoint = started.job.stopWithSavepoint({ targetDirectory: "/savepoints" });
        path = from(await started.drive(savepoint));
        await started.drive(started.job.result);
      }
      expect(job.output(machine.disk).toSorted()).toEqual(baseline.output.toSorted());
    },
  );

  test("of splits: each is read on by one subtask", async () => {
    const machine = quietMachine();
    const job = unalignedJob("keyed");
    let path: Record<string, string> = {};
    for (const parallelism of [5, 7, 3]) {
      const settings = { ...path, "parallelism.default": String(parallelism) };
      const started = await start(machine, job, settings, { pacing: SLOW });
      await failEach(started, ["Source", "KeyedProcess"]);
      if (parallelism === 3) {
        await started.drive(started.job.result);
        break;
      }
      const savepoint = started.job.stopWithSavepoint({ targetDirectory: "/savepoints" });
      path = from(await started.drive(savepoint));
      await started.drive(started.job.result);
    }
    const output = job.output(machine.disk);
    expect(new Set(output).size).toBe(output.length);
    expect(output).toHaveLength(2 * 4 * LANES);
    expect(job.outOfOrder()).toEqual([]);
  });
});

/** One record at a time, so that there is something left to do after three changes. */
const SLOW: NonNullable<JobSurroundings["pacing"]> = {
  recordsPerCall: 1,
  channelLimits: () => ({ batchSize: 1, capacityRecords: 2, capacityBatches: 2 }),
  order: (tasks) => tasks,
  skips: () => false,
  roundsPerTurn: () => 1,
  turnMs: 5,
  flushMs: 1,
};

/** Fails a task of each name, one after the other, each in a job that runs. */
async function failEach(started: Started, names: readonly string[]): Promise<void> {
  const { job, until, failTask } = started;
  await until(() => job.master.execution.isRunning);
  for (const name of names) {
    const before = job.master.restartCount;
    failTask(name);
    await until(() => job.master.restartCount > before && job.master.execution.isRunning);
  }
}

describe("a snapshot that does not fit is refused before any record flows", () => {
  async function savepoint(machine: Machine, definition: JobDefinition): Promise<string> {
    const { job, drive, until, records } = await start(machine, definition);
    await until(() => records.length > 2);
    const directory = await drive(job.stopWithSavepoint({ targetDirectory: "/savepoints" }));
    await drive(job.result);
    return directory;
  }

  /** Starts a job that must be refused; the error, and what its sink got. */
  async function refusal(
    machine: Machine,
    definition: JobDefinition,
    settings: Record<string, string>,
  ): Promise<unknown> {
    return await start(machine, definition, settings).then(
      () => undefined,
      (error: unknown) => error,
    );
  }

  test("of another job, naming its operators", async () => {
    const machine = quietMachine();
    const path = await savepoint(machine, windowed().definition);
    const error = await refusal(machine, counting(10).definition, from(path));
    expect(isStreamError(error, "STATE_NOT_MATCHED")).toBe(true);
    expect(String(error)).toContain("uid windows");
  });

  test("since a uid has changed, unless that state may be dropped", async () => {
    const machine = quietMachine();
    const path = await savepoint(machine, counting(undefined).definition);
    const renamed = counting(10, "totals");
    const error = await refusal(machine, renamed.definition, from(path));
    expect(isStreamError(error, "STATE_NOT_MATCHED")).toBe(true);
    expect(String(error)).toContain("uid sums");
    const allowed = { ...from(path), "execution.state-recovery.ignore-unclaimed-state": "true" };
    const { job } = await start(machine, renamed.definition, allowed);
    job.cancel();
  });

  test("of a newer version of the format", async () => {
    const machine = quietMachine();
    const path = await savepoint(machine, counting(undefined).definition);
    const metadata = machine.disk.read(`${path}/_metadata`).slice();
    metadata[7] = 9;
    machine.disk.put(`${path}/_metadata`, metadata);
    const error = await refusal(machine, counting(10).definition, from(path));
    expect(error).toMatchObject({ code: "METADATA_VERSION_UNSUPPORTED", details: { version: 9 } });
  });

  test("with a file missing, cut off, or without _metadata", async () => {
    const machine = quietMachine();
    const { definition } = counting(undefined);
    const path = await savepoint(machine, definition);
    const file = machine.disk.filesBelow(path).find((name) => !name.endsWith("_metadata")) ?? "";
    const whole = machine.disk.read(file).slice();
    machine.disk.remove(file);
    expect(await refusal(machine, definition, from(path))).toMatchObject({
      code: "STATE_HANDLE_UNREADABLE",
      message: expect.stringContaining(
        `${file}, which cannot be read: there is no such file`,
      ) as string,
    });
    machine.disk.put(file, whole.slice(0, whole.length - 1));
    expect(await refusal(machine, definition, from(path))).toMatchObject({
      code: "STATE_HANDLE_UNREADABLE",
      message: expect.stringContaining(
        `it has ${whole.length - 1} bytes, not ${whole.length}`,
      ) as string,
    });
    machine.disk.put(file, whole);
    machine.disk.remove(`${path}/_metadata`);
    expect(await refusal(machine, definition, from(path))).toMatchObject({
      code: "CHECKPOINT_POINTER_INVALID",
    });
    expect(await refusal(machine, definition, from("/nowhere"))).toMatchObject({
      code: "CHECKPOINT_POINTER_INVALID",
      message: expect.stringContaining("no such file or directory") as string,
    });
  });

  test("at a parallelism above the number of its key groups", async () => {
    const machine = quietMachine();
    const path = await savepoint(machine, counting(undefined).definition);
    const settings = { ...from(path), "parallelism.default": "129" };
    expect(await refusal(machine, counting(10).definition, settings)).toMatchObject({
      code: "PARALLELISM_ABOVE_MAXIMUM",
      details: { parallelism: 129, maxParallelism: 128 },
    });
    const changed = { ...from(path), "pipeline.max-parallelism": "64" };
    expect(await refusal(machine, counting(10).definition, changed)).toMatchObject({
      code: "MAX_PARALLELISM_CHANGED",
      details: { snapshotMaxParallelism: 128, jobMaxParallelism: 64 },
    });
  });

  test("and two operators with one uid are refused with it", async () => {
    const twice = defineJob("twice", (env) => {
      const numbers = env.fromData(1, 2, 3).uid("one");
      numbers
        .map((value) => value)
        .uid("one")
        .sinkTo(collectSink<number>());
    });
    const error = await refusal(quietMachine(), twice, {});
    expect(error).toBeInstanceOf(Error);
    expect(String(error)).toContain("one");
  });
});
