import { present, StreamError } from "../base/index.ts";
import type { OutputTag } from "../operators/index.ts";
import { Types, type TypeSerializer } from "../serde/index.ts";
import { MAX_MAX_PARALLELISM } from "../state/index.ts";
import type { Partitioner } from "./job-graph.ts";
import {
  type OperatorTransformation,
  outputTypeOf,
  type PhysicalTransformation,
  type Transformation,
} from "./transformation.ts";

/** The job before chaining: a node per source and operator, an edge per pair of them that exchanges records. */
export interface StreamGraph {
  readonly options: StreamGraphOptions;
  /** In the order in which the job's code made them, inputs first. */
  readonly nodes: readonly StreamNode[];
}

export interface StreamGraphOptions {
  /** Whether operators may share a task (`pipeline.operator-chaining.enabled`). */
  readonly isChainingEnabled: boolean;
  /** `pipeline.operator-chaining.chain-operators-with-different-max-parallelism`. */
  readonly canChainDifferentMaxParallelism: boolean;
  /** Of every operator that does not set its own; undefined: derived from the parallelism. */
  readonly maxParallelism: number | undefined;
}

export interface StreamNode {
  readonly id: number;
  readonly transformation: PhysicalTransformation;
  readonly name: string;
  readonly parallelism: number;
  /** What was set, on the operator or for the job; undefined if nothing was. */
  readonly configuredMaxParallelism: number | undefined;
  readonly slotSharingGroup: string;
  readonly inEdges: readonly StreamEdge[];
  readonly outEdges: readonly StreamEdge[];
}

export interface StreamEdge {
  readonly source: StreamNode;
  readonly target: StreamNode;
  /** Logical input of the target: 0, or 1 for the second. */
  readonly targetInput: number;
  readonly tag: OutputTag<unknown> | undefined;
  readonly partitioner: Partitioner;
  readonly type: TypeSerializer<unknown>;
}

interface GrowingNode extends StreamNode {
  readonly inEdges: StreamEdge[];
  readonly outEdges: StreamEdge[];
}

const DEFAULT_SLOT_SHARING_GROUP = "default";

/**
 * Makes the stream graph of what a job's code left behind. A source whose records nobody takes is not part of it.
 *
 * @param operators - Every operator, in the order of creation.
 * @throws StreamError FORWARD_CHANGES_PARALLELISM, PARALLELISM_INVALID, OUTPUT_TAG_CONFLICT.
 *
 * Source: Flink `StreamGraphGenerator`, `StreamGraph.addEdge`.
 */
export function buildStreamGraph(
  operators: readonly OperatorTransformation[],
  options: StreamGraphOptions,
): StreamGraph {
  const nodes = new Map<PhysicalTransformation, GrowingNode>();
  for (const operator of operators) addNode(operator, nodes, options);
  const graph: StreamGraph = { options, nodes: [...nodes.values()] };
  for (const node of graph.nodes) checkOutputTags(node);
  return graph;
}

function addNode(
  transformation: PhysicalTransformation,
  nodes: Map<PhysicalTransformation, GrowingNode>,
  options: StreamGraphOptions,
): GrowingNode {
  const known = nodes.get(transformation);
  if (known !== undefined) return known;
  const inputs = transformation.kind === "source" ? [] : transformation.inputs;
  const origins = inputs.map((input) => originsOf(input, undefined, undefined));
  const sources = origins.map((list) => list.map((origin) => addNode(origin.node, nodes, options)));
  const { settings } = transformation;
  const node: GrowingNode = {
    id: transformation.id,
    transformation,
    name: settings.name,
    parallelism: settings.parallelism,
    configuredMaxParallelism: settings.maxParallelism ?? options.maxParallelism,
    slotSharingGroup: settings.slotSharingGroup ?? inheritedGroup(sources.flat()),
    inEdges: [],
    outEdges: [],
  };
  checkParallelism(node);
  nodes.set(transformation, node);
  for (const [targetInput, list] of origins.entries()) {
    for (const [index, origin] of list.entries()) {
      const source = present(sources[targetInput]?.[index], "every origin has its node");
      connect(source, node, targetInput, origin);
    }
  }
  return node;
}

/** A node whose records arrive at an input, with what the way there says about the edge. */
interface Origin {
  readonly node: PhysicalTransformation;
  readonly partitioner: Partitioner | undefined;
  readonly tag: OutputTag<unknown> | undefined;
  readonly type: TypeSerializer<unknown> | undefined;
}

/** Follows partitions, side outputs and unions back to nodes. Of two partitioners on the way the one nearer to the reader counts. */
function originsOf(
  from: Transformation,
  partitioner: Partitioner | undefined,
  tag: OutputTag<unknown> | undefined,
): readonly Origin[] {
  switch (from.kind) {
    case "source":
    case "operator":
      return [
        { node: from, partitioner, tag, type: tag === undefined ? outputTypeOf(from) : tag.type },
      ];
    case "partition":
      return originsOf(from.input, partitioner ?? from.partitioner, tag);
    case "side-output":
      return originsOf(from.input, partitioner, tag ?? from.tag);
    case "union":
      return from.inputs.flatMap((input) => originsOf(input, partitioner, tag));
  }
}

function connect(
  source: GrowingNode,
  target: GrowingNode,
  targetInput: number,
  origin: Origin,
): void {
  const hasSameParallelism = source.parallelism === target.parallelism;
  const partitioner = origin.partitioner ?? { kind: hasSameParallelism ? "forward" : "rebalance" };
  if (partitioner.kind === "forward" && !hasSameParallelism) {
    throw new StreamError("FORWARD_CHANGES_PARALLELISM", {
      upstream: source.name,
      upstreamParallelism: source.parallelism,
      downstream: target.name,
      downstreamParallelism: target.parallelism,
    });
  }
  const edge: StreamEdge = {
    source,
    target,
    targetInput,
    tag: origin.tag,
    partitioner,
    type: origin.type ?? Types.any(),
  };
  source.outEdges.push(edge);
  target.inEdges.push(edge);
}

function inheritedGroup(inputs: readonly StreamNode[]): string {
  const groups = new Set(inputs.map((input) => input.slotSharingGroup));
  const [group] = groups;
  return groups.size === 1 && group !== undefined ? group : DEFAULT_SLOT_SHARING_GROUP;
}

function checkParallelism(node: StreamNode): void {
  const { transformation, name, parallelism, configuredMaxParallelism } = node;
  const refuse = (problem: string): never => {
    throw new StreamError("PARALLELISM_INVALID", { operator: name, problem });
  };
  if (!Number.isInteger(parallelism) || parallelism < 1)
    refuse(`its parallelism is ${parallelism}, not a whole number of at least 1`);
  if (transformation.kind === "operator" && transformation.isNonParallel && parallelism !== 1) {
    refuse(
      `its parallelism is ${parallelism}, but it sees all records and has exactly one subtask`,
    );
  }
  const largest = configuredMaxParallelism ?? MAX_MAX_PARALLELISM;
  if (!Number.isInteger(largest) || largest < 1 || largest > MAX_MAX_PARALLELISM) {
    refuse(
      `its max parallelism is ${largest}, not a whole number from 1 to ${MAX_MAX_PARALLELISM}`,
    );
  }
  if (parallelism > largest)
    refuse(`its parallelism is ${parallelism}, above its max parallelism of ${largest}`);
}

/** An undeclared tag fits every type, since its records describe themselves. */
function checkOutputTags(node: StreamNode): void {
  const types = new Map<string, string>();
  for (const { tag } of node.outEdges) {
    const type = tag?.type?.typeName;
    if (tag === undefined || type === undefined) continue;
    const other = types.get(tag.id) ?? type;
    if (other !== type) {
      throw new StreamError("OUTPUT_TAG_CONFLICT", {
        operator: node.name,
        tag: tag.id,
        types: [other, type],
      });
    }
    types.set(tag.id, type);
  }
}
