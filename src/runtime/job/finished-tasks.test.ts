import { describe, expect, test } from "vitest";

import { collectSink } from "../../connectors/index.ts";
import { TumblingEventTimeWindows, WatermarkStrategy } from "../../operators/index.ts";
import { Types } from "../../serde/index.ts";
import {
  partitionedSource,
  type PartitionRecord,
  type TimedRecord,
} from "../../testing/partitioned-source.ts";
import { type PlayedJob, playJob } from "../../testing/simulation/play-job.ts";
import type { Job } from "./job.ts";

const SETTINGS: Readonly<Record<string, string>> = {
  "cutwater.operator-isolation": "shared",
  "pipeline.auto-watermark-interval": "5 ms",
  "execution.checkpointing.interval": "15 ms",
  "execution.checkpointing.dir": "/checkpoints",
  "restart-strategy.type": "fixed-delay",
  "restart-strategy.fixed-delay.attempts": "10",
  "restart-strategy.fixed-delay.delay": "5 ms",
};

/** A record each ms, and 100 ms of event time with it. */
function pace(count: number): readonly TimedRecord[] {
  return Array.from({ length: count }, (_, index) => ({ timestamp: index * 100, atMs: index }));
}

/** The source "mixed" has a reader that ends early and one that does not; both readers of "short" end early. */
const MIXED = { "mixed-short": pace(30), "mixed-long": pace(400) };
const SHORT = { "short-a": pace(40), "short-b": pace(25) };
const ALL = Object.entries({ ...MIXED, ...SHORT });

const counts = ALL.flatMap(([partition, records]) =>
  records.map((_, index) => `${partition} ${index + 1}`),
).toSorted();

const windows = ALL.flatMap(([partition, records]) =>
  Array.from(
    { length: Math.ceil(records.length / 10) },
    (_, second) => `${partition} from ${second}: ${Math.min(10, records.length - 10 * second)}`,
  ),
).toSorted();

interface Played {
  readonly counts: readonly string[];
  readonly windows: readonly string[];
  readonly restarts: number;
  /** The records of each partition that were read again, by their index. */
  readonly readAgain: ReadonlyMap<string, number>;
}

/** Counts the records of both sources by partition, one by one and in windows of a second. */
async function play(scene: Pick<PlayedJob, "slotCount" | "look">): Promise<Played> {
  const countSink = collectSink(Types.string());
  const windowSink = collectSink(Types.string());
  const seen = new Set<string>();
  const readAgain = new Map<string, number>();
  const note = (record: PartitionRecord): PartitionRecord => {
    const key = `${record.partition} ${record.index}`;
    if (seen.has(key)) readAgain.set(record.partition, (readAgain.get(record.partition) ?? 0) + 1);
    seen.add(key);
    return record;
  };
  const { restarts } = await playJob({
    ...scene,
    settings: SETTINGS,
    define: (env, { startMs }) => {
      env.setParallelism(2);
      const watermarks = WatermarkStrategy.forMonotonousTimestamps<PartitionRecord>();
      const [mixed, short] = [
        { name: "mixed", partitions: MIXED },
        { name: "short", partitions: SHORT },
      ].map(({ name, partitions }) =>
        env
          .fromSource(partitionedSource({ name, partitions, startMs, isBounded: true }), watermarks)
          .uid(name)
          .map(note)
          .uid(`${name}-notes`),
      );
      if (mixed === undefined || short === undefined) return;
      const keyed = mixed.union(short).keyBy(({ partition }) => partition, Types.string());
      keyed
        .aggregate(COUNT, { returns: TEXT_COUNT })
        .uid("counts")
        .map(({ key, count }) => `${key} ${count}`, { returns: Types.string() })
        .uid("count-texts")
        .sinkTo(countSink)
        .uid("count-sink");
      keyed
        .window(TumblingEventTimeWindows.of("1 s"))
        .aggregate(COUNT, (key, { start }, { count }) => `${key} from ${start / 1000}: ${count}`, {
          returns: Types.string(),
        })
        .uid("windows")
        .sinkTo(windowSink)
        .uid("window-sink");
    },
  });
  return {
    counts: countSink.records.toSorted(),
    windows: windowSink.records.toSorted(),
    restarts,
    readAgain,
  };
}

const TEXT_COUNT = Types.struct({ key: Types.string(), count: Types.int() });

const COUNT = {
  createAccumulator: () => ({ key: "", count: 0 }),
  add: ({ partition }: PartitionRecord, { count }: { count: number }) => ({
    key: partition,
    count: count + 1,
  }),
  getResult: (counted: { key: string; count: number }) => counted,
  merge: (a: { count: number }, b: { key: string; count: number }) => ({
    key: b.key,
    count: a.count + b.count,
  }),
};

/** The sources' tasks that have finished, as `name subtask`. */
function finishedSources({ master, graph }: Job): readonly string[] {
  return master.record.timelines.flatMap(({ task: { vertexId, subtaskIndex }, status }) => {
    const uid = graph.vertices.find(({ id }) => id === vertexId)?.operators[0]?.uid;
    return status === "FINISHED" && (uid === "mixed" || uid === "short")
      ? [`${uid} ${subtaskIndex}`]
      : [];
  });
}

describe("a job of which a part has finished", () => {
  for (const [slotCount, lostSlot] of [
    [1, 0],
    [2, 0],
    [2, 1],
  ] as const) {
    test(`goes on with the rest when slot ${lostSlot} of ${slotCount} is lost: what had finished is not read again`, async () => {
      let finished: readonly string[] = [];
      const played = await play({
        slotCount,
        look: ({ job, slots, elapsedMs }) => {
          if (elapsedMs !== 200) return;
          finished = finishedSources(job).toSorted();
          slots[lostSlot]?.lose(new Error("gone"));
        },
      });
      expect(finished).toEqual(["mixed 0", "short 0", "short 1"]);
      expect(played.restarts).toBe(1);
      expect([...played.readAgain.keys()]).toEqual(["mixed-long"]);
      expect(played.counts).toEqual(counts);
      expect(played.windows).toEqual(windows);
    });
  }

  test("takes checkpoints, and survives one failure after the other", async () => {
    const completed = new Map<number, number>();
    const played = await play({
      slotCount: 2,
      look: ({ job, slots, elapsedMs }) => {
        completed.set(elapsedMs, job.statistics.counts.completed);
        if (elapsedMs % 60 === 25) slots[elapsedMs % 2]?.lose(new Error("gone"));
      },
    });
    expect(played.restarts).toBeGreaterThan(4);
    expect((completed.get(380) ?? 0) - (completed.get(100) ?? 0)).toBeGreaterThan(5);
    expect(played.counts).toEqual(counts);
    expect(played.windows).toEqual(windows);
  });

  test("ends exactly once when it fails while the last of it finishes", async () => {
    let restarts = 0;
    for (let failAtMs = 398; failAtMs <= 422; failAtMs += 8) {
      const played = await play({
        slotCount: 2,
        look: ({ slots, elapsedMs }) => {
          if (elapsedMs === failAtMs) slots[0]?.lose(new Error("gone"));
        },
      });
      restarts += played.restarts;
      expect(played.counts).toEqual(counts);
      expect(played.windows).toEqual(windows);
    }
    expect(restarts).toBeGreaterThan(1);
  });
});
