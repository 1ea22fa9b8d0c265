import { type BarrierCourse, coursesOf } from "./barrier-course.ts";
import type { CheckpointDetail } from "./checkpoint.ts";
import { placeKey, type SubtaskPlace } from "./subtask-place.ts";

export type ComparedPhase =
  | "start-delay"
  | "alignment"
  | "sync"
  | "async"
  | "acknowledgement"
  | "total";

/** How one measure of one subtask changed from one checkpoint to another; undefined where it has no value. */
export interface PhaseChange extends SubtaskPlace {
  readonly name: string;
  readonly parallelism: number;
  readonly phase: ComparedPhase;
  readonly beforeMs: number | undefined;
  readonly afterMs: number | undefined;
  readonly changeMs: number;
}

export interface CheckpointComparison {
  readonly durationChangeMs: number | undefined;
  readonly stateSizeChangeBytes: number;
  /** The greatest change first. `total` stands only where a subtask answered in one of the two alone. */
  readonly changes: readonly PhaseChange[];
}

const PHASES: readonly Exclude<ComparedPhase, "total">[] = [
  "start-delay",
  "alignment",
  "sync",
  "async",
  "acknowledgement",
];

/** Compares two checkpoints subtask by subtask and phase by phase. Subtasks that are in one alone are left out. */
export function compareCheckpoints(
  before: CheckpointDetail,
  after: CheckpointDetail,
): CheckpointComparison {
  const earlier = new Map(coursesOf(before).map((course) => [placeKey(course), course]));
  const changes = coursesOf(after).flatMap((course) => {
    const other = earlier.get(placeKey(course));
    if (other === undefined) return [];
    const vertex = after.vertices.find(({ vertexId }) => vertexId === course.vertexId);
    const place = {
      vertexId: course.vertexId,
      subtaskIndex: course.subtaskIndex,
      name: vertex?.name ?? course.vertexId,
      parallelism: vertex?.parallelism ?? 1,
    };
    return changesOf(other, course, { before, after }).map((change) => ({ ...place, ...change }));
  });
  const { durationMs: beforeMs } = before.summary;
  const { durationMs: afterMs } = after.summary;
  return {
    durationChangeMs:
      beforeMs === undefined || afterMs === undefined ? undefined : afterMs - beforeMs,
    stateSizeChangeBytes: after.summary.stateSizeBytes - before.summary.stateSizeBytes,
    changes: changes.toSorted((left, right) => Math.abs(right.changeMs) - Math.abs(left.changeMs)),
  };
}

type Change = Pick<PhaseChange, "phase" | "beforeMs" | "afterMs" | "changeMs">;

function changesOf(
  before: BarrierCourse,
  after: BarrierCourse,
  details: { readonly before: CheckpointDetail; readonly after: CheckpointDetail },
): readonly Change[] {
  if ((before.acknowledgedMs === undefined) !== (after.acknowledgedMs === undefined)) {
    const lengthMs = (detail: CheckpointDetail): number => detail.summary.durationMs ?? 0;
    const changeMs =
      (after.acknowledgedMs ?? lengthMs(details.after)) -
      (before.acknowledgedMs ?? lengthMs(details.before));
    return [
      { phase: "total", beforeMs: before.acknowledgedMs, afterMs: after.acknowledgedMs, changeMs },
    ];
  }
  return PHASES.flatMap((phase) => {
    const beforeMs = phaseMs(before, phase);
    const afterMs = phaseMs(after, phase);
    if (beforeMs === undefined || afterMs === undefined || beforeMs === afterMs) return [];
    return [{ phase, beforeMs, afterMs, changeMs: afterMs - beforeMs }];
  });
}

/** The length of one phase of one subtask. */
export function phaseMs(
  course: BarrierCourse,
  phase: Exclude<ComparedPhase, "total">,
): number | undefined {
  const { subtask, asyncEndMs, acknowledgedMs } = course;
  if (phase === "start-delay") return subtask.startDelayMs;
  if (phase === "alignment") return subtask.alignmentMs;
  if (phase === "sync") return subtask.syncMs;
  if (phase === "async") return subtask.asyncMs;
  return acknowledgedMs === undefined || asyncEndMs === undefined
    ? undefined
    : acknowledgedMs - asyncEndMs;
}
