import type { CheckpointDetail, SubtaskCheckpoint } from "./checkpoint.ts";
import type { SubtaskPlace } from "./subtask-place.ts";
import { placeKey } from "./subtask-place.ts";
import { isConnectedToAll, producersOf } from "./topology.ts";

/** Moments of one subtask in a checkpoint, in milliseconds since its trigger; undefined if not known. */
export interface BarrierCourse extends SubtaskPlace {
  readonly subtask: SubtaskCheckpoint;
  readonly firstBarrierMs: number | undefined;
  readonly lastBarrierMs: number | undefined;
  /** When it passed the barrier on: after the last one arrived, or after the first if the checkpoint is unaligned. */
  readonly passedOnMs: number | undefined;
  readonly syncEndMs: number | undefined;
  readonly asyncEndMs: number | undefined;
  readonly acknowledgedMs: number | undefined;
}

/** What is known of a subtask that did not answer. */
export type Silence =
  /** Every barrier was on its way to it: it is what the others wait for. */
  | "holding"
  /** A subtask before it had not passed the barrier on: it could not begin. */
  | "behind"
  /** A subtask after it acknowledged, so it had passed the barrier on: its own snapshot is what is missing. */
  | "snapshotting";

/**
 * The course of every subtask, in topological order.
 *
 * @remarks
 * Clocks of different machines differ, so phases that would end after the acknowledgement are cut off there.
 */
export function coursesOf(detail: CheckpointDetail): readonly BarrierCourse[] {
  const { triggeredAtMs } = detail.summary;
  return detail.vertices.flatMap(({ vertexId, subtasks }) =>
    subtasks.map((subtask) => courseOf(vertexId, subtask, triggeredAtMs)),
  );
}

function courseOf(
  vertexId: string,
  subtask: SubtaskCheckpoint,
  triggeredAtMs: number,
): BarrierCourse {
  const { acknowledgedAtMs, startDelayMs, isUnaligned } = subtask;
  const acknowledgedMs =
    acknowledgedAtMs === undefined ? undefined : Math.max(0, acknowledgedAtMs - triggeredAtMs);
  const limit = (ms: number): number => Math.min(ms, acknowledgedMs ?? Number.POSITIVE_INFINITY);
  const after = (ms: number | undefined, durationMs: number | undefined): number | undefined =>
    ms === undefined || durationMs === undefined ? undefined : limit(ms + durationMs);
  const firstBarrierMs = startDelayMs === undefined ? undefined : limit(startDelayMs);
  const lastBarrierMs = after(firstBarrierMs, subtask.alignmentMs ?? 0);
  const passedOnMs = isUnaligned ? firstBarrierMs : lastBarrierMs;
  const syncEndMs = after(passedOnMs, subtask.syncMs);
  return {
    vertexId,
    subtaskIndex: subtask.subtaskIndex,
    subtask,
    firstBarrierMs,
    lastBarrierMs,
    passedOnMs,
    syncEndMs,
    asyncEndMs: after(syncEndMs, subtask.asyncMs),
    acknowledgedMs,
  };
}

/** True if a subtask has acknowledged, in time or too late. */
export function hasAnswered({ subtask: { status } }: BarrierCourse): boolean {
  return status === "acknowledged" || status === "late" || status === "finished";
}

/** Says of each subtask that has not answered what its silence means. */
export function silencesOf(
  detail: CheckpointDetail,
  courses: readonly BarrierCourse[],
): ReadonlyMap<BarrierCourse, Silence> {
  const byPlace = new Map(courses.map((course) => [placeKey(course), course]));
  const silent = courses.filter(({ subtask: { status } }) => status === "pending");
  const passed = passedOnBySilent(detail, courses, silent);
  const waits = (course: BarrierCourse): boolean =>
    producersOf(detail.topology, course).some((producer) => {
      const found = byPlace.get(placeKey(producer));
      return found !== undefined && !hasAnswered(found) && !passed.has(found);
    });
  const waitsOfVertex = new Map<string, boolean>();
  const silences = new Map<BarrierCourse, Silence>();
  for (const course of silent) {
    const isBehind = waitsOfVertex.get(course.vertexId) ?? waits(course);
    if (isConnectedToAll(detail.topology, course.vertexId)) {
      waitsOfVertex.set(course.vertexId, isBehind);
    }
    const silence = isBehind ? "behind" : "holding";
    silences.set(course, passed.has(course) ? "snapshotting" : silence);
  }
  return silences;
}

/** The silent subtasks that have passed the barrier on, as an answer from a subtask behind them shows. */
function passedOnBySilent(
  detail: CheckpointDetail,
  courses: readonly BarrierCourse[],
  silent: readonly BarrierCourse[],
): ReadonlySet<BarrierCourse> {
  const passed = new Set<BarrierCourse>();
  const silentByPlace = new Map(silent.map((course) => [placeKey(course), course]));
  const isEdgeKnown = detail.topology.every(({ inputs }) => inputs !== undefined);
  if (!isEdgeKnown || silent.length === 0) return passed;
  const seen = new Set<string>();
  for (const course of courses) {
    if (!hasAnswered(course) || seen.has(course.vertexId)) continue;
    if (isConnectedToAll(detail.topology, course.vertexId)) seen.add(course.vertexId);
    for (const producer of producersOf(detail.topology, course)) {
      const found = silentByPlace.get(placeKey(producer));
      if (found !== undefined) passed.add(found);
    }
  }
  return passed;
}
