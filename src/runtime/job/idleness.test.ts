import { describe, expect, test } from "vitest";

import { collectSink, generatorSource } from "../../connectors/index.ts";
import { outputTag, TumblingEventTimeWindows, WatermarkStrategy } from "../../operators/index.ts";
import { Types } from "../../serde/index.ts";
import {
  PARTITION_RECORD,
  partitionedSource,
  type PartitionRecord,
  type TimedRecord,
} from "../../testing/partitioned-source.ts";
import { type PlayedJob, playJob } from "../../testing/simulation/play-job.ts";

const SETTINGS: Readonly<Record<string, string>> = {
  "cutwater.operator-isolation": "shared",
  "pipeline.auto-watermark-interval": "5 ms",
  "execution.checkpointing.interval": "20 ms",
  "execution.checkpointing.dir": "/checkpoints",
  "restart-strategy.type": "fixed-delay",
  "restart-strategy.fixed-delay.attempts": "10",
  "restart-strategy.fixed-delay.delay": "5 ms",
};

const IDLENESS_MS = 50;
const strategy = WatermarkStrategy.forMonotonousTimestamps<PartitionRecord>();
const withIdleness = strategy.withIdleness(IDLENESS_MS);

/** A second of event time every 100 ms. */
function steady(count: number): readonly TimedRecord[] {
  return Array.from({ length: count }, (_, index) => ({
    timestamp: index * 100,
    atMs: index * 10,
  }));
}

const COUNT = {
  createAccumulator: () => 0,
  add: (_: PartitionRecord, count: number) => count + 1,
  getResult: (count: number) => count,
  merge: (a: number, b: number) => a + b,
};

interface Scene extends Pick<PlayedJob, "slotCount" | "look"> {
  readonly parallelism: number;
  readonly partitions: Readonly<Record<string, readonly TimedRecord[]>>;
  readonly watermarks: WatermarkStrategy<PartitionRecord>;
  readonly isBounded?: boolean;
}

/** Counts records per partition and second of event time. @returns When each window fired, in ms, as `partition second: count`. */
async function play({ parallelism, partitions, watermarks, ...scene }: Scene) {
  const firedAtMs = new Map<string, number>();
  const late = outputTag("late", PARTITION_RECORD);
  const lateSink = collectSink(Types.string());
  const sink = collectSink(Types.string());
  await playJob({
    settings: SETTINGS,
    slotCount: scene.slotCount,
    look: scene.look,
    define: (env, { startMs, elapsedMs }) => {
      env.setParallelism(parallelism);
      const { isBounded = true } = scene;
      const counts = env
        .fromSource(partitionedSource({ startMs, partitions, isBounded }), watermarks)
        .uid("partitions")
        .keyBy(({ partition }) => partition, Types.string())
        .window(TumblingEventTimeWindows.of("1 s"))
        .sideOutputLateData(late)
        .aggregate(COUNT, (key, { start }, count) => `${key} ${start / 1000}: ${count}`, {
          returns: Types.string(),
        })
        .uid("counts");
      counts
        .map(
          (text) => {
            firedAtMs.set(text, elapsedMs());
            return text;
          },
          { returns: Types.string() },
        )
        .uid("notes")
        .sinkTo(sink)
        .uid("sink");
      counts
        .getSideOutput(late)
        .map(({ partition, timestamp }) => `${partition} ${timestamp}`, { returns: Types.string() })
        .uid("late-texts")
        .sinkTo(lateSink)
        .uid("late");
    },
  });
  return { firedAtMs, late: lateSink.records.toSorted(), output: sink.records.toSorted() };
}

describe("a partition without records", () => {
  /** Three records, then none for long; then one that is late by now, and others in time. */
  const quiet: readonly TimedRecord[] = [
    ...[0, 100, 200].map((timestamp) => ({ timestamp, atMs: timestamp / 10 })),
    { timestamp: 300, atMs: 600 },
    ...[7000, 7100, 7999, 8000].map((timestamp) => ({ timestamp, atMs: 605 })),
  ];
  const partitions = { busy: steady(100), quiet };

  test("holds windows back until it is idle, is late when it comes back, and in time when it has caught up", async () => {
    const plays = [];
    for (const slotCount of [1, 2]) {
      const played = await play({
        parallelism: 2,
        slotCount,
        partitions,
        watermarks: withIdleness,
      });
      const at = (window: string) => played.firedAtMs.get(window) ?? Number.NaN;
      // The second is over at 100 ms; the other partition is idle 50 ms and two intervals after its last record, at 20 ms.
      expect(at("busy 0: 10")).toBeGreaterThanOrEqual(100);
      expect(at("busy 0: 10")).toBeLessThan(120);
      expect(at("quiet 0: 3")).toBe(at("busy 0: 10"));
      expect(at("busy 4: 10")).toBeLessThan(520);
      // Active again at 7,000 and more, it holds back what lies beyond, until it is idle again.
      expect(at("quiet 7: 3")).toBeGreaterThanOrEqual(800);
      expect(at("busy 7: 10")).toBe(at("quiet 7: 3"));
      expect(played.late).toEqual(["quiet 300"]);
      expect(played.output.filter((text) => text.startsWith("quiet"))).toEqual([
        "quiet 0: 3",
        "quiet 7: 3",
        "quiet 8: 1",
      ]);
      plays.push(played);
    }
    expect(plays[1]?.output).toEqual(plays[0]?.output);
  });

  test("does so where one reader reads both", async () => {
    const { firedAtMs, late, output } = await play({
      parallelism: 1,
      partitions,
      watermarks: withIdleness,
    });
    expect(firedAtMs.get("busy 0: 10")).toBeLessThan(120);
    expect(late).toEqual(["quiet 300"]);
    expect(output).toContain("quiet 7: 3");
  });

  test("holds windows back for ever if nothing makes it idle", async () => {
    const { firedAtMs, late } = await play({
      parallelism: 2,
      slotCount: 2,
      partitions,
      watermarks: strategy,
    });
    expect(firedAtMs.get("busy 0: 10")).toBeGreaterThan(600);
    expect(late).toEqual([]);
  });

  test("holds windows back before its first record, too", async () => {
    const { firedAtMs, output } = await play({
      parallelism: 1,
      partitions: { busy: steady(100), tardy: [{ timestamp: 150, atMs: 500 }] },
      watermarks: strategy,
    });
    expect(firedAtMs.get("busy 0: 10")).toBeGreaterThanOrEqual(500);
    expect(output).toContain("tardy 0: 1");
  });

  test("and a reader without a partition hold nothing back once that is idle", async () => {
    const { firedAtMs } = await play({
      parallelism: 3,
      slotCount: 3,
      partitions,
      isBounded: false,
      watermarks: withIdleness,
      look: ({ job, elapsedMs }) => {
        if (elapsedMs === 500) job.cancel();
      },
    });
    expect(firedAtMs.get("busy 0: 10")).toBeLessThan(120);
  });
});

describe("watermarks after a restart", () => {
  test("go on also where a reader does not say of which split a record is", async () => {
    const firedAtMs = new Map<number, number>();
    let restarts = 0;
    await playJob({
      settings: SETTINGS,
      slotCount: 2,
      look: ({ job, slots, elapsedMs }) => {
        if (elapsedMs === 200) slots[1]?.lose(new Error("gone"));
        if (elapsedMs === 700) job.cancel();
        restarts = job.master.restartCount;
      },
      define: (env, { elapsedMs }) => {
        env.setParallelism(2);
        env
          .fromSource(
            generatorSource((index) => index * 100, { recordsPerSecond: 100, type: Types.long() }),
            WatermarkStrategy.forMonotonousTimestamps<number>().withTimestampAssigner(
              (time) => time,
            ),
          )
          .uid("numbers")
          .keyBy(() => 0, Types.int())
          .window(TumblingEventTimeWindows.of("1 s"))
          .reduce((a, b) => Math.min(a, b))
          .uid("firsts")
          .map((first) => {
            firedAtMs.set(first / 1000, elapsedMs());
            return first;
          })
          .uid("notes")
          .sinkTo(collectSink())
          .uid("sink");
      },
    });
    expect(restarts).toBe(1);
    expect(firedAtMs.get(1)).toBeLessThan(300);
    expect(firedAtMs.get(4)).toBeLessThan(600);
  });
});
