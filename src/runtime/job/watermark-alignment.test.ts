import { describe, expect, test } from "vitest";

import { collectSink } from "../../connectors/index.ts";
import { WatermarkStrategy } from "../../operators/index.ts";
import { Types } from "../../serde/index.ts";
import {
  partitionedSource,
  type PartitionedSourceOptions,
  type PartitionRecord,
  type TimedRecord,
} from "../../testing/partitioned-source.ts";
import { type JobScene, type PlayedJob, playJob } from "../../testing/simulation/play-job.ts";

const SETTINGS: Readonly<Record<string, string>> = {
  "execution.checkpointing.interval": "20 ms",
  "execution.checkpointing.dir": "/checkpoints",
  "restart-strategy.type": "fixed-delay",
  "restart-strategy.fixed-delay.attempts": "100",
  "restart-strategy.fixed-delay.delay": "5 ms",
  "cutwater.operator-isolation": "shared",
};

/** Records whose event time rises by 100 ms each, one every `everyMs`. */
function pace(count: number, everyMs: number, firstMs = 0): readonly TimedRecord[] {
  return Array.from({ length: count }, (_, index) => ({
    timestamp: index * 100,
    atMs: firstMs + index * everyMs,
  }));
}

const MAX_DRIFT_MS = 1000;
/** How often readers report and hear of each other, in ms. */
const UPDATE_MS = 5;

const aligned: WatermarkStrategy<PartitionRecord> =
  WatermarkStrategy.forMonotonousTimestamps<PartitionRecord>()
    .punctuated()
    .withWatermarkAlignment("group", MAX_DRIFT_MS, UPDATE_MS);

/** Event time that a partition passes until it hears that it is too far: two intervals and what messages take, a record a millisecond. */
const UNHEARD_MS = 3 * UPDATE_MS * 100;

interface Scene extends Omit<PlayedJob, "define" | "settings" | "look"> {
  readonly parallelism: number;
  readonly sources: readonly (Omit<PartitionedSourceOptions, "startMs"> & {
    readonly watermarks?: WatermarkStrategy<PartitionRecord>;
  })[];
  readonly settings?: Readonly<Record<string, string>>;
  readonly look?: (scene: JobScene & { readonly read: readonly PartitionRecord[] }) => void;
}

interface Played {
  readonly output: readonly string[];
  /** In the order in which they were read, over all attempts. */
  readonly read: readonly PartitionRecord[];
  readonly restarts: number;
}

async function play(scene: Scene): Promise<Played> {
  const read: PartitionRecord[] = [];
  const sink = collectSink(Types.string());
  const note = (record: PartitionRecord): string => {
    read.push(record);
    return `${record.partition} ${record.index}`;
  };
  const { restarts } = await playJob({
    slotCount: scene.slotCount,
    settings: { ...SETTINGS, ...scene.settings },
    look: (seen) => scene.look?.({ ...seen, read }),
    define: (env, { startMs }) => {
      env.setParallelism(scene.parallelism);
      for (const { watermarks = aligned, ...options } of scene.sources) {
        env
          .fromSource(partitionedSource({ ...options, startMs }), watermarks)
          .uid(`source-${options.name}`)
          .map(note, { returns: Types.string() })
          .uid(`notes-${options.name}`)
          .sinkTo(sink)
          .uid(`sink-${options.name}`);
      }
    },
  });
  return { output: sink.records.toSorted(), read, restarts };
}

/** The furthest that one partition was ahead of another, from when both had a record until the other's last. */
function greatestLead(read: readonly PartitionRecord[], ahead: string, behind: string): number {
  const lastBehind = read.findLastIndex(({ partition }) => partition === behind);
  let lead = Number.NEGATIVE_INFINITY;
  let at: number | undefined;
  for (const { partition, timestamp } of read.slice(0, lastBehind)) {
    if (partition === behind) at = timestamp;
    else if (partition === ahead && at !== undefined) lead = Math.max(lead, timestamp - at);
  }
  return lead;
}

/** One partition brings a second's worth of event time every 10 ms, the other every 100 ms. */
const FAST_AND_SLOW = { fast: pace(400, 1), slow: pace(60, 10) };
const everyRecord = [
  ...Array.from({ length: 400 }, (_, index) => `fast ${index}`),
  ...Array.from({ length: 60 }, (_, index) => `slow ${index}`),
].toSorted();

describe("watermark alignment", () => {
  test("without it a fast partition runs away", async () => {
    const free = WatermarkStrategy.forMonotonousTimestamps<PartitionRecord>().punctuated();
    const { read, output } = await play({
      parallelism: 2,
      slotCount: 2,
      sources: [{ partitions: FAST_AND_SLOW, isBounded: true, watermarks: free }],
    });
    expect(greatestLead(read, "fast", "slow")).toBeGreaterThan(30_000);
    expect(output).toEqual(everyRecord);
  });

  test("holds back a fast subtask for a slow one, on one slot and across slots", async () => {
    for (const slotCount of [1, 2]) {
      const { read, output } = await play({
        parallelism: 2,
        slotCount,
        sources: [{ partitions: FAST_AND_SLOW, isBounded: true }],
      });
      expect(greatestLead(read, "fast", "slow")).toBeLessThanOrEqual(MAX_DRIFT_MS + UNHEARD_MS);
      expect(greatestLead(read, "fast", "slow")).toBeGreaterThan(MAX_DRIFT_MS - 200);
      expect(output).toEqual(everyRecord);
    }
  });

  test("holds back one partition of a reader and reads the others on", async () => {
    const { read, output } = await play({
      parallelism: 1,
      sources: [{ partitions: FAST_AND_SLOW, isBounded: true }],
    });
    expect(greatestLead(read, "fast", "slow")).toBeLessThanOrEqual(MAX_DRIFT_MS + UNHEARD_MS);
    expect(output).toEqual(everyRecord);
  });

  test("holds back a reader that knows nothing of that, as a whole", async () => {
    const { read, output } = await play({
      parallelism: 1,
      sources: [
        { name: "a", partitions: { fast: FAST_AND_SLOW.fast }, isBounded: true, canPause: false },
        { name: "b", partitions: { slow: FAST_AND_SLOW.slow }, isBounded: true, canPause: false },
      ],
    });
    expect(greatestLead(read, "fast", "slow")).toBeLessThanOrEqual(MAX_DRIFT_MS + UNHEARD_MS);
    expect(output).toEqual(everyRecord);
  });

  test("holds back one source for another of its group, and no source of another group", async () => {
    const other = WatermarkStrategy.forMonotonousTimestamps<PartitionRecord>()
      .punctuated()
      .withWatermarkAlignment("other", MAX_DRIFT_MS, UPDATE_MS);
    const { read } = await play({
      parallelism: 2,
      slotCount: 2,
      sources: [
        { name: "a", partitions: { fast: FAST_AND_SLOW.fast }, isBounded: true },
        { name: "b", partitions: { slow: FAST_AND_SLOW.slow }, isBounded: true },
        { name: "c", partitions: { free: pace(400, 1) }, isBounded: true, watermarks: other },
      ],
    });
    expect(greatestLead(read, "fast", "slow")).toBeLessThanOrEqual(MAX_DRIFT_MS + UNHEARD_MS);
    expect(greatestLead(read, "free", "slow")).toBeGreaterThan(30_000);
  });

  test("takes checkpoints while a source is held back", async () => {
    const silent = [...pace(2, 1), { timestamp: 200, atMs: 400 }];
    const counts = new Map<number, number>();
    const { output } = await play({
      parallelism: 2,
      slotCount: 2,
      sources: [{ partitions: { fast: pace(300, 1), silent }, isBounded: true }],
      look: ({ job, elapsedMs, read }) => {
        if (elapsedMs !== 100 && elapsedMs !== 390) return;
        counts.set(elapsedMs, job.statistics.counts.completed);
        expect(read.filter(({ partition }) => partition === "fast").length).toBeLessThan(50);
      },
    });
    expect((counts.get(390) ?? 0) - (counts.get(100) ?? 0)).toBeGreaterThan(10);
    expect(output.length).toBe(303);
  });

  test("waits for no source that is idle, and again once it is not", async () => {
    const withIdleness = aligned.withIdleness("30 ms");
    const silent = [...pace(2, 1), { timestamp: 12_000, atMs: 200 }, ...pace(30, 10, 210)].map(
      ({ atMs }, index) => ({ timestamp: index < 2 ? index * 100 : 12_000 + index * 100, atMs }),
    );
    const reached = new Map<number, number>();
    await play({
      parallelism: 2,
      slotCount: 2,
      settings: { "pipeline.auto-watermark-interval": "5 ms" },
      sources: [
        { partitions: { fast: pace(2000, 1), silent }, isBounded: true, watermarks: withIdleness },
      ],
      look: ({ read, elapsedMs }) => {
        reached.set(
          elapsedMs,
          read.findLast(({ partition }) => partition === "fast")?.timestamp ?? 0,
        );
      },
    });
    expect(reached.get(30)).toBeLessThan(3000);
    expect(reached.get(190)).toBeGreaterThan(14_000);
    // Back at 12,000 and slow: the fast one stands until the other is as far.
    expect(reached.get(300)).toBe(reached.get(240));
  });

  test("starts anew after a restart, and nothing is lost or comes twice", async () => {
    const { read, output, restarts } = await play({
      parallelism: 2,
      slotCount: 2,
      sources: [{ partitions: FAST_AND_SLOW, isBounded: true }],
      look: ({ slots, elapsedMs }) => {
        if ([100, 230, 350].includes(elapsedMs)) slots[elapsedMs % 2]?.lose(new Error("gone"));
      },
    });
    expect(restarts).toBe(3);
    expect(output).toEqual(everyRecord);
    expect(greatestLead(read, "fast", "slow")).toBeLessThanOrEqual(MAX_DRIFT_MS + UNHEARD_MS);
  });

  test("ends with a savepoint while a source is held back", async () => {
    let stopped: Promise<string> | undefined;
    const { read } = await play({
      parallelism: 2,
      slotCount: 2,
      sources: [{ partitions: { fast: pace(300, 1), silent: pace(2, 1) }, isBounded: false }],
      settings: { "execution.checkpointing.savepoint-dir": "/savepoints" },
      look: ({ job, elapsedMs }) => {
        if (elapsedMs === 200) stopped = job.stopWithSavepoint({ drain: true });
      },
    });
    expect(await stopped).toContain("/savepoints");
    expect(read.length).toBeLessThan(60);
  });

  test("fails where a reader cannot hold back one partition, unless that is allowed (SPLITS_NOT_ALIGNABLE)", async () => {
    const scene: Scene = {
      parallelism: 1,
      sources: [{ partitions: FAST_AND_SLOW, isBounded: true, canPause: false }],
    };
    await expect(play(scene)).rejects.toMatchObject({
      cause: { code: "SPLITS_NOT_ALIGNABLE" },
    });
    const settings = {
      "pipeline.watermark-alignment.allow-unaligned-source-splits": "true",
    };
    expect((await play({ ...scene, settings })).output).toEqual(everyRecord);
  });
});
