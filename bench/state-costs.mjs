// What large state costs: stops of the loop, lost throughput, memory, timers, restore. All by jobs that run.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { check, cpuMs, spread, usedBytes } from "./measure.mjs";

const KEYS = 1_000_000;
const MEMORY_KEYS = 5_000_000;
const NO_CHECKPOINTS = { "execution.checkpointing.interval": "0 ms" };

/** Keys at random: a number of 31 bits for each index. */
function scattered(index) {
  let bits = Math.imul(index ^ (index >>> 16), 0x45d9f3b);
  bits = Math.imul(bits ^ (bits >>> 16), 0x45d9f3b);
  return (bits ^ (bits >>> 16)) >>> 1;
}

/** Three numbers a key, updated by each record. */
function threeNumbers({ Types }) {
  return [
    {
      createAccumulator: () => ({ n: 0, sum: 0, last: 0 }),
      add: (record, held) => ({ n: held.n + 1, sum: held.sum + record.value, last: record.value }),
      getResult: (held) => held.n,
      merge: (a, b) => ({ n: a.n + b.n, sum: a.sum + b.sum, last: b.last }),
    },
    { accumulator: Types.struct({ n: Types.double(), sum: Types.double(), last: Types.double() }) },
  ];
}

function sink(write) {
  return {
    name: "Sum Sink",
    writerStateSerializer: undefined,
    committableSerializer: undefined,
    createWriter: () => ({
      write,
      prepareCommit: () => ({ committables: [], durable: undefined }),
      close() {},
    }),
  };
}

/** A job that first gives every key a value and then updates keys at random; `onRecord` sees each index. */
function updatesJob(cutwater, name, keys, count, onRecord, seen) {
  const pool = Array.from({ length: 8192 }, () => ({ key: 0, value: 0.5 }));
  const source = cutwater.generatorSource(
    (index) => {
      onRecord(index);
      const record = pool[index & 8191];
      record.key = index < keys ? index : scattered(index) % keys;
      record.value = index;
      return record;
    },
    { count },
  );
  return cutwater.defineJob(name, (env) => {
    env
      .fromSource(source)
      .keyBy((record) => record.key, cutwater.Types.int())
      .aggregate(...threeNumbers(cutwater))
      .sinkTo(
        sink((n) => {
          seen.records += n > 0 ? 1 : 0;
          seen.firstAt ??= cpuMs();
        }),
      );
  });
}

/**
 * Throughput lost to checkpoints of a million keys: the extra CPU time of each, over ten seconds.
 *
 * @returns Percent.
 */
export async function checkpointLoss(cutwater) {
  const count = 10_000_000;
  const seen = { records: 0, firstAt: undefined };
  const job = updatesJob(cutwater, "bench-checkpoint-loss", KEYS, count, () => {}, seen);
  const losses = [];
  for (let repetition = -1; repetition < 3; repetition++) {
    seen.records = 0;
    let start = cpuMs();
    await cutwater.run(job, NO_CHECKPOINTS);
    const without = cpuMs() - start;
    check("records without checkpoints", seen.records, count);
    seen.records = 0;
    start = cpuMs();
    const completed = await runWithCheckpoints(cutwater, job, () => {});
    const withCheckpoints = cpuMs() - start;
    check("records with checkpoints", seen.records, count);
    if (repetition >= 0) losses.push((withCheckpoints - without) / completed / 100);
  }
  return spread(losses);
}

/** Runs a job with a checkpoint each half second. @returns How many were completed. */
async function runWithCheckpoints(cutwater, job, onCompleted) {
  const directory = mkdtempSync(join(tmpdir(), "cutwater-bench-"));
  let completed = 0;
  const onEnded = ({ status }) => {
    if (status !== "COMPLETED") return;
    completed++;
    onCompleted();
  };
  try {
    await cutwater.run(
      job,
      {
        "execution.checkpointing.interval": "500 ms",
        "execution.checkpointing.dir": `file://${directory}`,
      },
      { fresh: true, observers: [{ onEnded }] },
    );
  } finally {
    rmSync(directory, { recursive: true });
  }
  check("checkpoints were taken", completed > 1, true);
  return completed;
}

/**
 * The longest time in which no record was read, for each checkpoint of a million keys. A stop in which the system took the processor away is not
 * counted: that is the machine's, not the engine's.
 *
 * @returns Milliseconds with checkpoints, and without any for comparison.
 */
export async function longestStops(cutwater) {
  const count = 10_000_000;
  const seen = { records: 0, firstAt: undefined };
  const watch = { last: 0, preemptions: 0, longest: 0, discarded: 0 };
  const onRecord = (index) => {
    if ((index & 255) !== 0) return;
    const now = performance.now();
    const preemptions = process.resourceUsage().involuntaryContextSwitches;
    if (index > KEYS) {
      if (preemptions !== watch.preemptions) watch.discarded++;
      else if (now - watch.last > watch.longest) watch.longest = now - watch.last;
    }
    watch.preemptions = preemptions;
    watch.last = performance.now();
  };
  const job = updatesJob(cutwater, "bench-stops", KEYS, count, onRecord, seen);
  const stops = [];
  const quiet = [];
  for (let repetition = 0; repetition < 2; repetition++) {
    watch.longest = 0;
    await cutwater.run(job, NO_CHECKPOINTS);
    quiet.push(watch.longest);
    watch.longest = 0;
    await runWithCheckpoints(cutwater, job, () => {
      stops.push(watch.longest);
      watch.longest = 0;
    });
  }
  return { stops: spread(stops.slice(1)), quiet: spread(quiet), discarded: watch.discarded };
}

/** Bytes per key of three numbers. Needs --expose-gc. */
export async function memoryPerKey(cutwater) {
  let before = 0;
  let after = 0;
  const seen = { records: 0 };
  const onRecord = (index) => {
    if (index === 0) before = usedBytes();
    else if (index === MEMORY_KEYS) after = usedBytes();
  };
  const job = updatesJob(cutwater, "bench-memory", MEMORY_KEYS, MEMORY_KEYS + 1, onRecord, seen);
  await cutwater.run(job, NO_CHECKPOINTS);
  check("records", seen.records, MEMORY_KEYS + 1);
  return (after - before) / MEMORY_KEYS;
}

/** Microseconds to register and fire a user timer, of a million keys with one each; without what the job costs without timers. */
export async function timerCost(cutwater) {
  const { Types, WatermarkStrategy } = cutwater;
  const seen = { fired: 0 };
  const pool = Array.from({ length: 8192 }, () => ({ key: 0, at: 0 }));
  const source = cutwater.generatorSource(
    (index) => {
      const record = pool[index & 8191];
      record.key = index;
      record.at = Math.floor(index / 100);
      return record;
    },
    { count: KEYS },
  );
  const jobWith = (name, hasTimers) =>
    cutwater.defineJob(name, (env) => {
      env
        .fromSource(
          source,
          WatermarkStrategy.forMonotonousTimestamps().withTimestampAssigner((record) => record.at),
        )
        .keyBy((record) => record.key, Types.int())
        .process(
          () => ({
            processElement(record, context) {
              if (hasTimers)
                context
                  .timerService()
                  .registerEventTimeTimer(record.at + (scattered(record.key) % 600_000));
            },
            onTimer() {
              seen.fired++;
            },
          }),
          { returns: Types.int() },
        )
        .sinkTo(sink(() => {}));
    });
  const withTimers = jobWith("bench-timers", true);
  const without = jobWith("bench-no-timers", false);
  const costs = [];
  for (let repetition = -1; repetition < 5; repetition++) {
    let start = cpuMs();
    await cutwater.run(without, NO_CHECKPOINTS);
    const base = cpuMs() - start;
    seen.fired = 0;
    start = cpuMs();
    await cutwater.run(withTimers, NO_CHECKPOINTS);
    const took = cpuMs() - start;
    check("timers", seen.fired, KEYS);
    if (repetition >= 0) costs.push(((took - base) / KEYS) * 1000);
  }
  return spread(costs);
}

/** CPU seconds from the start of a job to its first record, when it starts from a checkpoint of a million keys; less those of a fresh start. */
export async function restoreCost(cutwater) {
  const directory = mkdtempSync(join(tmpdir(), "cutwater-bench-"));
  const settings = {
    "execution.checkpointing.interval": "1 h",
    "execution.checkpointing.dir": `file://${directory}`,
  };
  const costs = [];
  try {
    for (let repetition = 0; repetition < 3; repetition++) {
      const seen = { records: 0, firstAt: undefined };
      let client;
      let stopAt = KEYS;
      const onRecord = (index) => {
        if (index === stopAt) setImmediate(() => void client.stop());
      };
      const job = updatesJob(
        cutwater,
        `bench-restore-${repetition}`,
        KEYS,
        400_000_000,
        onRecord,
        seen,
      );
      let start = cpuMs();
      client = await cutwater.runAsync(job, settings);
      await client.result;
      const fresh = seen.firstAt - start;
      const before = seen.records;
      check("records before the stop", before >= KEYS, true);
      seen.firstAt = undefined;
      stopAt = -1;
      start = cpuMs();
      client = await cutwater.runAsync(job, settings);
      while (seen.firstAt === undefined) await new Promise((resolve) => setTimeout(resolve, 5));
      costs.push((seen.firstAt - start - fresh) / 1000);
      check("restored", client.startedFrom !== undefined, true);
      client.cancel();
      await client.result;
    }
  } finally {
    rmSync(directory, { recursive: true });
  }
  return spread(costs);
}
