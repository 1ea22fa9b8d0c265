import {
  type Collector,
  collectSink,
  type DataStream,
  defineJob,
  type KeyedProcessContext,
  type KeyedProcessFunction,
  type Of,
  type ProcessFunction,
  type RuntimeContext,
  Types,
  type ValueState,
  valueState,
} from "../../src/index.ts";
import type { StreamExecutionEnvironment } from "../../src/index.ts";
import type { SimulatedJob } from "../../src/testing/index.ts";

/**
 * The shapes of jobs over which Flink holds its unaligned checkpoints to account: each record goes from a source to a sink exactly once,
 * and those of one source reach one sink in their order.
 *
 * Source: Flink `UnalignedCheckpointITCase`, `UnalignedCheckpointRescaleITCase`.
 */

/** `route`: the subtasks it came through, in which records of one split stay in order. */
const Numbered = Types.struct({
  source: Types.int(),
  sequence: Types.long(),
  route: Types.string(),
});
type Numbered = Of<typeof Numbered>;

/** What reached a sink. */
const Arrived = Types.struct({
  source: Types.int(),
  sequence: Types.long(),
  route: Types.string(),
  sink: Types.int(),
  parallelism: Types.int(),
});
type Arrived = Of<typeof Arrived>;

export type Topology =
  | "pipeline"
  | "fan-out and multi-input"
  | "fan-in"
  | "union"
  | "keyed"
  | "custom partitioner"
  | "broadcast";

export const TOPOLOGIES: readonly Topology[] = [
  "pipeline",
  "fan-out and multi-input",
  "fan-in",
  "union",
  "keyed",
  "custom partitioner",
  "broadcast",
];

/** Numbers of each source: all in one split for each of the parallelisms 1, 3, 5, 7 and 10. */
export const LANES = 210;
const COUNT = 840;

export interface UnalignedJob extends SimulatedJob {
  /** Pairs of records that one sink got in the wrong order, of those between which there is an order. */
  outOfOrder(): readonly string[];
}

export interface UnalignedJobOptions {
  /** Lets an operator change the order of records now and then. */
  readonly isShuffling?: boolean;
}

/** @param topology - Through which the records go. */
export function unalignedJob(topology: Topology, options: UnalignedJobOptions = {}): UnalignedJob {
  const sink = collectSink(Arrived);
  const definition = defineJob(`unaligned-${topology.replaceAll(" ", "-")}`, (env) => {
    const shape = SHAPES[topology];
    const records = shape(env);
    const last = options.isShuffling === true ? records.process(() => new Swapping()) : records;
    last
      .process(() => new Arriving(), { returns: Arrived })
      .uid("arriving")
      .sinkTo(sink)
      .uid("sink");
  });
  return {
    build: (configuration) => definition.build(configuration),
    output: () => sink.records.map(({ source, sequence }) => `${source}/${sequence}`),
    outOfOrder: () => findOutOfOrder(topology, sink.records),
  };
}

type Shape = (env: StreamExecutionEnvironment) => DataStream<Numbered>;

function numbers(env: StreamExecutionEnvironment, source: number): DataStream<Numbered> {
  return env
    .fromGenerator((sequence) => ({ source, sequence, route: "" }), {
      count: COUNT,
      type: Numbered,
    })
    .uid(`source-${source}`);
}

function plain(stream: DataStream<Numbered>, uid: string): DataStream<Numbered> {
  return stream
    .process(() => new Passing(), { returns: Numbered })
    .uid(uid)
    .disableChaining();
}

const SHAPES: { readonly [T in Topology]: Shape } = {
  // Forward edges, over which no barrier overtakes, before and after one over which it does.
  pipeline: (env) => {
    const first = plain(numbers(env, 0), "first");
    return plain(plain(first.rebalance(), "second"), "third");
  },
  "fan-out and multi-input": (env) => {
    const source = numbers(env, 0);
    const left = plain(source.rebalance(), "left");
    const right = plain(source.shuffle(), "right");
    return left
      .connect(right.rebalance())
      .process(
        {
          processElement1: (record: Numbered, _: unknown, out: Collector<Numbered>) =>
            out.collect(record),
          processElement2: (record: Numbered, _: unknown, out: Collector<Numbered>) =>
            out.collect({ ...record, source: 1 }),
        },
        { returns: Numbered },
      )
      .uid("both");
  },
  "fan-in": (env) => {
    const [first, second] = [plain(numbers(env, 0), "first"), plain(numbers(env, 1), "second")];
    return plain(first.rebalance().union(second.rebalance()).global(), "all");
  },
  union: (env) => {
    const sources = [0, 1, 2].map((source) => plain(numbers(env, source), `before-${source}`));
    const [first, ...others] = sources as [DataStream<Numbered>, ...DataStream<Numbered>[]];
    return plain(plain(first.union(...others).shuffle(), "united"), "after");
  },
  keyed: (env) =>
    numbers(env, 0)
      .union(numbers(env, 1))
      .keyBy((record) => laneOf(record), Types.int())
      .process(() => new Counting(), { returns: Numbered })
      .uid("counting")
      .keyBy((record) => record.sequence % 14, Types.int())
      .process(() => new Counting(), { returns: Numbered })
      .uid("counting-again"),
  "custom partitioner": (env) =>
    plain(
      plain(
        numbers(env, 0).partitionCustom(
          ({ sequence }) => sequence % LANES,
          (lane, subtaskCount) => lane % subtaskCount,
        ),
        "partitioned",
      ).rebalance(),
      "after",
    ),
  broadcast: (env) =>
    plain(
      numbers(env, 0)
        .rebalance()
        .connect(
          numbers(env, 9)
            .filter(({ sequence }) => sequence < 20)
            .broadcast(),
        )
        .process(
          {
            processElement1: (record: Numbered, _: unknown, out: Collector<Numbered>) =>
              out.collect(record),
            processElement2: () => undefined,
          },
          { returns: Numbered },
        )
        .uid("told"),
      "after",
    ),
};

function laneOf({ source, sequence }: Pick<Numbered, "source" | "sequence">): number {
  return source * LANES + (sequence % LANES);
}

/** Counts the records of a key, and lets them through: the state must be there for the count to be right. */
class Counting implements KeyedProcessFunction<number, Numbered, Numbered> {
  private count: ValueState<number> | undefined = undefined;

  open(context: RuntimeContext): void {
    this.count = context.getState(valueState("count", Types.int()));
  }

  processElement(
    value: Numbered,
    _context: KeyedProcessContext<number>,
    out: Collector<Numbered>,
  ): void {
    this.count?.update((this.count.value() ?? 0) + 1);
    out.collect(value);
  }
}

/** Notes on a record which subtask it came through. */
class Passing implements ProcessFunction<Numbered, Numbered> {
  private subtask = 0;

  open(context: RuntimeContext): void {
    this.subtask = context.subtaskIndex;
  }

  processElement(value: Numbered, _context: unknown, out: Collector<Numbered>): void {
    out.collect({ ...value, route: `${value.route}/${this.subtask}` });
  }
}

/** Notes which subtask a record has reached. */
class Arriving implements ProcessFunction<Numbered, Arrived> {
  private sink = 0;
  private parallelism = 1;

  open(context: RuntimeContext): void {
    this.sink = context.subtaskIndex;
    this.parallelism = context.parallelism;
  }

  processElement(value: Numbered, _context: unknown, out: Collector<Arrived>): void {
    const { sink, parallelism } = this;
    out.collect({ ...value, sink, parallelism });
  }
}

/** Holds every fiftieth record back until the next one has gone. */
class Swapping implements ProcessFunction<Numbered, Numbered> {
  private held: Numbered | undefined = undefined;

  processElement(value: Numbered, _context: unknown, out: Collector<Numbered>): void {
    if (value.sequence % 50 === 0 && value.sequence < COUNT / 2 && this.held === undefined) {
      this.held = value;
      return;
    }
    out.collect(value);
    if (this.held === undefined) return;
    out.collect(this.held);
    this.held = undefined;
  }
}

/**
 * @remarks
 * Records of one split that took the same way are in order while the parallelism stays. In the keyed job all records of a lane go one
 * way at every parallelism, so they are in order over changes of it, too.
 */
function findOutOfOrder(topology: Topology, arrived: readonly Arrived[]): readonly string[] {
  const parallelisms = new Set(arrived.map(({ parallelism }) => parallelism));
  const [only = 1] = parallelisms;
  const isRescaled = parallelisms.size > 1;
  if (isRescaled && topology !== "keyed") return [];
  const last = new Map<string, number>();
  const found: string[] = [];
  for (const { source, sequence, route, sink } of arrived) {
    const pair = isKeyed(topology)
      ? `${source}:${sequence % LANES}`
      : `${source}:${sequence % only} by ${route} to ${sink}`;
    const before = last.get(pair) ?? -1;
    if (sequence < before) found.push(`${pair}: ${sequence} after ${before}`);
    else last.set(pair, sequence);
  }
  return found;
}

function isKeyed(topology: Topology): boolean {
  return topology === "keyed";
}
