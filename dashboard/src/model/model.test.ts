import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { madeDetail, recorded } from "../testing/recorded.ts";
import { compareCheckpoints } from "./compare-checkpoints.ts";
import { historyOf } from "./from-flink.ts";
import { layoutGraph } from "./graph-layout.ts";
import { pressureCauseOf, pressuresOf } from "./pressure.ts";
import { binned, skewOf } from "./skew.ts";
import { ticksUpTo } from "./time-axis.ts";
import { producersOf, sortTopologically, topologyOf } from "./topology.ts";

describe("answers of Flink", () => {
  test("a recorded history is read with the newest first", () => {
    const history = historyOf(recorded("hot-key", "checkpoints"));
    expect(
      history.checkpoints.map(({ checkpointId, status }) => `${checkpointId} ${status}`),
    ).toEqual(["3 IN_PROGRESS", "2 FAILED", "1 FAILED"]);
    expect(history.checkpoints[1]).toMatchObject({
      durationMs: 8_049,
      failureMessage: "Checkpoint expired before completing.",
      acknowledgedSubtaskCount: 4,
    });
    expect(history.checkpoints[0]?.durationMs).toBeUndefined();
  });

  test("an answer with other contents reads as empty and does not fail", () => {
    fc.assert(
      fc.property(fc.json(), (json) => {
        const answer: unknown = JSON.parse(json);
        expect(historyOf(answer).checkpoints).toBeInstanceOf(Array);
        expect(topologyOf(answer)).toBeInstanceOf(Array);
        expect(pressuresOf(answer)).toBeInstanceOf(Array);
      }),
    );
  });

  test("vertices come in the order of the flow, whatever the plan's order", () => {
    expect(topologyOf(recorded("hot-key", "job")).map(({ name }) => name)).toEqual([
      "Source: orders",
      "totals-per-customer",
      "warehouse: Writer -> warehouse: Committer",
    ]);
  });

  test("a busy ratio that was not measured stays unknown", () => {
    expect(
      pressuresOf({ status: "ok", subtasks: [{ subtask: 0, busyRatio: "NaN", ratio: 0.5 }] }),
    ).toEqual([
      { subtaskIndex: 0, busyRatio: undefined, backpressuredRatio: 0.5, idleRatio: undefined },
    ]);
  });
});

describe("topology", () => {
  test("a rescaled edge connects each consumer with its share of the producers", () => {
    const topology = [
      { vertexId: "a", name: "a", parallelism: 4, inputs: [] },
      {
        vertexId: "b",
        name: "b",
        parallelism: 2,
        inputs: [{ vertexId: "a", shipStrategy: "RESCALE" }],
      },
    ];
    expect(
      producersOf(topology, { vertexId: "b", subtaskIndex: 1 }).map(
        ({ subtaskIndex }) => subtaskIndex,
      ),
    ).toEqual([2, 3]);
  });

  test.each([
    [5, 3, [[0], [1, 2], [3, 4]]],
    [2, 3, [[0], [0], [1]]],
    [3, 3, [[0], [1], [2]]],
  ])("a pointwise edge from %i to %i connects as Flink does", (producers, consumers, expected) => {
    const topology = [
      { vertexId: "a", name: "a", parallelism: producers, inputs: [] },
      {
        vertexId: "b",
        name: "b",
        parallelism: consumers,
        inputs: [{ vertexId: "a", shipStrategy: "RESCALE" }],
      },
    ];
    const found = expected.map((_, subtaskIndex) =>
      producersOf(topology, { vertexId: "b", subtaskIndex }).map((place) => place.subtaskIndex),
    );
    expect(found).toEqual(expected);
  });

  test("no vertex stands before one that feeds it", () => {
    const vertex = (vertexId: string, ...inputs: readonly string[]) => ({
      vertexId,
      name: vertexId,
      parallelism: 1,
      inputs: inputs.map((input) => ({ vertexId: input, shipStrategy: "" })),
    });
    const sorted = sortTopologically([
      vertex("c", "b"),
      vertex("b", "a"),
      vertex("a"),
      vertex("d", "a", "c"),
    ]);
    expect(sorted.map(({ vertexId }) => vertexId)).toEqual(["a", "b", "c", "d"]);
  });

  test("the layout flows from left to right", () => {
    const topology = topologyOf(recorded("hot-key", "job"));
    const layout = layoutGraph(topology, { vertexWidth: 200, vertexHeight: 100, direction: "LR" });
    const xs = layout.vertices.map(({ x }) => x);
    expect(xs).toEqual(xs.toSorted((left, right) => left - right));
    expect(new Set(xs).size).toBe(3);
    expect(layout.edges.map(({ shipStrategy }) => shipStrategy)).toEqual(["HASH", "REBALANCE"]);
  });
});

describe("pressure", () => {
  test("a vertex that is busy throughout is slow, not skewed", () => {
    const busy = [0.9, 0.95].map((busyRatio, subtaskIndex) => ({
      subtaskIndex,
      busyRatio,
      backpressuredRatio: 0,
      idleRatio: 0,
    }));
    expect(
      pressureCauseOf([{ vertexId: "a", subtaskIndex: 1 }], [], new Map([["a", busy]])),
    ).toEqual({
      kind: "busy",
      busyRatio: 0.95,
    });
  });
});

describe("comparison", () => {
  const before = madeDetail([
    {
      name: "totals",
      inputs: [],
      courses: [
        [10, 0, 5, 100, 120],
        [10, 0, 5, 90, 110],
      ],
    },
  ]);

  test("the greatest change comes first", () => {
    const after = madeDetail([
      {
        name: "totals",
        inputs: [],
        courses: [
          [10, 0, 5, 6_000, 6_020],
          [12, 0, 5, 90, 112],
        ],
      },
    ]);
    const { changes, durationChangeMs } = compareCheckpoints(before, after);
    expect(durationChangeMs).toBe(5_900);
    expect(
      changes.map(({ subtaskIndex, phase, changeMs }) => [subtaskIndex, phase, changeMs]),
    ).toEqual([
      [0, "async", 5_900],
      [1, "start-delay", 2],
    ]);
  });

  test("a subtask that no longer answers is a change of its whole course", () => {
    const after = madeDetail([
      { name: "totals", inputs: [], courses: [undefined, [10, 0, 5, 90, 110]] },
    ]);
    expect(compareCheckpoints(before, after).changes).toMatchObject([
      { subtaskIndex: 0, phase: "total", beforeMs: 120, afterMs: undefined, changeMs: 9_880 },
    ]);
  });

  test("a checkpoint does not differ from itself", () => {
    expect(compareCheckpoints(before, before)).toEqual({
      durationChangeMs: 0,
      stateSizeChangeBytes: 0,
      changes: [],
    });
  });
});

describe("skew", () => {
  test("it is 1 if even and the number of subtasks if one has all", () => {
    expect(skewOf([5, 5, 5, 5])?.ratio).toBe(1);
    expect(skewOf([0, 0, 12, 0])).toEqual({ ratio: 4, greatestIndex: 2 });
    expect(skewOf([0, 0])).toBeUndefined();
    expect(skewOf([7])).toBeUndefined();
  });

  test("bars keep the greatest value, however many subtasks there are", () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(), { minLength: 1, maxLength: 300 }),
        fc.integer({ min: 1, max: 40 }),
        (values, limit) => {
          const bars = binned(values, limit);
          expect(bars.length).toBe(Math.min(values.length, limit));
          expect(Math.max(...bars)).toBe(Math.max(...values));
        },
      ),
    );
  });
});

test("a time axis has round ticks, not too many, and none beyond its end", () => {
  expect(ticksUpTo(8_076, 5)).toEqual([0, 2_000, 4_000, 6_000, 8_000]);
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 400_000_000 }),
      fc.integer({ min: 1, max: 10 }),
      (lengthMs, limit) => {
        const ticks = ticksUpTo(lengthMs, limit);
        expect(ticks.length).toBeLessThanOrEqual(limit + 1);
        expect(ticks.at(-1)).toBeLessThanOrEqual(lengthMs);
      },
    ),
  );
});
