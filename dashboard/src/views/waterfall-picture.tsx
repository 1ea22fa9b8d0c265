import type { JSX } from "preact";

import type { CriticalStep } from "../model/critical-path.ts";
import { isSamePlace, type SubtaskPlace } from "../model/subtask-place.ts";
import { ticksUpTo } from "../model/time-axis.ts";
import type { WaterfallRow } from "../model/waterfall.ts";
import { duration } from "../text/format.ts";

/** Height of a row, of the axis below, and width of the labels beside the picture, in pixels. */
export const ROW = 22;
export const AXIS = 24;
export const LABELS = 52;
const BAR = 12;
const RIGHT = 16;
const NARROWEST = 80;

interface WaterfallPictureProps {
  /** What the picture shows, in words. */
  readonly label: string;
  readonly width: number;
  readonly height: number;
  readonly sharedMs: number;
  readonly rows: PlacedRows;
  readonly path: readonly CriticalStep[];
  readonly named: readonly SubtaskPlace[];
  /** False if the named ones are not to blame and only took longest. */
  readonly isBlamed: boolean;
  readonly shown: WaterfallRow | undefined;
  readonly onPoint: (row: WaterfallRow) => void;
}

/** The bars, the time axis and the critical path. */
export function WaterfallPicture(props: WaterfallPictureProps): JSX.Element {
  const { label, width, height, sharedMs, rows, path, named, isBlamed, shown, onPoint } = props;
  const plotWidth = Math.max(NARROWEST, width - RIGHT);
  const xOf = (ms: number): number => (ms / Math.max(1, sharedMs)) * plotWidth;
  return (
    <svg
      width={width}
      height={height + AXIS}
      style={{ left: `${LABELS}px` }}
      role="img"
      aria-label={label}
    >
      <Grid sharedMs={sharedMs} height={height} xOf={xOf} plotWidth={plotWidth} />
      {rows.map(({ row, y }) => (
        <Row
          key={`${row.vertexId} ${row.subtaskIndex}`}
          row={row}
          y={y}
          xOf={xOf}
          width={plotWidth}
          isNamed={isBlamed && named.some((place) => isSamePlace(place, row))}
          isShown={shown === row}
          onPoint={() => onPoint(row)}
        />
      ))}
      <CriticalLine path={path} rows={rows} xOf={xOf} />
      <Flag path={path} named={named} rows={rows} xOf={xOf} plotWidth={plotWidth} />
    </svg>
  );
}

interface GridProps {
  readonly sharedMs: number;
  readonly height: number;
  readonly plotWidth: number;
  readonly xOf: (ms: number) => number;
}

function Grid({ sharedMs, height, plotWidth, xOf }: GridProps): JSX.Element {
  const ticks = ticksUpTo(sharedMs, Math.max(2, Math.floor(plotWidth / 90)));
  return (
    <g class="grid" aria-hidden="true">
      {ticks.map((ms) => (
        <g key={ms}>
          <line x1={xOf(ms)} x2={xOf(ms)} y1={0} y2={height} />
          <text x={xOf(ms)} y={height + 16} text-anchor={ms === 0 ? "start" : "middle"}>
            {duration(ms)}
          </text>
        </g>
      ))}
    </g>
  );
}

interface RowProps {
  readonly row: WaterfallRow;
  readonly y: number;
  readonly width: number;
  readonly xOf: (ms: number) => number;
  readonly isNamed: boolean;
  readonly isShown: boolean;
  readonly onPoint: () => void;
}

function Row({ row, y, width, xOf, isNamed, isShown, onPoint }: RowProps): JSX.Element {
  const ground = `row-ground${isNamed ? " named" : ""}${isShown ? " shown" : ""}`;
  return (
    <g onPointerEnter={onPoint} onPointerDown={onPoint}>
      <rect class={ground} x={0} y={y} width={width + RIGHT} height={ROW} />
      {row.segments.map(({ phase, fromMs, toMs }) => (
        <rect
          key={phase}
          class={`segment ${phase}`}
          x={xOf(fromMs)}
          y={y + (ROW - BAR) / 2}
          width={Math.max(1.5, xOf(toMs) - xOf(fromMs))}
          height={BAR}
          rx={1.5}
        />
      ))}
    </g>
  );
}

/** Rows with their place, in pixels from the top. */
export type PlacedRows = readonly { readonly row: WaterfallRow; readonly y: number }[];

interface PathProps {
  readonly path: readonly CriticalStep[];
  readonly rows: PlacedRows;
  readonly xOf: (ms: number) => number;
}

/** A step of a subtask that is folded away is drawn at the row that stands for its vertex. */
function rowOfStep(rows: PlacedRows, step: SubtaskPlace): PlacedRows[number] | undefined {
  return (
    rows.find(({ row }) => isSamePlace(row, step)) ??
    rows.find(({ row }) => row.vertexId === step.vertexId)
  );
}

function CriticalLine({ path, rows, xOf }: PathProps): JSX.Element {
  const points = path.flatMap((step) => {
    const placed = rowOfStep(rows, step);
    if (placed === undefined) return [];
    const y = placed.y + ROW - 3;
    return [`${xOf(step.fromMs)},${y}`, `${xOf(step.toMs)},${y}`];
  });
  return <polyline class="critical-line" points={points.join(" ")} />;
}

interface FlagProps extends PathProps {
  readonly named: readonly SubtaskPlace[];
  readonly plotWidth: number;
}

/** Writes the length of the blamed wait beside it. */
function Flag({ path, named, rows, xOf, plotWidth }: FlagProps): JSX.Element | null {
  const steps = path.filter((step) => named.some((place) => isSamePlace(place, step)));
  const step = steps.toSorted(
    (left, right) => right.toMs - right.fromMs - (left.toMs - left.fromMs),
  )[0];
  const placed = step === undefined ? undefined : rowOfStep(rows, step);
  if (step === undefined || placed === undefined) return null;
  const words = duration(step.toMs - step.fromMs);
  const room = words.length * 8 + 12;
  const fromX = xOf(step.fromMs);
  const toX = xOf(step.toMs);
  const middle = (fromX + toX) / 2;
  const fits = toX - fromX >= room;
  const x = fits
    ? middle
    : toX + room / 2 <= plotWidth
      ? toX + room / 2 + 2
      : Math.max(room / 2, fromX - room / 2 - 2);
  return (
    <g class="flag" aria-hidden="true">
      <rect x={x - room / 2} y={placed.y + 3} width={room} height={ROW - 6} rx={4} />
      <text x={x} y={placed.y + ROW - 7} text-anchor="middle">
        {words}
      </text>
    </g>
  );
}
