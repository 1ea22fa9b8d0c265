import type {
  OperatorFactory,
  OutputTag,
  Source,
  SourceSplit,
  WatermarkStrategy,
} from "../operators/index.ts";
import type { TypeSerializer } from "../serde/index.ts";
import type { Partitioner } from "./job-graph.ts";

/**
 * What the calls on a stream leave behind: the logical graph, each step pointing at those before it.
 *
 * @remarks
 * Sources and operators become nodes of the stream graph. Partition, side output and union are only notes on the edges
 * that pass through them.
 *
 * Source: Flink `Transformation` and its subclasses.
 */
export type Transformation =
  | SourceTransformation
  | OperatorTransformation
  | PartitionTransformation
  | SideOutputTransformation
  | UnionTransformation;

/** A transformation that becomes a node of the stream graph. */
export type PhysicalTransformation = SourceTransformation | OperatorTransformation;

/**
 * Whether an operator may run in one task with its neighbours. `ALWAYS` with both; `HEAD` only with those after it; `NEVER` with none;
 * `HEAD_WITH_SOURCES` with those after it and with a source directly before it.
 */
type ChainingStrategy = "ALWAYS" | "HEAD" | "HEAD_WITH_SOURCES" | "NEVER";

/** What `uid(…)`, `name(…)`, `setParallelism(…)` and their like change after the call that made the operator. */
export interface OperatorSettings {
  name: string;
  uid: string | undefined;
  /** 32 hex digits under which the state of this operator may also lie. */
  uidHash: string | undefined;
  parallelism: number;
  /** Undefined: that of the job, or else derived from the parallelism. */
  maxParallelism: number | undefined;
  /** Undefined: that of the inputs if they agree, else `default`. */
  slotSharingGroup: string | undefined;
  chaining: ChainingStrategy;
}

export interface SourceTransformation {
  readonly kind: "source";
  /** Ascending in the order of creation, over all transformations of a job. */
  readonly id: number;
  readonly settings: OperatorSettings;
  readonly source: Source<unknown, SourceSplit, unknown>;
  readonly watermarks: WatermarkStrategy<unknown> | undefined;
  /** Type of its records, where one is declared. */
  outputType: TypeSerializer<unknown> | undefined;
}

export interface OperatorTransformation {
  readonly kind: "operator";
  readonly id: number;
  readonly settings: OperatorSettings;
  readonly factory: OperatorFactory;
  /** One for each logical input. */
  readonly inputs: readonly Transformation[];
  /** Set if an input is keyed: the serializer of the keys of its state. */
  readonly keyType: TypeSerializer<unknown> | undefined;
  /** True for an operator that can only be right with one subtask (windows over all records). */
  readonly isNonParallel: boolean;
  /** Type of its records, where one is declared; `returns(…)` declares it afterwards. */
  outputType: TypeSerializer<unknown> | undefined;
}

interface PartitionTransformation {
  readonly kind: "partition";
  readonly id: number;
  readonly input: Transformation;
  readonly partitioner: Partitioner;
}

interface SideOutputTransformation {
  readonly kind: "side-output";
  readonly id: number;
  readonly input: Transformation;
  readonly tag: OutputTag<unknown>;
}

interface UnionTransformation {
  readonly kind: "union";
  readonly id: number;
  readonly inputs: readonly Transformation[];
}

/** The declared type of the records that leave a transformation, or undefined. */
export function outputTypeOf(transformation: Transformation): TypeSerializer<unknown> | undefined {
  switch (transformation.kind) {
    case "source":
    case "operator":
      return transformation.outputType;
    case "partition":
      return outputTypeOf(transformation.input);
    case "side-output":
      return transformation.tag.type;
    case "union": {
      const types = transformation.inputs.map(outputTypeOf);
      const [first] = types;
      return types.every((type) => type === first) ? first : undefined;
    }
  }
}
