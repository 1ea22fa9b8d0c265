import type { JobEdge, JobGraph, JobVertex } from "./job-graph.ts";

/** A job's plan as Flink's REST answers it and its web UI draws it. */
export interface JobPlan {
  readonly jid: string;
  readonly name: string;
  readonly type: "STREAMING";
  readonly nodes: readonly JobPlanNode[];
}

export interface JobPlanNode {
  readonly id: string;
  readonly parallelism: number;
  readonly operator: string;
  readonly operator_strategy: string;
  /** The chain as a tree, in HTML. */
  readonly description: string;
  /** Absent for sources. */
  readonly inputs?: readonly JobPlanInput[];
  readonly optimizer_properties: Readonly<Record<string, never>>;
}

export interface JobPlanInput {
  readonly num: number;
  /** Id of the vertex that the records come from. */
  readonly id: string;
  /** The partitioner as Flink prints it: `HASH`, `REBALANCE`. */
  readonly ship_strategy: string;
  readonly exchange: "pipelined_bounded";
}

/** The plan of a job in the form of Flink's REST. Source: Flink `JsonPlanGenerator`. */
export function jobPlanOf(graph: JobGraph): JobPlan {
  return {
    jid: graph.jobId,
    name: graph.name,
    type: "STREAMING",
    nodes: graph.vertices.map((vertex) => planNode(vertex, inputsOf(vertex, graph))),
  };
}

function inputsOf(vertex: JobVertex, graph: JobGraph): readonly JobEdge[] {
  return graph.edges.filter((edge) => edge.targetVertexId === vertex.id);
}

function planNode(vertex: JobVertex, inputs: readonly JobEdge[]): JobPlanNode {
  const description = descriptionLines(vertex)
    .map((line) => `${escapeHtml(line)}<br/>`)
    .join("")
    .replaceAll("\\", "&#92;");
  return {
    id: vertex.id,
    parallelism: vertex.parallelism,
    operator: "",
    operator_strategy: "",
    description,
    ...(inputs.length === 0 ? {} : { inputs: inputs.map(planInput) }),
    optimizer_properties: {},
  };
}

function planInput(edge: JobEdge, num: number): JobPlanInput {
  return {
    num,
    id: edge.sourceVertexId,
    ship_strategy: edge.partitioner.kind.toUpperCase(),
    exchange: "pipelined_bounded",
  };
}

/** The chain as lines of a tree: `+- ` before the last of several branches, `:- ` before the others. */
function descriptionLines({ operators }: JobVertex): readonly string[] {
  const lines: string[] = [];
  const append = (index: number, ownPrefix: string, childPrefix: string): void => {
    lines.push(`${ownPrefix}${operators[index]?.name ?? ""}`);
    const children = operators.flatMap((operator, at) =>
      operator.chainedTo === index ? [at] : [],
    );
    for (const [position, child] of children.entries()) {
      const isLast = position === children.length - 1;
      append(
        child,
        `${childPrefix}${isLast ? "+- " : ":- "}`,
        `${childPrefix}${isLast ? "   " : ":  "}`,
      );
    }
  };
  append(0, "", "");
  return lines;
}

const HTML_ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => HTML_ENTITIES[character] ?? character);
}

/**
 * The plan as text for people and golden files: each vertex with its ids, and where its records come from.
 *
 * @remarks
 * Ends with a line break.
 */
export function renderPlan(graph: JobGraph): string {
  const nameOf = new Map(graph.vertices.map((vertex) => [vertex.id, vertex.name]));
  const lines = [`job ${graph.name} (${graph.jobId})`];
  for (const vertex of graph.vertices) {
    const { parallelism, maxParallelism, slotSharingGroup } = vertex;
    const group = slotSharingGroup === "default" ? "" : `, slot sharing group ${slotSharingGroup}`;
    lines.push(
      "",
      vertex.name,
      `  id ${vertex.id}, parallelism ${parallelism} of at most ${maxParallelism}${group}`,
    );
    for (const edge of inputsOf(vertex, graph)) lines.push(`  ${inputLine(edge, nameOf)}`);
    for (const operator of vertex.operators) {
      const uid = operator.uid === undefined ? "" : ` uid ${operator.uid}`;
      const key = operator.keyType === undefined ? "" : ` keyed by ${operator.keyType.typeName}`;
      const side =
        operator.chainedTag === undefined ? "" : ` reads side output ${operator.chainedTag.id}`;
      lines.push(`  - ${operator.name} ${operator.id}${uid}${key}${side}`);
    }
  }
  return `${lines.join("\n")}\n`;
}

function inputLine(edge: JobEdge, nameOf: ReadonlyMap<string, string>): string {
  const side = edge.tag === undefined ? "" : `, side output ${edge.tag.id}`;
  const from = nameOf.get(edge.sourceVertexId) ?? edge.sourceVertexId;
  return `<- input ${edge.targetInput}: ${edge.partitioner.kind.toUpperCase()} of ${edge.type.typeName}${side} from ${from}`;
}
