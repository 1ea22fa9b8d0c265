import type { JSX } from "preact";
import { useState } from "preact/hooks";

import { stackAreas, type StackedAreas } from "../model/stacked-areas.ts";
import type { Topology } from "../model/topology.ts";
import { useText } from "../page-context.ts";
import { useWidth } from "../parts/use-width.ts";
import type { StateSizes } from "../rest/job-queries.ts";
import { bytes, timeOfDay } from "../text/format.ts";

interface StateSizeChartProps {
  /** Oldest first. */
  readonly points: readonly StateSizes[];
  readonly topology: Topology;
}

const HEIGHT = 180;
const LEFT = 70;
const RIGHT = 16;
const TOP = 10;
const BOTTOM = 24;

/** How large each operator's state is, checkpoint by checkpoint, the operators stacked upon each other. */
export function StateSizeChart({ points, topology }: StateSizeChartProps): JSX.Element | null {
  const text = useText();
  if (points.length === 0) return null;
  const stateful = topology.filter(({ vertexId }) =>
    points.some(({ bytesByVertex }) => (bytesByVertex.get(vertexId) ?? 0) > 0),
  );
  return (
    <section class="card" aria-labelledby="sizes-title">
      <div class="card-head">
        <h2 id="sizes-title">{text.stateByOperator}</h2>
        <span class="faint">{text.stateByOperatorHint}</span>
      </div>
      {points.length > 1 && <Chart points={points} topology={stateful} />}
      <SizesTable points={points} topology={stateful} />
    </section>
  );
}

function Chart({ points, topology }: StateSizeChartProps): JSX.Element {
  const text = useText();
  const [frame, width] = useWidth();
  const [pointed, setPointed] = useState<number | undefined>(undefined);
  const plotWidth = Math.max(80, width - LEFT - RIGHT);
  const stacked = stackAreas(
    points.map(({ atMs, bytesByVertex }) => ({
      atMs,
      values: topology.map(({ vertexId }) => bytesByVertex.get(vertexId) ?? 0),
    })),
  );
  const x = (ratio: number): number => LEFT + ratio * plotWidth;
  const shownIndex = pointed ?? points.length - 1;
  const shown = points[shownIndex];
  const point = (event: PointerEvent): void => {
    const ratio = (event.offsetX - LEFT) / plotWidth;
    const distances = stacked.xs.map((own) => Math.abs(own - ratio));
    setPointed(distances.indexOf(Math.min(...distances)));
  };
  return (
    <div class="chart" ref={frame}>
      {width > 0 && (
        <svg
          width={width}
          height={HEIGHT + TOP + BOTTOM}
          role="img"
          aria-labelledby="sizes-title"
          onPointerMove={point}
          onPointerLeave={() => setPointed(undefined)}
        >
          <Axes points={points} stacked={stacked} x={x} width={width} />
          {stacked.areas.map(({ lower, upper }, index) => (
            <path
              key={topology[index]?.vertexId}
              class={`area series-${(index % 6) + 1}`}
              d={areaPath(stacked.xs.map(x), lower.map(y), upper.map(y))}
            />
          ))}
          <line
            class="chart-cursor"
            x1={x(stacked.xs[shownIndex] ?? 0)}
            x2={x(stacked.xs[shownIndex] ?? 0)}
            y1={TOP}
            y2={TOP + HEIGHT}
          />
        </svg>
      )}
      <ul class="legend chart-legend">
        <li>
          {text.checkpointKinds.CHECKPOINT} <b>{shown?.checkpointId}</b>
        </li>
        {topology.map(({ vertexId, name }, index) => (
          <li key={vertexId}>
            <span class={`swatch series-${(index % 6) + 1}`} aria-hidden="true" />
            {name} <b>{bytes(shown?.bytesByVertex.get(vertexId))}</b>
          </li>
        ))}
      </ul>
    </div>
  );
}

function y(ratio: number): number {
  return TOP + (1 - ratio) * HEIGHT;
}

function areaPath(
  xs: readonly number[],
  lower: readonly number[],
  upper: readonly number[],
): string {
  const there = xs.map((x, index) => `${x},${upper[index]}`);
  const back = xs.map((x, index) => `${x},${lower[index]}`).toReversed();
  return `M${[...there, ...back].join("L")}Z`;
}

interface AxesProps {
  readonly points: readonly StateSizes[];
  readonly stacked: StackedAreas;
  readonly width: number;
  readonly x: (ratio: number) => number;
}

function Axes({ points, stacked, width, x }: AxesProps): JSX.Element {
  const labels = [0, points.length - 1];
  return (
    <g class="grid">
      {stacked.ticks.map((tick) => (
        <g key={tick}>
          <line
            x1={LEFT}
            x2={width - RIGHT}
            y1={y(tick / stacked.top)}
            y2={y(tick / stacked.top)}
          />
          <text x={LEFT - 8} y={y(tick / stacked.top) + 4} text-anchor="end">
            {bytes(tick)}
          </text>
        </g>
      ))}
      {labels.map((index) => (
        <text
          key={index}
          x={x(stacked.xs[index] ?? 0)}
          y={TOP + HEIGHT + 16}
          text-anchor={index === 0 ? "start" : "end"}
        >
          {timeOfDay(points[index]?.atMs)}
        </text>
      ))}
    </g>
  );
}

function SizesTable({ points, topology }: StateSizeChartProps): JSX.Element {
  const text = useText();
  return (
    <details class="as-table">
      <summary>{text.asTable}</summary>
      <div class="scroll" tabIndex={0} role="group" aria-label={text.stateByOperator}>
        <table class="list dense">
          <thead>
            <tr>
              <th scope="col">{text.checkpointKinds.CHECKPOINT}</th>
              <th scope="col">{text.triggered}</th>
              {topology.map(({ vertexId, name }) => (
                <th key={vertexId} scope="col" class="number">
                  {name}
                </th>
              ))}
              <th scope="col" class="number">
                {text.total}
              </th>
            </tr>
          </thead>
          <tbody>
            {points.map(({ checkpointId, atMs, bytesByVertex }) => (
              <tr key={checkpointId}>
                <th scope="row">{checkpointId}</th>
                <td>{timeOfDay(atMs)}</td>
                {topology.map(({ vertexId }) => (
                  <td key={vertexId} class="number">
                    {bytes(bytesByVertex.get(vertexId))}
                  </td>
                ))}
                <td class="number">
                  {bytes([...bytesByVertex.values()].reduce((sum, size) => sum + size, 0))}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
