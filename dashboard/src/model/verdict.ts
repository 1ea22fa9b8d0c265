import type { BarrierCourse } from "./barrier-course.ts";
import { hasAnswered } from "./barrier-course.ts";
import type { CheckpointDetail } from "./checkpoint.ts";
import type { SubtaskPlace } from "./subtask-place.ts";
import type { CheckpointCourse, CriticalPhase, CriticalStep } from "./critical-path.ts";
import { median, type PressureCause, type Pressures, pressureCauseOf } from "./pressure.ts";

/** Subtasks of one vertex. */
export interface SubtaskGroup {
  readonly vertexId: string;
  readonly name: string;
  readonly parallelism: number;
  readonly subtaskIndexes: readonly number[];
}

/** Who held a checkpoint up, as facts from which a sentence is made. */
export type Verdict =
  /** No subtask's course is known. */
  | { readonly kind: "unknown" }
  | {
      readonly kind: "held-up";
      readonly group: SubtaskGroup;
      readonly phase: Exclude<CriticalPhase, "silence" | "decline">;
      readonly durationMs: number;
      readonly totalMs: number;
      /** The same measure of the vertex's other subtasks, in the middle. */
      readonly siblingMs: number | undefined;
      /** False if the whole checkpoint was quick: then it is only the longest part. */
      readonly isSlow: boolean;
      readonly pressure: PressureCause | undefined;
    }
  | {
      readonly kind: "silent";
      readonly group: SubtaskGroup;
      /** True if it passed the barrier on, so that only its own snapshot is missing. */
      readonly isSnapshotting: boolean;
      readonly isOver: boolean;
      readonly waitedMs: number;
      /** When the last answer came, since the trigger; undefined if there was none. */
      readonly othersMs: number | undefined;
      readonly answeredCount: number;
      /** How many subtasks could not begin because of it. */
      readonly behindCount: number;
      readonly pressure: PressureCause | undefined;
    }
  | {
      readonly kind: "declined";
      readonly group: SubtaskGroup;
      readonly cause: string | undefined;
      readonly afterMs: number;
    };

/** A whole checkpoint below this is not worth blaming anybody for. */
const SLOW_MS = 1_000;

/**
 * Names the subtask that held a checkpoint up.
 *
 * @param pressures - What the subtasks do at the moment; empty for a checkpoint of a job that is gone.
 */
export function verdictOf(
  detail: CheckpointDetail,
  course: CheckpointCourse,
  pressures: Pressures,
): Verdict {
  const declined = course.criticalPath.find(({ phase }) => phase === "decline");
  if (declined !== undefined) return declineVerdict(detail, declined);
  const silent = [...course.silences].find(([, silence]) => silence !== "behind");
  if (silent !== undefined) return silenceVerdict(detail, course, silent[0], pressures);
  const blamed = blamedStep(course.criticalPath);
  if (blamed === undefined) return { kind: "unknown" };
  const { phase, fromMs, toMs } = blamed;
  if (phase === "silence" || phase === "decline") return { kind: "unknown" };
  return {
    kind: "held-up",
    group: groupOf(detail, blamed.vertexId, [blamed.subtaskIndex]),
    phase,
    durationMs: toMs - fromMs,
    totalMs: course.lengthMs,
    siblingMs: siblingMeasure(course, blamed),
    isSlow: course.lengthMs >= SLOW_MS,
    pressure:
      phase === "input" || phase === "trigger"
        ? pressureCauseOf([blamed], detail.topology, pressures)
        : undefined,
  };
}

/**
 * The step to blame: the longest; but among waits in inputs the last of the long ones, because a barrier that waits
 * before a slow vertex fills the inputs of the vertices before it, too.
 */
function blamedStep(path: readonly CriticalStep[]): CriticalStep | undefined {
  const lengthOf = ({ fromMs, toMs }: CriticalStep): number => toMs - fromMs;
  const longest = path.reduce<CriticalStep | undefined>(
    (best, step) => (best === undefined || lengthOf(step) > lengthOf(best) ? step : best),
    undefined,
  );
  if (longest?.phase !== "input") return longest;
  return path.findLast((step) => step.phase === "input" && lengthOf(step) >= lengthOf(longest) / 2);
}

function declineVerdict(detail: CheckpointDetail, step: CriticalStep): Verdict {
  const subtask = detail.vertices
    .find(({ vertexId }) => vertexId === step.vertexId)
    ?.subtasks.find(({ subtaskIndex }) => subtaskIndex === step.subtaskIndex);
  return {
    kind: "declined",
    group: groupOf(detail, step.vertexId, [step.subtaskIndex]),
    cause: subtask?.declineCause,
    afterMs: step.toMs,
  };
}

function silenceVerdict(
  detail: CheckpointDetail,
  course: CheckpointCourse,
  first: BarrierCourse,
  pressures: Pressures,
): Verdict {
  const silence = course.silences.get(first);
  const together = [...course.silences]
    .filter(([other, kind]) => other.vertexId === first.vertexId && kind === silence)
    .map(([other]) => other);
  const inTime = course.courses.filter(({ subtask: { status } }) => status === "acknowledged");
  return {
    kind: "silent",
    group: groupOf(
      detail,
      first.vertexId,
      together.map(({ subtaskIndex }) => subtaskIndex),
    ),
    isSnapshotting: silence === "snapshotting",
    isOver: detail.summary.status !== "IN_PROGRESS",
    waitedMs: course.lengthMs,
    othersMs:
      inTime.length === 0
        ? undefined
        : Math.max(...inTime.map(({ acknowledgedMs = 0 }) => acknowledgedMs)),
    answeredCount: course.courses.filter(hasAnswered).length,
    behindCount: [...course.silences.values()].filter((kind) => kind === "behind").length,
    pressure:
      silence === "snapshotting"
        ? undefined
        : pressureCauseOf(together, detail.topology, pressures),
  };
}

function siblingMeasure(course: CheckpointCourse, step: CriticalStep): number | undefined {
  const measure = ({
    subtask,
    lastBarrierMs,
    asyncEndMs,
    acknowledgedMs,
  }: BarrierCourse): number | undefined => {
    if (step.phase === "sync") return subtask.syncMs;
    if (step.phase === "async") return subtask.asyncMs;
    if (step.phase !== "acknowledgement") return lastBarrierMs;
    return acknowledgedMs === undefined || asyncEndMs === undefined
      ? undefined
      : acknowledgedMs - asyncEndMs;
  };
  return median(
    course.courses
      .filter(
        ({ vertexId, subtaskIndex }) =>
          vertexId === step.vertexId && subtaskIndex !== step.subtaskIndex,
      )
      .map(measure)
      .filter((value) => value !== undefined),
  );
}

function groupOf(
  detail: CheckpointDetail,
  vertexId: string,
  subtaskIndexes: readonly number[],
): SubtaskGroup {
  const vertex = detail.vertices.find((candidate) => candidate.vertexId === vertexId);
  return {
    vertexId,
    name: vertex?.name ?? vertexId,
    parallelism: vertex?.parallelism ?? 1,
    subtaskIndexes,
  };
}

/** True if a verdict says that something went wrong, and does not only name the longest part. */
export function isBlame(verdict: Verdict): boolean {
  return verdict.kind === "held-up" ? verdict.isSlow : verdict.kind !== "unknown";
}

/** The subtasks that a verdict names. */
export function namedPlaces(verdict: Verdict): readonly SubtaskPlace[] {
  if (verdict.kind === "unknown") return [];
  const { vertexId, subtaskIndexes } = verdict.group;
  return subtaskIndexes.map((subtaskIndex) => ({ vertexId, subtaskIndex }));
}
