import { expect, test } from "vitest";
import { isStreamError } from "../base/index.ts";
import type { JobEdge, JobGraph } from "../graph/index.ts";
import { outputTag } from "../operators/index.ts";
import { Types, type TypeSerializer } from "../serde/index.ts";
import { defineJob, type JobFunction } from "./job-definition.ts";

const Flight = Types.struct({ origin: Types.string(), delayMinutes: Types.int() });

function build(main: JobFunction): JobGraph {
  return defineJob("streams", main).build();
}

function keyTypes({ vertices, edges }: JobGraph): readonly unknown[] {
  const operators = vertices.flatMap((vertex) =>
    vertex.operators.flatMap(({ keyType }) => keyType?.typeName ?? []),
  );
  const hashes = edges.flatMap(({ partitioner }) =>
    partitioner.kind === "hash" ? [partitioner.keyType.typeName] : [],
  );
  return [operators, hashes];
}

function edgeTypes({ edges }: JobGraph): readonly string[] {
  return edges.map((edge: JobEdge) => edge.type.typeName);
}

function problemOf(main: JobFunction): string {
  try {
    build(main);
  } catch (error) {
    if (isStreamError(error, "PARAMETER_INVALID")) return error.message;
    throw error;
  }
  return "none";
}

test("the key's type is the declared one, or the declared field's, or speaks for itself", () => {
  const withKey = (keyed: Parameters<typeof build>[0]) => keyTypes(build(keyed));
  expect(
    withKey(
      (env) =>
        void env
          .fromCollection([], Flight)
          .keyBy("delayMinutes")
          .reduce((a) => a),
    ),
  ).toEqual([["int"], ["int"]]);
  expect(
    withKey(
      (env) =>
        void env
          .fromCollection([], Flight)
          .keyBy((f) => f.delayMinutes, Types.long())
          .reduce((a) => a),
    ),
  ).toEqual([["long"], ["long"]]);
  expect(
    withKey(
      (env) =>
        void env
          .fromCollection([], Flight)
          .keyBy((f) => f.delayMinutes)
          .reduce((a) => a),
    ),
  ).toEqual([["any"], ["any"]]);
});

test("a declared type goes to the edges, an undeclared one describes itself", () => {
  expect(
    edgeTypes(
      build((env) => {
        const flights = env.fromCollection([], Flight);
        flights
          .filter((flight) => flight.delayMinutes > 0)
          .keyBy("origin")
          .reduce((a) => a)
          .rebalance()
          .map((f) => f.origin)
          .rebalance()
          .map((o) => o);
      }),
    ),
  ).toEqual([Flight.typeName, Flight.typeName, "any"]);
  expect(
    edgeTypes(
      build((env) => {
        env
          .fromData(1)
          .map((n) => `${n}`, { returns: Types.string() })
          .rebalance()
          .map((s) => s)
          .returns(Types.string())
          .rebalance()
          .map((s) => s);
      }),
    ),
  ).toEqual(["string", "string"]);
});

test("uid, name, parallelism and chaining belong to the operator before them", () => {
  const graph = build((env) => {
    env
      .fromData(1)
      .uid("numbers")
      .name("numbers")
      .map((n) => n)
      .name("one")
      .startNewChain()
      .map((n) => n)
      .setUidHash("0123456789ABCDEF0123456789ABCDEF")
      .map((n) => n)
      .disableChaining()
      .map((n) => n)
      .setParallelism(3)
      .setMaxParallelism(12)
      .slotSharingGroup("other");
  });
  expect(
    graph.vertices.map((v) => [v.name, v.parallelism, v.maxParallelism, v.slotSharingGroup]),
  ).toEqual([
    ["Source: numbers", 1, 128, "default"],
    ["one -> Map", 1, 128, "default"],
    ["Map", 1, 128, "default"],
    ["Map", 3, 12, "other"],
  ]);
  expect(graph.vertices[0]?.operators[0]?.uid).toBe("numbers");
  expect(graph.vertices[1]?.operators[1]?.alternativeId).toBe("0123456789abcdef0123456789abcdef");
});

test("of two partitioners the one nearer to the reader counts, and a union keeps each side's", () => {
  const graph = build((env) => {
    const a = env.fromData(1);
    const b = env.fromData(2);
    a.rebalance()
      .broadcast()
      .map((n) => n);
    a.shuffle()
      .union(b.rescale())
      .map((n) => n);
    a.union(b)
      .global()
      .map((n) => n);
    a.partitionCustom(
      (n) => n,
      (key, count) => key % count,
    ).map((n) => n);
  });
  expect(graph.edges.map((edge) => edge.partitioner.kind)).toEqual([
    "broadcast",
    "shuffle",
    "rescale",
    "global",
    "global",
    "custom",
  ]);
});

test("a side output leaves from its operator, chained or not", () => {
  const graph = build((env) => {
    const tag = { id: "late", type: Types.int() };
    const mapped = env.fromData(1).map((n) => n);
    mapped
      .getSideOutput(tag)
      .map((n) => n)
      .name("chained");
    mapped
      .getSideOutput(tag)
      .rebalance()
      .map((n) => n)
      .name("apart");
  });
  const chained = graph.vertices[0]?.operators.find(({ name }) => name === "chained");
  expect([chained?.chainedTo, chained?.chainedTag?.id]).toEqual([1, "late"]);
  expect(
    graph.edges.map((edge) => [edge.sourceOperator, edge.tag?.id, edge.type.typeName]),
  ).toEqual([[1, "late", "int"]]);
});

test("a side output that is read as two types is refused, an undeclared one is not", () => {
  const readAs =
    (first: TypeSerializer<number> | undefined, second: TypeSerializer<number>) => () =>
      build((env) => {
        const mapped = env.fromData(1).map((n) => n);
        mapped.getSideOutput(outputTag("late", first)).map((n) => n);
        mapped.getSideOutput(outputTag("late", second)).map((n) => n);
      });
  expect(readAs(Types.int(), Types.long())).toThrowError(
    expect.objectContaining({ code: "OUTPUT_TAG_CONFLICT" }),
  );
  expect(readAs(Types.int(), Types.int())).not.toThrow();
  expect(readAs(undefined, Types.int())).not.toThrow();
});

test("two inputs of one operator are told apart", () => {
  const graph = build((env) => {
    const a = env.fromData(1).keyBy((n) => n, Types.int());
    const b = env.fromData(2).keyBy((n) => n, Types.int());
    a.connect(b).process(() => ({ processElement1() {}, processElement2() {} }));
  });
  expect(graph.edges.map((edge) => [edge.targetInput, edge.partitioner.kind])).toEqual([
    [0, "hash"],
    [1, "hash"],
  ]);
  expect(keyTypes(graph)[0]).toEqual(["int"]);
});

test("windows over all records have one subtask", () => {
  const graph = build((env) => {
    env.setParallelism(4);
    env
      .fromSequence(1, 10)
      .countWindowAll(2)
      .reduce((a, b) => a + b);
  });
  expect(graph.vertices.map((vertex) => vertex.parallelism)).toEqual([4, 1]);
});

test("settings that cannot be are refused where they are made", () => {
  expect(problemOf((env) => void env.setParallelism(0))).toContain("setParallelism");
  expect(problemOf((env) => void env.fromData(1).uid(""))).toContain("uid");
  expect(problemOf((env) => void env.fromData(1).setUidHash("xyz"))).toContain("hexadecimal");
  expect(problemOf((env) => void env.fromData(1).slotSharingGroup(""))).toContain(
    "slotSharingGroup",
  );
  expect(problemOf((env) => void env.enableCheckpointing("often"))).toContain(
    "enableCheckpointing",
  );
  expect(
    problemOf(
      (env) =>
        void env
          .fromData(1)
          .countWindowAll(3)
          .reduce((a) => a)
          .setParallelism(2),
    ),
  ).toContain("one subtask");
  expect(
    problemOf(
      (env) =>
        void env
          .fromData(1)
          .keyBy((n) => n)
          .rebalance(),
    ),
  ).toContain("KeyedStream");
  expect(
    problemOf((env) => {
      const text = env.fromData(1).keyBy((n) => `${n}`, Types.string() as never);
      text.connect(env.fromData(1).keyBy((n) => n, Types.int()) as never);
    }),
  ).toContain("the keys of one stream are string");
  let other: unknown;
  expect(
    problemOf((env) => {
      const stream = env.fromData(1);
      if (other === undefined) other = stream;
      else stream.union(other as typeof stream);
      stream.map((n) => n);
    }),
  ).toContain("different jobs");
});
