import type { JSX } from "preact";
import { useEffect, useMemo } from "preact/hooks";

import { type GraphLayout, layoutGraph, type PlacedEdge } from "../model/graph-layout.ts";
import { type Job, loadsOf } from "../model/job.ts";
import { BUSY_RATIO, greatestRatio } from "../model/pressure.ts";
import { NOTABLE_SKEW, binned, skewOf } from "../model/skew.ts";
import type { Topology, TopologyVertex } from "../model/topology.ts";
import { usePage, useText } from "../page-context.ts";
import { Meter, SubtaskBars } from "../parts/bars.tsx";
import { Empty } from "../parts/empty.tsx";
import { useWidth } from "../parts/use-width.ts";
import { loadVertexFacts, type VertexFacts } from "../rest/job-queries.ts";
import { usePolled } from "../rest/polled.ts";
import { count, factor } from "../text/format.ts";
import { watermarkText } from "../text/watermark-text.ts";
import { VertexPanel } from "./vertex-panel.tsx";
import { VerticesTable } from "./vertices-table.tsx";

const VERTEX = { vertexWidth: 252, vertexHeight: 160 };
/** Room beside the graph, in pixels. */
const MARGIN = 26;

interface GraphViewProps {
  readonly job: Job;
  readonly vertexId: string | undefined;
}

/** The job's vertices and edges with what flows through them at the moment. */
export function GraphView({ job, vertexId }: GraphViewProps): JSX.Element {
  const { client } = usePage();
  const text = useText();
  const ids = job.topology.map((vertex) => vertex.vertexId).join(" ");
  const polled = usePolled(`facts ${job.jobId} ${ids}`, (abort) =>
    loadVertexFacts(client, job.jobId, job.topology, abort),
  );
  const facts = polled.data ?? new Map<string, VertexFacts>();
  const chosen = job.topology.find((vertex) => vertex.vertexId === vertexId);
  if (job.topology.length === 0) return <Empty title={text.noTopology} />;
  return (
    <>
      <Graph job={job} facts={facts} chosenId={vertexId} />
      {chosen !== undefined && (
        <VertexPanel jobId={job.jobId} vertex={chosen} facts={facts.get(chosen.vertexId)} />
      )}
      <VerticesTable job={job} facts={facts} />
    </>
  );
}

/** The flow goes to the right where there is room, else downwards. */
function fittingLayout(
  topology: Topology,
  width: number,
): { readonly layout: GraphLayout; readonly direction: "LR" | "TB" } {
  const wide = layoutGraph(topology, { ...VERTEX, direction: "LR" });
  if (wide.width <= width) return { layout: wide, direction: "LR" };
  return { layout: layoutGraph(topology, { ...VERTEX, direction: "TB" }), direction: "TB" };
}

interface GraphProps {
  readonly job: Job;
  readonly facts: ReadonlyMap<string, VertexFacts>;
  readonly chosenId: string | undefined;
}

function Graph({ job, facts, chosenId }: GraphProps): JSX.Element {
  const text = useText();
  const [frame, width] = useWidth();
  const shape = JSON.stringify(job.topology);
  const { layout, direction } = useMemo(
    () => fittingLayout(job.topology, width - MARGIN),
    [shape, width],
  );
  const isLaidOut = width > 0;
  useEffect(() => {
    const element = frame.current;
    if (element !== null) element.scrollLeft = (element.scrollWidth - element.clientWidth) / 2;
  }, [isLaidOut, layout, frame]);
  const places = new Map(layout.vertices.map((place) => [place.vertexId, place]));
  return (
    <div class="card graph scroll" ref={frame} tabIndex={0} role="group" aria-label={text.graph}>
      <div
        class="graph-canvas"
        style={{ width: `${layout.width}px`, height: `${layout.height}px` }}
      >
        <svg width={layout.width} height={layout.height} aria-hidden="true">
          {layout.edges.map((edge) => (
            <Edge
              key={`${edge.fromVertexId} ${edge.toVertexId} ${edge.shipStrategy}`}
              edge={edge}
              direction={direction}
            />
          ))}
        </svg>
        {job.topology.map((vertex) => {
          const place = places.get(vertex.vertexId);
          return (
            <VertexCard
              key={vertex.vertexId}
              job={job}
              vertex={vertex}
              facts={facts.get(vertex.vertexId)}
              isChosen={vertex.vertexId === chosenId}
              x={place?.x ?? 0}
              y={place?.y ?? 0}
            />
          );
        })}
      </div>
    </div>
  );
}

function Edge({
  edge,
  direction,
}: {
  readonly edge: PlacedEdge;
  readonly direction: "LR" | "TB";
}): JSX.Element | null {
  const [first, ...rest] = edge.points;
  const last = rest.at(-1);
  if (first === undefined || last === undefined) return null;
  const path = smoothPath([first, ...rest]);
  const tip =
    direction === "LR"
      ? `M${last.x},${last.y} l-8,-4.5 v9 z`
      : `M${last.x},${last.y} l-4.5,-8 h9 z`;
  return (
    <g class="edge">
      <path d={path} class="edge-line" />
      <path d={tip} class="edge-tip" />
      <text x={edge.labelX} y={edge.labelY - 5} text-anchor="middle">
        {edge.shipStrategy}
      </text>
    </g>
  );
}

/** A line through the points, bent and not broken at each. */
function smoothPath(points: PlacedEdge["points"]): string {
  const [first, ...rest] = points;
  const last = points.at(-1);
  const bends = rest.slice(0, -1).map((point, index) => {
    const next = rest[index + 1] ?? point;
    const isLast = index === rest.length - 2;
    const x = isLast ? next.x : (point.x + next.x) / 2;
    const y = isLast ? next.y : (point.y + next.y) / 2;
    return `Q${point.x},${point.y} ${x},${y}`;
  });
  return `M${first?.x},${first?.y} ${bends.length === 0 ? `L${last?.x},${last?.y}` : bends.join(" ")}`;
}

interface VertexCardProps {
  readonly job: Job;
  readonly vertex: TopologyVertex;
  readonly facts: VertexFacts | undefined;
  readonly isChosen: boolean;
  readonly x: number;
  readonly y: number;
}

const BARS = 24;

function VertexCard({ job, vertex, facts, isChosen, x, y }: VertexCardProps): JSX.Element {
  const page = usePage();
  const text = useText();
  const busy = greatestRatio(facts?.pressures, (subtask) => subtask.busyRatio);
  const backpressured = greatestRatio(facts?.pressures, (subtask) => subtask.backpressuredRatio);
  const state = job.vertexStates.get(vertex.vertexId) ?? "";
  const ratios = (facts?.pressures ?? []).map((subtask) => subtask.busyRatio ?? 0);
  const open = (): void =>
    page.go({
      view: "job",
      jobId: job.jobId,
      tab: "graph",
      checkpointId: undefined,
      compareId: undefined,
      vertexId: isChosen ? undefined : vertex.vertexId,
    });
  return (
    <button
      type="button"
      class={`vertex ${(busy ?? 0) >= BUSY_RATIO ? "is-busy" : ""}`}
      style={{
        left: `${x}px`,
        top: `${y}px`,
        width: `${VERTEX.vertexWidth}px`,
        height: `${VERTEX.vertexHeight}px`,
      }}
      aria-pressed={isChosen}
      data-vertex={vertex.vertexId}
      onClick={open}
    >
      <span class="vertex-name" title={vertex.name}>
        {vertex.name}
      </span>
      <span class="vertex-line">
        <span class={`state-dot ${state}`} title={text.states[state] ?? state} />
        <span title={text.parallelism}>
          <span class="unseen">{text.parallelism} </span>×{vertex.parallelism}
        </span>
        <SkewBadge facts={facts} />
        {ratios.length > 1 && (
          <SubtaskBars
            values={binned(ratios, BARS)}
            full={1}
            label={text.busyBySubtask}
            isHigh={(value) => value >= BUSY_RATIO}
          />
        )}
      </span>
      <Meter label={text.busy} ratio={busy} kind="busy" />
      <Meter label={text.backpressured} ratio={backpressured} kind="backpressured" />
      <span class="vertex-flow">
        <span title={text.recordsIn}>
          {text.flowIn} <b>{text.perSecond(count(facts?.recordsInPerSecond))}</b>
        </span>
        <span title={text.recordsOut}>
          {text.flowOut} <b>{text.perSecond(count(facts?.recordsOutPerSecond))}</b>
        </span>
      </span>
      <span class="vertex-flow">
        <span>
          {text.watermark} <b>{watermarkText(text, facts?.watermarks)}</b>
        </span>
      </span>
    </button>
  );
}

function SkewBadge({ facts }: { readonly facts: VertexFacts | undefined }): JSX.Element | null {
  const text = useText();
  const skew = skewOf(loadsOf(facts?.subtasks ?? []));
  if (skew === undefined || skew.ratio < NOTABLE_SKEW) return null;
  const subtask = `${skew.greatestIndex + 1}/${facts?.subtasks.length ?? 0}`;
  return (
    <span class="badge warn" title={text.skewed(factor(skew.ratio), subtask)}>
      {text.skew} {factor(skew.ratio)}
    </span>
  );
}
