import type { JSX } from "preact";
import { useState } from "preact/hooks";

import { type CheckpointDetail, isSamePlace, type SubtaskPlace } from "../model/checkpoint.ts";
import type { CheckpointCourse, CriticalStep } from "../model/critical-path.ts";
import { ticksUpTo } from "../model/time-axis.ts";
import { isBlame, namedPlaces, type Verdict } from "../model/verdict.ts";
import { type Waterfall, type WaterfallGroup, waterfallOf, type WaterfallRow } from "../model/waterfall.ts";
import { useText } from "../page-context.ts";
import { useWidth } from "../parts/use-width.ts";
import { duration, subtaskName } from "../text/format.ts";
import { WaterfallReadout } from "./waterfall-readout.tsx";

const ROW = 22;
const BAR = 12;
const NAME = 30;
const AXIS = 24;
const LABELS = 52;
const RIGHT = 16;

interface WaterfallViewProps {
  readonly detail: CheckpointDetail;
  readonly course: CheckpointCourse;
  readonly verdict: Verdict;
  readonly headline: string;
  /** The length of the time axis, so that two waterfalls can be compared. */
  readonly sharedMs: number;
}

/** Where a group's name and its rows stand, in pixels from the top. */
interface PlacedGroup {
  readonly group: WaterfallGroup;
  readonly y: number;
  readonly rows: readonly { readonly row: WaterfallRow; readonly y: number }[];
}

/** The barrier waterfall: every subtask's phases on one time axis, with the critical path through them. */
export function WaterfallView({ detail, course, verdict, headline, sharedMs }: WaterfallViewProps): JSX.Element {
  const text = useText();
  const [frame, width] = useWidth();
  const [expanded, setExpanded] = useState<ReadonlyMap<string, boolean>>(new Map());
  const [pointed, setPointed] = useState<SubtaskPlace | undefined>(undefined);
  const waterfall = waterfallOf(detail, course, expanded);
  const { groups, height } = placeGroups(waterfall);
  const named = namedPlaces(verdict);
  const plotWidth = Math.max(80, width - LABELS - RIGHT);
  const xOf = (ms: number): number => (ms / Math.max(1, sharedMs)) * plotWidth;
  const rows = groups.flatMap((placed) => placed.rows);
  const shown = rows.find(({ row }) => pointed !== undefined && isSamePlace(row, pointed)) ??
    rows.find(({ row }) => named[0] !== undefined && isSamePlace(row, named[0]));
  const point = (row: WaterfallRow): void => setPointed({ vertexId: row.vertexId, subtaskIndex: row.subtaskIndex });
  return (
    <figure class="waterfall" ref={frame} data-test="waterfall">
      <figcaption class="unseen">{text.waterfallOf(detail.summary.checkpointId)}</figcaption>
      <Legend waterfall={waterfall} />
      <div class="waterfall-plot" style={{ height: `${height + AXIS}px` }}>
        {width > 0 && (
          <svg
            width={width - LABELS}
            height={height + AXIS}
            style={{ left: `${LABELS}px` }}
            role="img"
            aria-label={`${headline} ${pathText(text.criticalPathText, detail, course.criticalPath)}`}
          >
            <Grid sharedMs={sharedMs} height={height} xOf={xOf} plotWidth={plotWidth} />
            {rows.map(({ row, y }) => (
              <Row
                key={`${row.vertexId} ${row.subtaskIndex}`}
                row={row}
                y={y}
                xOf={xOf}
                width={plotWidth}
                isNamed={isBlame(verdict) && named.some((place) => isSamePlace(place, row))}
                isShown={shown?.row === row}
                onPoint={() => point(row)}
              />
            ))}
            <CriticalLine path={course.criticalPath} rows={rows} xOf={xOf} />
            <Flag path={course.criticalPath} named={named} rows={rows} xOf={xOf} plotWidth={plotWidth} />
          </svg>
        )}
        {groups.map((placed) => (
          <GroupLabels
            key={placed.group.vertexId}
            placed={placed}
            named={isBlame(verdict) ? named : []}
            onPoint={point}
            onToggle={() =>
              setExpanded((before) => new Map(before).set(placed.group.vertexId, !placed.group.isExpanded))
            }
          />
        ))}
      </div>
      {shown !== undefined && <WaterfallReadout detail={detail} row={shown.row} />}
    </figure>
  );
}

function placeGroups(waterfall: Waterfall): { readonly groups: readonly PlacedGroup[]; readonly height: number } {
  let y = 0;
  const groups = waterfall.groups.map((group): PlacedGroup => {
    const groupY = y;
    const rows = group.rows.map((row, index) => ({ row, y: groupY + NAME + index * ROW }));
    y += NAME + group.rows.length * ROW + 4;
    return { group, y: groupY, rows };
  });
  return { groups, height: y };
}

/** The path in words, one step after the other. */
export function pathText(
  sentence: (steps: string) => string,
  detail: CheckpointDetail,
  path: readonly CriticalStep[],
): string {
  const steps = path.map(({ vertexId, subtaskIndex, fromMs, toMs }) => {
    const vertex = detail.vertices.find((candidate) => candidate.vertexId === vertexId);
    return `${subtaskName(vertex?.name ?? vertexId, subtaskIndex, vertex?.parallelism ?? 1)} ${duration(toMs - fromMs)}`;
  });
  return sentence(steps.join(" → "));
}

function Legend({ waterfall }: { readonly waterfall: Waterfall }): JSX.Element {
  const text = useText();
  return (
    <ul class="legend">
      {waterfall.phases.map((phase) => (
        <li key={phase} title={text.segmentMeanings[phase]}>
          <span class={`swatch ${phase}`} aria-hidden="true" />
          {text.segments[phase]}
        </li>
      ))}
      <li>
        <span class="swatch critical-swatch" aria-hidden="true" />
        {text.criticalPath}
      </li>
    </ul>
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

type PlacedRows = readonly { readonly row: WaterfallRow; readonly y: number }[];

interface PathProps {
  readonly path: readonly CriticalStep[];
  readonly rows: PlacedRows;
  readonly xOf: (ms: number) => number;
}

/** A step of a subtask that is folded away is drawn at the row that stands for its vertex. */
function rowOfStep(rows: PlacedRows, step: SubtaskPlace): PlacedRows[number] | undefined {
  return rows.find(({ row }) => isSamePlace(row, step)) ?? rows.find(({ row }) => row.vertexId === step.vertexId);
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
  const step = steps.toSorted((left, right) => right.toMs - right.fromMs - (left.toMs - left.fromMs))[0];
  const placed = step === undefined ? undefined : rowOfStep(rows, step);
  if (step === undefined || placed === undefined) return null;
  const words = duration(step.toMs - step.fromMs);
  const room = words.length * 8 + 12;
  const fromX = xOf(step.fromMs);
  const toX = xOf(step.toMs);
  const middle = (fromX + toX) / 2;
  const fits = toX - fromX >= room;
  const x = fits ? middle : toX + room / 2 <= plotWidth ? toX + room / 2 + 2 : Math.max(room / 2, fromX - room / 2 - 2);
  return (
    <g class="flag" aria-hidden="true">
      <rect x={x - room / 2} y={placed.y + 3} width={room} height={ROW - 6} rx={4} />
      <text x={x} y={placed.y + ROW - 7} text-anchor="middle">
        {words}
      </text>
    </g>
  );
}

interface GroupLabelsProps {
  readonly placed: PlacedGroup;
  readonly named: readonly SubtaskPlace[];
  readonly onPoint: (row: WaterfallRow) => void;
  readonly onToggle: () => void;
}

function GroupLabels({ placed, named, onPoint, onToggle }: GroupLabelsProps): JSX.Element {
  const text = useText();
  const { group, rows, y } = placed;
  const { name, parallelism, isExpanded } = group;
  return (
    <>
      <div class="group-name" style={{ top: `${y}px` }}>
        {parallelism > 1 ? (
          <button
            type="button"
            class="fold"
            aria-expanded={isExpanded}
            aria-label={isExpanded ? text.collapse(name) : text.expand(name)}
            onClick={onToggle}
          >
            <span aria-hidden="true">{isExpanded ? "▾" : "▸"}</span> {name}
          </button>
        ) : (
          <span class="fold">{name}</span>
        )}
        {!isExpanded && <span class="faint">{text.slowestOf(parallelism)}</span>}
      </div>
      {rows.map(({ row, y: rowY }) => {
        const isNamed = named.some((place) => isSamePlace(place, row));
        return (
          <button
            key={row.subtaskIndex}
            type="button"
            class={`row-label${isNamed ? " named" : ""}`}
            style={{ top: `${rowY}px` }}
            onFocus={() => onPoint(row)}
            onClick={() => onPoint(row)}
          >
            <span class="unseen">{name} </span>
            {`${row.subtaskIndex + 1}/${parallelism}`}
          </button>
        );
      })}
    </>
  );
}
