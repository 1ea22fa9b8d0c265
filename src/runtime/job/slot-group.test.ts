import { describe, expect, test } from "vitest";

import { type DataStream, defineJob } from "../../api/index.ts";
import { Configuration } from "../../base/index.ts";
import { collectSink } from "../../connectors/index.ts";
import { TumblingEventTimeWindows, WatermarkStrategy } from "../../operators/index.ts";
import { Types } from "../../serde/index.ts";
import { drive } from "../../testing/simulation/drive.ts";
import { playJob } from "../../testing/simulation/play-job.ts";
import { quietMachine } from "../../testing/simulation/quiet-machine.ts";
import { startJob } from "./job.ts";
import { assignSlots, requiredSlots } from "./slot-assignment.ts";
import type { LocalSlot } from "./slots.ts";

/** Small batches and tiny rings, so that rings run full and records travel in pieces. */
const PACING = {
  recordsPerCall: 4,
  channelLimits: () => ({ batchSize: 4, capacityRecords: 8, capacityBatches: 4 }),
  order: <T>(tasks: readonly T[]) => tasks,
  skips: () => false,
  roundsPerTurn: () => 2,
  turnMs: 5,
  flushMs: 1,
};

const SETTINGS = {
  "execution.checkpointing.interval": "10 ms",
  "execution.checkpointing.dir": "/checkpoints",
  "restart-strategy.type": "fixed-delay",
  "restart-strategy.fixed-delay.attempts": "100",
  "restart-strategy.fixed-delay.delay": "5 ms",
  "cutwater.operator-isolation": "shared",
  "cutwater.slot.ring-size": "4 kb",
};

function configurationOf(settings: Readonly<Record<string, string>>): Configuration {
  return new Configuration(
    Object.entries({ ...SETTINGS, ...settings }).map(([key, value]) => ({
      key,
      value,
      origin: "flag",
      place: "test",
    })),
  );
}

const Word = Types.struct({ word: Types.string(), number: Types.int(), text: Types.string() });

type Words = DataStream<{ readonly word: string; readonly number: number; readonly text: string }>;

interface RunOptions {
  readonly count?: number;
  readonly settings?: Readonly<Record<string, string>>;
}

interface Run {
  readonly output: readonly string[];
  readonly restarts: number;
  readonly slots: readonly LocalSlot[];
  /** Bytes that all tasks have read and written. */
  readonly bytes: { readonly in: number; readonly out: number };
}

/** Runs a job of some words through whatever `spread` does, windowed counts behind it. */
async function run(
  spread: (words: Words) => Words,
  slotCount: number,
  disturb?: (slots: readonly LocalSlot[], step: number) => void,
  { count = 600, settings = {} }: RunOptions = {},
): Promise<Run> {
  const configuration = configurationOf(settings);
  const machine = quietMachine();
  const sink = collectSink(Types.string());
  const definition = defineJob("words", (env) => {
    env.setParallelism(4);
    const words: Words = env
      .fromGenerator(
        (index) => ({
          word: `w${index % 13}`,
          number: index,
          text: index % 97 === 0 ? "x".repeat(9000) : `text ${index % 7}`,
        }),
        { count, type: Word },
      )
      .assignTimestampsAndWatermarks(
        WatermarkStrategy.forMonotonousTimestamps<{ readonly number: number }>()
          .withTimestampAssigner(({ number }) => number * 1000)
          .withIdleness("1 min"),
      )
      .uid("words");
    spread(words)
      .map((word) => ({ ...word, text: word.text.slice(0, 9) }), { returns: Word })
      .uid("map")
      .keyBy(({ word }) => word, Types.string())
      .window(TumblingEventTimeWindows.of("1 min"))
      .reduce((a, b) => ({ ...a, number: a.number + b.number }))
      .uid("sums")
      .map(({ word, number }) => `${word} ${number}`, { returns: Types.string() })
      .uid("texts")
      .rebalance()
      .sinkTo(sink)
      .uid("sink");
  });
  const slots: LocalSlot[] = [];
  const job = await drive(
    machine.platform,
    startJob(definition.build(configuration), configuration, {
      platform: machine.platform,
      pacing: PACING,
      slotCount,
      onSlot: (slot) => slots.push(slot),
    }),
  );
  let step = 0;
  const look = (): void => {
    disturb?.(slots, step++);
    if (job.status === "RUNNING" || job.status === "RESTARTING") machine.platform.after(1, look);
  };
  look();
  const { restarts } = await drive(machine.platform, job.result);
  const tasks = job.master.taskMetrics();
  const bytes = {
    in: tasks.reduce((sum, { numBytesIn }) => sum + numBytesIn, 0),
    out: tasks.reduce((sum, { numBytesOut }) => sum + numBytesOut, 0),
  };
  return { output: sink.records.toSorted(), restarts, slots, bytes };
}

const PARTITIONERS: Readonly<Record<string, (words: Words) => Words>> = {
  forward: (words) => words.forward(),
  hash: (words) => words.keyBy(({ number }) => number % 5, Types.int()),
  rebalance: (words) => words.rebalance(),
  rescale: (words) => words.rescale(),
  shuffle: (words) => words.shuffle(),
  global: (words) => words.global(),
  custom: (words) =>
    words.partitionCustom(
      ({ number }) => number,
      (key, count) => key % count,
    ),
  broadcast: (words) => words.broadcast().filter(({ number }) => number % 4 === 0),
};

describe("a job in several slots", () => {
  test("counts the bytes between its slots, at both ends, and none within one", async () => {
    const spread = (words: Words): Words => words.rebalance();
    expect((await run(spread, 1)).bytes).toEqual({ in: 0, out: 0 });
    const { bytes } = await run(spread, 2);
    expect(bytes.out).toBeGreaterThan(10_000);
    expect(bytes.in).toBe(bytes.out);
  });

  for (const [name, spread] of Object.entries(PARTITIONERS)) {
    test(`gives the same on 2, 3 and 4 slots as on one: ${name}`, async () => {
      const one = await run(spread, 1);
      expect(one.output.length).toBeGreaterThan(30);
      for (const slotCount of [2, 3, 4]) {
        const several = await run(spread, slotCount);
        expect(several.slots.length).toBe(slotCount);
        expect(several.output).toEqual(one.output);
      }
    });
  }

  test("goes on from its newest checkpoint when one slot is lost, exactly once", async () => {
    const one = await run((words) => words.rebalance(), 1, undefined, { count: 3000 });
    const disturbed = await run(
      (words) => words.rebalance(),
      3,
      (slots, step) => {
        if ([4, 12, 20, 28].includes(step)) slots[step % 3]?.lose(new Error("gone"));
      },
      { count: 3000 },
    );
    expect(disturbed.restarts).toBeGreaterThan(1);
    expect(disturbed.output).toEqual(one.output);
  });

  test("does so with barriers that overtake what lies in the rings", async () => {
    const settings = {
      "execution.checkpointing.unaligned.enabled": "true",
    };
    const one = await run((words) => words.rebalance(), 1, undefined, { count: 2000 });
    for (const slotCount of [2, 4]) {
      const disturbed = await run(
        (words) => words.rebalance(),
        slotCount,
        (slots, step) => {
          if ([5, 13, 21].includes(step)) slots[step % slotCount]?.lose(new Error("gone"));
        },
        { count: 2000, settings },
      );
      expect(disturbed.restarts).toBeGreaterThan(0);
      expect(disturbed.output).toEqual(one.output);
    }
  });

  test("keeps the operators of a slot sharing group, and what inherits it, in slots of their own", async () => {
    const placed = new Map<string, string>();
    await playJob({
      slotCount: 5,
      settings: SETTINGS,
      look: ({ slots }) => {
        for (const [index, { tasks }] of slots.entries())
          for (const { name } of tasks) placed.set(name.replace(/#\d+$/, ""), String(index));
      },
      define: (env) => {
        env.setParallelism(2);
        env
          .fromGenerator((index) => index, { count: 50, type: Types.int() })
          .name("numbers")
          .rebalance()
          .map((number) => number, { returns: Types.int() })
          .name("heavy")
          .setParallelism(3)
          .slotSharingGroup("heavy")
          .rebalance()
          .map((number) => number, { returns: Types.int() })
          .name("heir")
          .sinkTo(collectSink())
          .slotSharingGroup("default")
          .name("sink");
      },
    });
    const slotsOf = (name: string) =>
      [...placed].flatMap(([task, slot]) => (task.includes(name) ? [slot] : [])).toSorted();
    expect(slotsOf("numbers")).toEqual(["0", "1"]);
    expect(slotsOf("heavy")).toEqual(["2", "3", "4"]);
    expect(slotsOf("heir")).toEqual(["2", "3"]);
    expect(slotsOf("sink")).toEqual(["0", "1"]);
  });

  test("fails with the names of edge and field when a record cannot cross between slots", async () => {
    const machine = quietMachine();
    const definition = defineJob("unfit", (env) => {
      env.setParallelism(2);
      env
        .fromGenerator((index) => ({ number: index + 0.5 }), {
          count: 10,
          type: Types.struct({ number: Types.int() }),
        })
        .name("halves")
        .rebalance()
        .sinkTo(collectSink())
        .name("numbers");
    });
    const withoutCheckpoints = new Configuration(
      configurationOf({})
        .entries()
        .filter(({ key }) => key === "cutwater.operator-isolation"),
    );
    const job = await drive(
      machine.platform,
      startJob(definition.build(), withoutCheckpoints, {
        platform: machine.platform,
        slotCount: 2,
      }),
    );
    await expect(drive(machine.platform, job.result)).rejects.toMatchObject({
      cause: {
        code: "VALUE_NOT_SERIALIZABLE",
        details: { where: "the edge from Source: halves to Sink: numbers", path: "number" },
      },
    });
  });
});

describe("the slot of a subtask", () => {
  const graph = (groups: readonly (readonly [string, number])[]) =>
    ({
      vertices: groups.map(([slotSharingGroup, parallelism], index) => ({
        id: `v${index}`,
        slotSharingGroup,
        parallelism,
      })),
    }) as unknown as Parameters<typeof requiredSlots>[0];

  test("is its number, modulo the number of slots, in every vertex", () => {
    const slotOf = assignSlots(
      graph([
        ["default", 4],
        ["default", 2],
      ]),
      2,
    );
    expect([0, 1, 2, 3].map((subtask) => slotOf("v0", subtask))).toEqual([0, 1, 0, 1]);
    expect([0, 1].map((subtask) => slotOf("v1", subtask))).toEqual([0, 1]);
  });

  test("of another slot sharing group lies behind those of the first", () => {
    const groups = graph([
      ["default", 2],
      ["heavy", 3],
      ["default", 1],
    ]);
    expect(requiredSlots(groups)).toBe(5);
    const slotOf = assignSlots(groups, 5);
    expect([0, 1].map((subtask) => slotOf("v0", subtask))).toEqual([0, 1]);
    expect([0, 1, 2].map((subtask) => slotOf("v1", subtask))).toEqual([2, 3, 4]);
    expect(slotOf("v2", 0)).toBe(0);
  });
});
