import type { ConfigurationEntry } from "../base/index.ts";
import type { TypeSerializer } from "../serde/index.ts";
import type { OperatorFactory, OutputTag, Source, SourceSplit } from "../operators/index.ts";
import type { WatermarkStrategy } from "../operators/index.ts";

/**
 * What the runtime executes: vertices of chained operators and the edges between them. Made from the stream graph
 * by the rules of Flink's `StreamingJobGraphGenerator`.
 */
export interface JobGraph {
  readonly name: string;
  /** 32 hex digits; made of the job's name, so that its directory is stable. */
  readonly jobId: string;
  /** In topological order, sources first. */
  readonly vertices: readonly JobVertex[];
  readonly edges: readonly JobEdge[];
  /** What the job's code set; weaker than files and flags. */
  readonly configuration?: readonly ConfigurationEntry[];
}

/** A chain of operators that run in one task per subtask. */
export interface JobVertex {
  /** 32 hex digits: the id of the head operator. */
  readonly id: string;
  /** The chain as Flink names it: `Source: flights -> Map -> (Sink: a, Sink: b)`. */
  readonly name: string;
  readonly parallelism: number;
  readonly maxParallelism: number;
  /** True if the user set `maxParallelism`; a derived one gives way to that of a restored state. */
  readonly isMaxParallelismConfigured: boolean;
  readonly slotSharingGroup: string;
  /** Topological order: the head first, every operator after the one it is chained to. */
  readonly operators: readonly ChainedOperator[];
}

/** One operator of a chain. */
export interface ChainedOperator {
  /** Operator id, 32 hex digits. */
  readonly id: string;
  /** Id under which a restored state is looked up first, if `setUidHash` gave one. New state is written under `id`. */
  readonly alternativeId?: string | undefined;
  readonly uid: string | undefined;
  readonly name: string;
  readonly logic:
    | {
        readonly kind: "source";
        readonly source: Source<unknown, SourceSplit, unknown>;
        readonly watermarks: WatermarkStrategy<unknown> | undefined;
      }
    | { readonly kind: "operator"; readonly factory: OperatorFactory };
  /** Set if the operator's input is keyed: the serializer of the key of its state. */
  readonly keyType: TypeSerializer<unknown> | undefined;
  /** Index within `operators` of the one it takes its elements from; undefined for the head, which reads the vertex's input edges. */
  readonly chainedTo: number | undefined;
  /** Set if it is chained to a side output of that operator. */
  readonly chainedTag: OutputTag<unknown> | undefined;
}

/** How the records of an edge are spread over the subtasks downstream. */
export type Partitioner =
  | { readonly kind: "forward" }
  | { readonly kind: "rebalance" }
  | { readonly kind: "rescale" }
  | { readonly kind: "shuffle" }
  | { readonly kind: "broadcast" }
  | { readonly kind: "global" }
  | {
      readonly kind: "hash";
      readonly keySelector: (value: unknown) => unknown;
      readonly keyType: TypeSerializer<unknown>;
    }
  | {
      readonly kind: "custom";
      readonly keySelector: (value: unknown) => unknown;
      readonly partition: (key: unknown, channelCount: number) => number;
    };

export interface JobEdge {
  readonly sourceVertexId: string;
  /** Index of the operator in the source vertex whose output this is. */
  readonly sourceOperator: number;
  /** Set if it carries a side output. */
  readonly tag: OutputTag<unknown> | undefined;
  readonly targetVertexId: string;
  /** Logical input of the target's head operator: 0, or 1 for the second input. Several edges may share one (union). */
  readonly targetInput: number;
  readonly partitioner: Partitioner;
  /** Codec of the records, where one is declared; otherwise the self-describing default. */
  readonly type: TypeSerializer<unknown>;
}
