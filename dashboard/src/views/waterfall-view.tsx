import type { JSX } from "preact";
import { useState } from "preact/hooks";

import type { CheckpointDetail } from "../model/checkpoint.ts";
import { isSamePlace, type SubtaskPlace } from "../model/subtask-place.ts";
import type { CheckpointCourse, CriticalStep } from "../model/critical-path.ts";
import { isBlame, namedPlaces, type Verdict } from "../model/verdict.ts";
import {
  type Waterfall,
  type WaterfallGroup,
  waterfallOf,
  type WaterfallRow,
} from "../model/waterfall.ts";
import { useText } from "../page-context.ts";
import { useWidth } from "../parts/use-width.ts";
import { duration, subtaskName } from "../text/format.ts";
import { AXIS, LABELS, ROW, WaterfallPicture } from "./waterfall-picture.tsx";
import { WaterfallReadout } from "./waterfall-readout.tsx";

const NAME = 30;

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
export function WaterfallView({
  detail,
  course,
  verdict,
  headline,
  sharedMs,
}: WaterfallViewProps): JSX.Element {
  const text = useText();
  const [frame, width] = useWidth();
  const [expanded, setExpanded] = useState<ReadonlyMap<string, boolean>>(new Map());
  const [pointed, setPointed] = useState<SubtaskPlace | undefined>(undefined);
  const waterfall = waterfallOf(detail, course, expanded);
  const { groups, height } = placeGroups(waterfall);
  const named = namedPlaces(verdict);
  const rows = groups.flatMap((placed) => placed.rows);
  const shown =
    rows.find(({ row }) => pointed !== undefined && isSamePlace(row, pointed)) ??
    rows.find(({ row }) => named[0] !== undefined && isSamePlace(row, named[0]));
  const point = (row: WaterfallRow): void =>
    setPointed({ vertexId: row.vertexId, subtaskIndex: row.subtaskIndex });
  return (
    <figure class="waterfall" ref={frame} data-test="waterfall">
      <figcaption class="unseen">{text.waterfallOf(detail.summary.checkpointId)}</figcaption>
      <Legend waterfall={waterfall} />
      <div
        class="waterfall-plot"
        style={{ height: `${height + AXIS}px` }}
        onKeyDown={moveAmongRows}
      >
        {width > 0 && (
          <WaterfallPicture
            label={`${headline} ${pathText(text.criticalPathText, detail, course.criticalPath)}`}
            width={width - LABELS}
            height={height}
            sharedMs={sharedMs}
            rows={rows}
            path={course.criticalPath}
            named={named}
            isBlamed={isBlame(verdict)}
            shown={shown?.row}
            onPoint={point}
          />
        )}
        {groups.map((placed) => (
          <GroupLabels
            key={placed.group.vertexId}
            placed={placed}
            named={isBlame(verdict) ? named : []}
            reachable={(shown ?? rows[0])?.row}
            onPoint={point}
            onToggle={() =>
              setExpanded((before) =>
                new Map(before).set(placed.group.vertexId, !placed.group.isExpanded),
              )
            }
          />
        ))}
      </div>
      {shown !== undefined && <WaterfallReadout detail={detail} row={shown.row} />}
    </figure>
  );
}

function placeGroups(waterfall: Waterfall): {
  readonly groups: readonly PlacedGroup[];
  readonly height: number;
} {
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

/** The rows are one stop for the tabulator; the arrows lead from one to the next. */
function moveAmongRows(event: KeyboardEvent & { readonly currentTarget: Element }): void {
  const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
  const labels = [...event.currentTarget.querySelectorAll<HTMLElement>(".row-label")];
  const from = labels.findIndex((label) => label === document.activeElement);
  const next = labels[from + step];
  if (step === 0 || from < 0 || next === undefined) return;
  event.preventDefault();
  next.focus();
}

interface GroupLabelsProps {
  readonly placed: PlacedGroup;
  readonly named: readonly SubtaskPlace[];
  /** The row at which the tabulator stops. */
  readonly reachable: WaterfallRow | undefined;
  readonly onPoint: (row: WaterfallRow) => void;
  readonly onToggle: () => void;
}

function GroupLabels({
  placed,
  named,
  reachable,
  onPoint,
  onToggle,
}: GroupLabelsProps): JSX.Element {
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
            tabIndex={row === reachable ? 0 : -1}
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
