import { assert, StreamError } from "../base/index.ts";
import { outputTypeOf, type Transformation } from "../graph/index.ts";
import {
  EventTimeTrigger,
  type PartialAggregate,
  preAggregateOperator,
  TumblingEventTimeWindows,
  type Window,
  type WindowAggregation,
  type WindowAssigner,
} from "../operators/index.ts";
import { Types, type TypeSerializer } from "../serde/index.ts";
import type { JobBuilder } from "./job-builder.ts";

/** What a windowed stream says that matters for folding before the exchange. */
interface Windows {
  readonly stream: { readonly builder: JobBuilder; readonly transformation: Transformation };
  readonly assigner: unknown;
  readonly trigger?: unknown;
  readonly evictor?: unknown;
  readonly allowedLatenessMs?: number;
  readonly lateOutput?: unknown;
}

/** The second half of an aggregation, and the stream of what the first gives. */
interface SecondHalf<ACC, MID, K> {
  readonly keyed: {
    readonly input: Transformation;
    readonly keySelector: (partial: PartialAggregate<K, ACC>) => K;
    readonly declaredKeyType: TypeSerializer<K>;
  };
  /** That of the windows, which looks at no record. */
  readonly assigner: <W extends Window>() => WindowAssigner<unknown, W>;
  readonly aggregation: WindowAggregation<PartialAggregate<K, ACC>, ACC, MID>;
  readonly accumulatorType: TypeSerializer<ACC>;
}

/**
 * Puts the first half of a window's aggregation before the exchange by key.
 *
 * @throws StreamError PARAMETER_INVALID if folds cannot stand for their records: where a window may fire more than once, keeps records as
 * they are, or is another in each subtask.
 */
export function splitAggregation<T, ACC, MID, K>(
  windows: Windows,
  aggregation: WindowAggregation<T, ACC, MID>,
  accumulatorType: TypeSerializer<ACC>,
): SecondHalf<ACC, MID, K> {
  const assigner = fittingAssigner(windows);
  const { builder, transformation } = windows.stream;
  if (aggregation.kind === "list") throw unfit("its function takes all records");
  assert(
    transformation.kind === "partition" && transformation.partitioner.kind === "hash",
    "what is windowed is keyed",
  );
  const { input: source, partitioner } = transformation;
  const keySelector = partitioner.keySelector as (value: T) => K;
  const keyType = partitioner.keyType as TypeSerializer<K>;
  const { before, after } = halvesOf<T, ACC, MID, K>(aggregation);
  const recordType = outputTypeOf(source) as TypeSerializer<ACC> | undefined;
  const foldedType =
    aggregation.kind === "reduce" ? (recordType ?? Types.any<ACC>()) : accumulatorType;
  const setup = { assigner, keySelector, keyKind: keyType.keyKind, ...before };
  const input = builder.addOperator(preAggregateOperator<T, ACC, K>(setup), {
    inputs: [source],
    outputType: Types.struct({ key: keyType, folded: foldedType }) as TypeSerializer<unknown>,
  });
  input.settings.parallelism = parallelismOf(source) ?? input.settings.parallelism;
  return {
    keyed: { input, keySelector: (partial) => partial.key, declaredKeyType: keyType },
    assigner: <W extends Window>() => assigner as unknown as WindowAssigner<unknown, W>,
    aggregation: after,
    accumulatorType: foldedType,
  };
}

/** @throws StreamError PARAMETER_INVALID. */
function fittingAssigner(windows: Windows): TumblingEventTimeWindows {
  const { assigner, trigger, evictor, allowedLatenessMs = 0, lateOutput } = windows;
  if (!(assigner instanceof TumblingEventTimeWindows) || assigner.stagger !== "ALIGNED")
    throw unfit("only tumbling windows of event time that are not staggered can be");
  if (trigger !== undefined && !(trigger instanceof EventTimeTrigger))
    throw unfit("a trigger of its own may ask for each record");
  if (allowedLatenessMs > 0)
    throw unfit("with allowed lateness each late record makes a result of its own");
  if (lateOutput !== undefined) throw unfit("late records are to go out as they came");
  if (evictor !== undefined) throw unfit("an evictor takes all records");
  return assigner;
}

/** Of the operator that the records come from, so that the two are chained; undefined if there are several. */
function parallelismOf(transformation: Transformation): number | undefined {
  switch (transformation.kind) {
    case "source":
    case "operator":
      return transformation.settings.parallelism;
    case "side-output":
      return parallelismOf(transformation.input);
    default:
      return undefined;
  }
}

interface Halves<T, ACC, MID, K> {
  readonly before: {
    readonly first: (value: T) => ACC;
    readonly add: (value: T, folded: ACC) => ACC;
  };
  readonly after: WindowAggregation<PartialAggregate<K, ACC>, ACC, MID>;
}

function halvesOf<T, ACC, MID, K>(
  aggregation: Exclude<WindowAggregation<T, ACC, MID>, { readonly kind: "list" }>,
): Halves<T, ACC, MID, K> {
  if (aggregation.kind === "reduce") return reduceHalves(aggregation.reduce as never);
  const { aggregate } = aggregation;
  return {
    before: {
      first: (value) => aggregate.add(value, aggregate.createAccumulator()),
      add: (value, folded) => aggregate.add(value, folded),
    },
    after: {
      kind: "aggregate",
      aggregate: {
        createAccumulator: () => aggregate.createAccumulator(),
        add: ({ folded }, accumulator) => aggregate.merge(accumulator, folded),
        getResult: (accumulator) => aggregate.getResult(accumulator),
        merge: (a, b) => aggregate.merge(a, b),
      },
    },
  };
}

/** Records are their own folds. There is no fold of nothing, so `undefined` stands for it until the first comes. */
function reduceHalves<T, ACC, MID, K>(
  reduce: (a: unknown, b: unknown) => unknown,
): Halves<T, ACC, MID, K> {
  const merge = (a: unknown, b: unknown): ACC => (a === undefined ? b : reduce(a, b)) as ACC;
  return {
    before: {
      first: (value) => value as unknown as ACC,
      add: (value, folded) => merge(folded, value),
    },
    after: {
      kind: "aggregate",
      aggregate: {
        createAccumulator: () => undefined as ACC,
        add: ({ folded }, accumulator) => merge(accumulator, folded),
        getResult: (accumulator) => accumulator as unknown as MID,
        merge,
      },
    },
  };
}

function unfit(problem: string): StreamError<"PARAMETER_INVALID"> {
  return new StreamError("PARAMETER_INVALID", {
    what: "preAggregate",
    problem: `the window cannot be folded before the exchange: ${problem}`,
  });
}
