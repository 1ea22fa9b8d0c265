import fc from "fast-check";
import { expect, test } from "vitest";
import { isStreamError } from "../base/index.ts";
import {
  type JobGraphScenarioConfig,
  type JobGraphScenarioOperator,
  scenarioJobGraph,
} from "../testing/conformance/kinds/job-graph.ts";
import type { JobGraph } from "./job-graph.ts";
import { jobIdOfName, operatorIdOfUid } from "./operator-id.ts";
import { jobPlanOf, renderPlan } from "./plan.ts";

function operatorIds(config: JobGraphScenarioConfig): Record<string, string> {
  const operators = scenarioJobGraph(config).vertices.flatMap((vertex) => vertex.operators);
  return Object.fromEntries(operators.map(({ name, id }) => [name, id]));
}

const branching: JobGraphScenarioConfig = {
  operators: [
    { id: "Source: orders", uid: "orders" },
    { id: "Map", inputs: [{ from: "Source: orders" }] },
    { id: "Sink: a", kind: "sink", inputs: [{ from: "Map" }] },
    { id: "Filter", inputs: [{ from: "Map" }] },
    { id: "Sink: b", kind: "sink", inputs: [{ from: "Filter" }] },
    { id: "Count", uid: "count", parallelism: 4, inputs: [{ from: "Map", partitioner: "hash" }] },
    { id: "Sink: <counts>", kind: "sink", inputs: [{ from: "Count" }], parallelism: 4 },
  ],
};

function codeOf(build: () => unknown): string | undefined {
  try {
    build();
    return undefined;
  } catch (error) {
    if (isStreamError(error)) return error.code;
    throw error;
  }
}

test("a uid becomes Flink's operator id", () => {
  expect(operatorIdOfUid("CheckpointingSource2")).toBe("1f2b5df5a66154aca61fcb26193792be");
  expect(operatorIdOfUid("uid with ünïcödé")).toBe("75a5be066b615cea7ad47ca26cf723a8");
  expect(operatorIdOfUid("")).toBe("00000000000000000000000000000000");
});

test("a job's id is 32 hex digits and differs by name", () => {
  expect(jobIdOfName("a")).toMatch(/^[0-9a-f]{32}$/);
  expect(jobIdOfName("a")).not.toBe(jobIdOfName("b"));
});

test("operators without uid get the ids that Flink gives them, which change with chaining", () => {
  const operators = [
    { id: "src" },
    { id: "m1", inputs: [{ from: "src" }] },
    { id: "m2", inputs: [{ from: "m1" }] },
  ];
  expect(operatorIds({ operators })).toEqual({
    src: "cbc357ccb763df2852fee8c4fc7d55f2",
    m1: "570f707193e0fe32f4d86d067aba243b",
    m2: "b728d985904d42b0fdd945a9e3253fca",
  });
  expect(operatorIds({ operators, chaining: false })).toEqual({
    src: "bc764cd8ddf7a0cff126f51c16239658",
    m1: "0a448493b4782967b150582570326227",
    m2: "ea632d67b7d595e5b851708ae9ad79d6",
  });
});

test("a chain with branches is named as Flink names it, and its operators stand depth first", () => {
  const [vertex] = scenarioJobGraph(branching).vertices;
  expect(vertex?.name).toBe("Source: orders -> Map -> (Sink: a, Filter -> Sink: b)");
  expect(vertex?.operators.map((operator) => [operator.name, operator.chainedTo])).toEqual([
    ["Source: orders", undefined],
    ["Map", 0],
    ["Sink: a", 1],
    ["Filter", 1],
    ["Sink: b", 3],
  ]);
});

test("the edge to another vertex names the operator within the chain whose output it is", () => {
  const { edges, vertices } = scenarioJobGraph(branching);
  expect(edges).toHaveLength(1);
  expect(edges[0]?.sourceOperator).toBe(1);
  expect(edges[0]?.targetVertexId).toBe(vertices[1]?.id);
  expect(edges[0]?.partitioner.kind).toBe("hash");
});

test("unequal parallelism without a partitioner means rebalance", () => {
  const { edges } = scenarioJobGraph({
    operators: [{ id: "src" }, { id: "m", parallelism: 2, inputs: [{ from: "src" }] }],
  });
  expect(edges.map((edge) => edge.partitioner.kind)).toEqual(["rebalance"]);
});

test("max parallelism is derived from the parallelism unless it is set", () => {
  const { vertices } = scenarioJobGraph({
    operators: [
      { id: "src", parallelism: 200 },
      { id: "m", parallelism: 2, maxParallelism: 7, inputs: [{ from: "src" }] },
    ],
  });
  expect(vertices.map((v) => [v.maxParallelism, v.isMaxParallelismConfigured])).toEqual([
    [512, false],
    [7, true],
  ]);
});

test("inputs with different slot sharing groups lead to the default group", () => {
  const { vertices } = scenarioJobGraph({
    operators: [
      { id: "a", slotSharingGroup: "x" },
      { id: "b", slotSharingGroup: "y" },
      { id: "c", kind: "connect", inputs: [{ from: "a" }, { from: "b" }] },
      { id: "d", slotSharingGroup: "x", inputs: [{ from: "a" }] },
    ],
  });
  expect(vertices.map((v) => [v.name, v.slotSharingGroup])).toEqual([
    ["a -> d", "x"],
    ["b", "y"],
    ["c", "default"],
  ]);
});

test("what Flink refuses is refused with a code of its own", () => {
  const withMap = (map: Partial<JobGraphScenarioOperator>) => () =>
    scenarioJobGraph({
      operators: [
        { id: "src", uid: "x" },
        { id: "m", inputs: [{ from: "src" }], ...map },
      ],
    });
  expect(codeOf(withMap({ uid: "x" }))).toBe("DUPLICATE_UID");
  expect(
    codeOf(withMap({ parallelism: 2, inputs: [{ from: "src", partitioner: "forward" }] })),
  ).toBe("FORWARD_CHANGES_PARALLELISM");
  expect(codeOf(withMap({ parallelism: 200, maxParallelism: 128 }))).toBe("PARALLELISM_INVALID");
  expect(codeOf(withMap({ parallelism: 0 }))).toBe("PARALLELISM_INVALID");
  expect(codeOf(withMap({ maxParallelism: 32_769 }))).toBe("PARALLELISM_INVALID");
  expect(codeOf(() => scenarioJobGraph({ operators: [{ id: "src" }] }))).toBe(
    "JOB_WITHOUT_OPERATORS",
  );
});

test("the plan has Flink's form, with the chain as a tree", () => {
  const plan = jobPlanOf(scenarioJobGraph(branching));
  expect(plan.nodes.map((node) => node.description)).toEqual([
    "Source: orders<br/>+- Map<br/>   :- Sink: a<br/>   +- Filter<br/>      +- Sink: b<br/>",
    "Count<br/>+- Sink: &lt;counts&gt;<br/>",
  ]);
  expect(plan.nodes[0]).not.toHaveProperty("inputs");
  expect(plan.nodes[1]?.inputs).toEqual([
    { num: 0, id: plan.nodes[0]?.id, ship_strategy: "HASH", exchange: "pipelined_bounded" },
  ]);
});

test("the plan as text is stable", async () => {
  await expect(renderPlan(scenarioJobGraph(branching))).toMatchFileSnapshot(
    "../../test/golden/plan/branching.txt",
  );
});

const partitioner = fc.constantFrom(
  "none",
  "none",
  "none",
  "hash",
  "rebalance",
  "broadcast",
  "rescale",
  "shuffle",
  "global",
);

/** A random job: each operator reads from one or two that stand before it. */
const randomJob: fc.Arbitrary<JobGraphScenarioConfig> = fc
  .array(
    fc.record({
      from: fc.array(fc.tuple(fc.nat(), partitioner), { minLength: 0, maxLength: 2 }),
      parallelism: fc.constantFrom(1, 1, 1, 2),
      kind: fc.constantFrom("map" as const, "connect" as const),
      chain: fc.constantFrom(
        undefined,
        undefined,
        undefined,
        "startNew" as const,
        "disable" as const,
      ),
      hasUid: fc.boolean(),
    }),
    { minLength: 1, maxLength: 12 },
  )
  .map((rows) => {
    const operators = rows.map((row, index): JobGraphScenarioOperator => {
      const inputs =
        index === 0
          ? []
          : row.from.map(([at, by]) => ({ from: `n${at % index}`, partitioner: by }));
      return {
        id: `n${index}`,
        parallelism: row.parallelism,
        kind: row.kind,
        ...(row.hasUid ? { uid: `uid-${index}` } : {}),
        ...(row.chain === undefined ? {} : { chain: row.chain }),
        ...(inputs.length === 0 ? {} : { inputs }),
      };
    });
    // Something must read every source, else it is no part of the job.
    const last: JobGraphScenarioOperator = {
      id: "end",
      inputs: operators.map(({ id }) => ({ from: id, partitioner: "rebalance" })),
    };
    return { operators: [...operators, last] };
  });

/** Every pair of operators that exchange records, by a call within a chain or by an edge. */
function links(graph: JobGraph): readonly string[] {
  const byVertex = new Map(graph.vertices.map((vertex) => [vertex.id, vertex]));
  const inside = graph.vertices.flatMap((vertex) =>
    vertex.operators.flatMap((operator) =>
      operator.chainedTo === undefined
        ? []
        : [`${vertex.operators[operator.chainedTo]?.name} -> ${operator.name}`],
    ),
  );
  const across = graph.edges.map((edge) => {
    const source = byVertex.get(edge.sourceVertexId)?.operators[edge.sourceOperator];
    return `${source?.name} -> ${byVertex.get(edge.targetVertexId)?.operators[0]?.name}`;
  });
  return [...inside, ...across];
}

test("a random job keeps every operator and every edge, in topological order, with ids that differ", () => {
  fc.assert(
    fc.property(randomJob, (config) => {
      const graph = scenarioJobGraph(config);
      const names = graph.vertices.flatMap((vertex) =>
        vertex.operators.map((operator) => operator.name),
      );
      expect(names.toSorted()).toEqual(config.operators.map(({ id }) => id).toSorted());
      const expected = config.operators.flatMap(({ id, inputs }) =>
        (inputs ?? []).map(({ from }) => `${from} -> ${id}`),
      );
      expect(links(graph).toSorted()).toEqual(expected.toSorted());
      const ids = graph.vertices.flatMap((vertex) =>
        vertex.operators.map((operator) => operator.id),
      );
      expect(new Set(ids).size).toBe(ids.length);
      const place = new Map(graph.vertices.map((vertex, index) => [vertex.id, index]));
      for (const edge of graph.edges) {
        expect(place.get(edge.sourceVertexId)).toBeLessThan(place.get(edge.targetVertexId) ?? -1);
      }
    }),
  );
});

test("a chain crosses neither a partitioner nor a second edge, and only equal parallelism is chained", () => {
  fc.assert(
    fc.property(randomJob, (config) => {
      const described = new Map(config.operators.map((operator) => [operator.id, operator]));
      for (const vertex of scenarioJobGraph(config).vertices) {
        for (const operator of vertex.operators) {
          if (operator.chainedTo === undefined) continue;
          const description = described.get(operator.name);
          const before = described.get(vertex.operators[operator.chainedTo]?.name ?? "");
          expect(description?.inputs).toHaveLength(1);
          expect(description?.inputs?.[0]?.partitioner).toBe("none");
          expect(description?.chain).toBeUndefined();
          expect(before?.chain).not.toBe("disable");
          expect(before?.parallelism).toBe(description?.parallelism);
        }
      }
    }),
  );
});
