import { expect, test } from "vitest";

import { Configuration } from "../../src/base/index.ts";
import type { CheckpointRecord } from "../../src/checkpoint/index.ts";
import { defineJob, type Sink, type SinkContext, Types } from "../../src/index.ts";
import { startJob } from "../../src/runtime/index.ts";
import { drive, quietMachine } from "../../src/testing/index.ts";

/** Takes one record a millisecond. */
function slowSink(): Sink<number> {
  return {
    name: "slow",
    writerStateSerializer: undefined,
    committableSerializer: undefined,
    createWriter: (context: SinkContext) => {
      let freeAtMs = 0;
      return {
        write: () => {
          freeAtMs = Math.max(freeAtMs, context.platform.nowMs()) + 1;
          context.platform.after(freeAtMs - context.platform.nowMs(), () => context.available());
        },
        isAvailable: () => context.platform.nowMs() >= freeAtMs,
        prepareCommit: () => ({ committables: [], durable: undefined }),
        close: () => undefined,
      };
    },
  };
}

/** The checkpoints of a job whose sink takes 1 s for 1,000 records, in a minute. */
async function checkpoints(
  settings: Readonly<Record<string, string>>,
): Promise<readonly CheckpointRecord[]> {
  const { platform } = quietMachine();
  const records: CheckpointRecord[] = [];
  const configuration = new Configuration(
    Object.entries({
      "execution.checkpointing.interval": "1 s",
      "execution.checkpointing.dir": "/checkpoints",
      "execution.checkpointing.max-concurrent-checkpoints": "1",
      "cutwater.operator-isolation": "shared",
      ...settings,
    }).map(([key, value]) => ({ key, value, origin: "flag", place: "test" })),
  );
  const definition = defineJob("slow", (env) => {
    env
      .fromGenerator((index) => index, { type: Types.int() })
      .uid("numbers")
      .setParallelism(2)
      .rebalance()
      .map((value) => value, { returns: Types.int() })
      .uid("map")
      .setParallelism(2)
      .rebalance()
      .sinkTo(slowSink())
      .uid("sink")
      .setParallelism(1);
  });
  const job = await drive(
    platform,
    startJob(definition.build(configuration), configuration, {
      platform,
      observers: [{ onEnded: (record) => void records.push(record) }],
    }),
  );
  await drive(platform, new Promise<void>((resolve) => platform.after(60_000, resolve)));
  job.cancel();
  await drive(platform, job.result);
  return records.filter(({ status }) => status === "COMPLETED");
}

const durationMs = ({ triggeredAtMs, endedAtMs }: CheckpointRecord): number =>
  (endedAtMs ?? 0) - triggeredAtMs;

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

function persistedBytes({ vertices }: CheckpointRecord): number {
  return vertices
    .flatMap(({ subtasks }) => subtasks)
    .reduce((sum, { alignmentPersistedBytes }) => sum + (alignmentPersistedBytes ?? 0), 0);
}

test("behind a sink that takes 1 s per 1,000 records an unaligned checkpoint takes less than a fiftieth of an aligned one", async () => {
  const aligned = await checkpoints({});
  const unaligned = await checkpoints({ "execution.checkpointing.unaligned.enabled": "true" });
  const alignedMs = median(aligned.map(durationMs));
  const unalignedMs = median(unaligned.map(durationMs));
  expect(aligned.length).toBeGreaterThan(1);
  expect(alignedMs).toBeGreaterThan(1_000);
  expect(unalignedMs).toBeLessThan(alignedMs / 50);
  // What was in flight is kept, and is bounded by what the channels hold: it does not grow from one checkpoint to the next.
  const sizes = unaligned.map(persistedBytes);
  expect(Math.min(...sizes)).toBeGreaterThan(0);
  expect(Math.max(...sizes)).toBeLessThan(3 * median(sizes));
  expect(aligned.map(persistedBytes)).toEqual(aligned.map(() => 0));
});

test("one that begins aligned overtakes when its time is over, and not before", async () => {
  const settings = {
    "execution.checkpointing.unaligned.enabled": "true",
    "execution.checkpointing.aligned-checkpoint-timeout": "200 ms",
  };
  const records = await checkpoints(settings);
  expect(records.length).toBeGreaterThan(10);
  for (const record of records) {
    expect(durationMs(record)).toBeGreaterThanOrEqual(200);
    expect(durationMs(record)).toBeLessThan(700);
    expect(persistedBytes(record)).toBeGreaterThan(0);
  }
});
