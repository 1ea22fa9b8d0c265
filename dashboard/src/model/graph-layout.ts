import { Graph, layout } from "@dagrejs/dagre";

import type { Topology } from "./topology.ts";

export interface PlacedVertex {
  readonly vertexId: string;
  /** Of its upper left corner. */
  readonly x: number;
  readonly y: number;
}

export interface PlacedEdge {
  readonly fromVertexId: string;
  readonly toVertexId: string;
  readonly shipStrategy: string;
  /** The middle of the edge's label. */
  readonly labelX: number;
  readonly labelY: number;
  readonly points: readonly { readonly x: number; readonly y: number }[];
}

export interface GraphLayout {
  readonly width: number;
  readonly height: number;
  readonly vertices: readonly PlacedVertex[];
  readonly edges: readonly PlacedEdge[];
}

export interface LayoutOptions {
  readonly vertexWidth: number;
  readonly vertexHeight: number;
  readonly direction: "LR" | "TB";
}

/** About how wide a letter of an edge's label is, in pixels. */
const LETTER = 7;

/** Places a job's vertices in layers along the flow of records. */
export function layoutGraph(topology: Topology, options: LayoutOptions): GraphLayout {
  const { vertexWidth, vertexHeight, direction } = options;
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir: direction, nodesep: 28, ranksep: 36, marginx: 8, marginy: 8 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { vertexId } of topology) {
    graph.setNode(vertexId, { width: vertexWidth, height: vertexHeight });
  }
  const inputs = topology.flatMap(({ vertexId, inputs: own }) =>
    (own ?? []).map((input, index) => ({ ...input, toVertexId: vertexId, name: String(index) })),
  );
  const known = inputs.filter(({ vertexId }) => graph.hasNode(vertexId));
  for (const { vertexId, toVertexId, shipStrategy, name } of known) {
    const label = { width: shipStrategy.length * LETTER + 12, height: 16, labelpos: "c" };
    graph.setEdge(vertexId, toVertexId, label, name);
  }
  layout(graph);
  const size = graph.graph() as { readonly width?: number; readonly height?: number };
  return {
    width: size.width ?? 0,
    height: size.height ?? 0,
    vertices: topology.map(({ vertexId }) => {
      const { x = 0, y = 0 } = graph.node(vertexId) as { readonly x?: number; readonly y?: number };
      return { vertexId, x: x - vertexWidth / 2, y: y - vertexHeight / 2 };
    }),
    edges: known.map(({ vertexId, toVertexId, shipStrategy, name }) => {
      const edge = graph.edge(vertexId, toVertexId, name) as {
        readonly points?: PlacedEdge["points"];
        readonly x?: number;
        readonly y?: number;
      };
      const { points = [], x: labelX = 0, y: labelY = 0 } = edge;
      return { fromVertexId: vertexId, toVertexId, shipStrategy, labelX, labelY, points };
    }),
  };
}
