import type { BarrierCourse, Silence } from "./barrier-course.ts";
import type { CheckpointDetail } from "./checkpoint.ts";
import { isSamePlace, type SubtaskPlace } from "./subtask-place.ts";
import type { CheckpointCourse, CriticalStep } from "./critical-path.ts";

export type SegmentPhase =
  | "start-delay"
  | "alignment"
  | "sync"
  | "async"
  | "acknowledgement"
  /** Everything waits for this subtask. */
  | "holding"
  /** It could not begin yet. */
  | "behind"
  /** It passed the barrier on, but its snapshot is missing. */
  | "snapshotting"
  | "declined";

/** The phases in the order of their course, as a legend shows them. */
const SEGMENT_PHASES: readonly SegmentPhase[] = [
  "start-delay",
  "alignment",
  "sync",
  "async",
  "acknowledgement",
  "holding",
  "behind",
  "snapshotting",
  "declined",
];

/** Milliseconds since the trigger. */
export interface WaterfallSegment {
  readonly phase: SegmentPhase;
  readonly fromMs: number;
  readonly toMs: number;
}

export interface WaterfallRow extends SubtaskPlace {
  readonly segments: readonly WaterfallSegment[];
  /** True if the critical path leads through it. */
  readonly isCritical: boolean;
  readonly course: BarrierCourse;
}

export interface WaterfallGroup {
  readonly vertexId: string;
  readonly name: string;
  readonly parallelism: number;
  readonly isExpanded: boolean;
  /** All subtasks if expanded, else the one that was last. */
  readonly rows: readonly WaterfallRow[];
}

export interface Waterfall {
  readonly groups: readonly WaterfallGroup[];
  readonly lengthMs: number;
  readonly phases: readonly SegmentPhase[];
}

/** Up to this many rows, every subtask is shown at once. */
const ROWS_AT_ONCE = 48;

/**
 * Lays a checkpoint out as rows of segments.
 *
 * @param expanded - By vertex id, what a person chose; vertices that are not in it are expanded if all rows fit.
 */
export function waterfallOf(
  detail: CheckpointDetail,
  course: CheckpointCourse,
  expanded: ReadonlyMap<string, boolean>,
): Waterfall {
  const rowCount = course.courses.length;
  const groups = detail.vertices.map(({ vertexId, name, parallelism }): WaterfallGroup => {
    const rows = course.courses
      .filter((candidate) => candidate.vertexId === vertexId)
      .map((candidate) => rowOf(candidate, course));
    const isExpanded = expanded.get(vertexId) ?? rowCount <= ROWS_AT_ONCE;
    return { vertexId, name, parallelism, isExpanded, rows: isExpanded ? rows : lastRow(rows) };
  });
  const used = new Set(
    groups.flatMap(({ rows }) =>
      rows.flatMap(({ segments }) => segments.map(({ phase }) => phase)),
    ),
  );
  return {
    groups,
    lengthMs: course.lengthMs,
    phases: SEGMENT_PHASES.filter((phase) => used.has(phase)),
  };
}

/** The row that stands for a collapsed vertex: one on the critical path, else the one that ended last. */
function lastRow(rows: readonly WaterfallRow[]): readonly WaterfallRow[] {
  const endOfRow = ({ segments }: WaterfallRow): number => segments.at(-1)?.toMs ?? 0;
  const last =
    rows.find(({ isCritical }) => isCritical) ??
    rows.toSorted((left, right) => endOfRow(right) - endOfRow(left))[0];
  return last === undefined ? [] : [last];
}

function rowOf(course: BarrierCourse, whole: CheckpointCourse): WaterfallRow {
  return {
    vertexId: course.vertexId,
    subtaskIndex: course.subtaskIndex,
    segments: segmentsOf(course, whole),
    isCritical: whole.criticalPath.some((step) => isSamePlace(step, course)),
    course,
  };
}

function segmentsOf(course: BarrierCourse, whole: CheckpointCourse): readonly WaterfallSegment[] {
  const { subtask } = course;
  if (subtask.status === "finished" && course.acknowledgedMs === undefined) return [];
  if (subtask.status === "pending") return [silentSegment(course, whole)];
  const ends: readonly (readonly [SegmentPhase, number | undefined])[] = [
    ["start-delay", course.firstBarrierMs],
    ["alignment", course.passedOnMs],
    ["sync", course.syncEndMs],
    ["async", course.asyncEndMs],
    subtask.status === "declined"
      ? ["declined", stepOf(course, whole.criticalPath)?.toMs ?? whole.lengthMs]
      : ["acknowledgement", course.acknowledgedMs],
  ];
  const segments: WaterfallSegment[] = [];
  let fromMs = 0;
  for (const [phase, toMs] of ends) {
    if (toMs === undefined || toMs <= fromMs) continue;
    segments.push({ phase, fromMs, toMs });
    fromMs = toMs;
  }
  return segments;
}

const SILENT_PHASE: Readonly<Record<Silence, SegmentPhase>> = {
  holding: "holding",
  behind: "behind",
  snapshotting: "snapshotting",
};

/** One that is not on the critical path is drawn from the trigger: nothing is known of when its barrier came. */
function silentSegment(course: BarrierCourse, whole: CheckpointCourse): WaterfallSegment {
  const phase = SILENT_PHASE[whole.silences.get(course) ?? "holding"];
  const fromMs = stepOf(course, whole.criticalPath)?.fromMs ?? 0;
  return { phase, fromMs, toMs: whole.lengthMs };
}

function stepOf(place: SubtaskPlace, path: readonly CriticalStep[]): CriticalStep | undefined {
  return path.findLast((step) => isSamePlace(step, place));
}
