import { type BarrierCourse, type Silence, coursesOf, silencesOf } from "./barrier-course.ts";
import { type CheckpointDetail, endOf } from "./checkpoint.ts";
import { type SubtaskPlace, placeKey } from "./subtask-place.ts";
import { producersOf } from "./topology.ts";

export type CriticalPhase =
  /** A source had to take notice of the trigger. */
  | "trigger"
  /** The barrier lay in the input of the subtask, behind records, after the subtask before it had passed it on. */
  | "input"
  | "sync"
  | "async"
  | "acknowledgement"
  /** Nothing was heard of the subtask. */
  | "silence"
  /** From what is known of it last to its decline. */
  | "decline";

/** One piece of the chain of waits that ends with the checkpoint's end; milliseconds since the trigger. */
export interface CriticalStep extends SubtaskPlace {
  readonly phase: CriticalPhase;
  readonly fromMs: number;
  readonly toMs: number;
}

/** The barriers' courses with what follows from them. */
export interface CheckpointCourse {
  readonly courses: readonly BarrierCourse[];
  readonly silences: ReadonlyMap<BarrierCourse, Silence>;
  /** From the trigger to the end, or to now. */
  readonly criticalPath: readonly CriticalStep[];
  readonly lengthMs: number;
}

/**
 * Finds the critical path: had any step of it been shorter, the checkpoint would have ended sooner.
 *
 * @remarks
 * It is followed backwards, from the subtask that answered last (or declined, or did not answer) to the producer whose
 * barrier came last, and so on to a source.
 */
export function checkpointCourseOf(detail: CheckpointDetail, nowMs: number): CheckpointCourse {
  const courses = coursesOf(detail);
  const silences = silencesOf(detail, courses);
  const lengthMs = lengthOf(detail, courses, nowMs);
  const last = lastOf(courses, silences);
  const criticalPath = last === undefined ? [] : pathTo(last, detail, courses, lengthMs);
  return { courses, silences, criticalPath, lengthMs };
}

function lengthOf(
  detail: CheckpointDetail,
  courses: readonly BarrierCourse[],
  nowMs: number,
): number {
  const endMs = endOf(detail.summary, nowMs) - detail.summary.triggeredAtMs;
  return courses.reduce(
    (length, { acknowledgedMs = 0 }) => Math.max(length, acknowledgedMs),
    endMs,
  );
}

/** The subtask with which the path ends. */
function lastOf(
  courses: readonly BarrierCourse[],
  silences: ReadonlyMap<BarrierCourse, Silence>,
): BarrierCourse | undefined {
  const declined = courses.find(({ subtask: { status } }) => status === "declined");
  if (declined !== undefined) return declined;
  const silent = [...silences].find(([, silence]) => silence !== "behind");
  if (silent !== undefined) return silent[0];
  return courses.reduce<BarrierCourse | undefined>(
    (latest, course) =>
      (course.acknowledgedMs ?? -1) > (latest?.acknowledgedMs ?? -1) ? course : latest,
    undefined,
  );
}

function pathTo(
  last: BarrierCourse,
  detail: CheckpointDetail,
  courses: readonly BarrierCourse[],
  lengthMs: number,
): readonly CriticalStep[] {
  const steps: CriticalStep[] = ownSteps(last, detail, lengthMs).toReversed();
  const byPlace = new Map(courses.map((candidate) => [placeKey(candidate), candidate]));
  const visited = new Set<BarrierCourse>();
  let course: BarrierCourse | undefined = last;
  while (course !== undefined && !visited.has(course)) {
    visited.add(course);
    const next = steps.at(-1);
    const isKnown: boolean = course.passedOnMs !== undefined;
    const untilMs = (isKnown ? next?.fromMs : next?.toMs) ?? lengthMs;
    const arrivedMs: number = Math.min(course.passedOnMs ?? untilMs, untilMs);
    const from = latestProducer(detail, byPlace, course, arrivedMs);
    const fromMs = Math.min(from?.passedOnMs ?? 0, arrivedMs);
    if (isKnown) {
      const place = { vertexId: course.vertexId, subtaskIndex: course.subtaskIndex };
      steps.push({
        ...place,
        phase: from === undefined ? "trigger" : "input",
        fromMs,
        toMs: arrivedMs,
      });
    } else if (next !== undefined) {
      steps[steps.length - 1] = { ...next, fromMs };
    }
    course = from;
  }
  return steps.toReversed().filter(({ fromMs, toMs }) => toMs > fromMs);
}

/** What the last subtask did after it had the barrier. */
function ownSteps(
  course: BarrierCourse,
  detail: CheckpointDetail,
  lengthMs: number,
): readonly CriticalStep[] {
  const { passedOnMs, syncEndMs, asyncEndMs, acknowledgedMs, subtask } = course;
  const place = { vertexId: course.vertexId, subtaskIndex: course.subtaskIndex };
  if (subtask.status === "pending") {
    return [{ ...place, phase: "silence", fromMs: passedOnMs ?? 0, toMs: lengthMs }];
  }
  if (subtask.status === "declined") {
    const fromMs = asyncEndMs ?? syncEndMs ?? passedOnMs ?? 0;
    const declinedMs =
      (subtask.declinedAtMs ?? detail.summary.endedAtMs ?? 0) - detail.summary.triggeredAtMs;
    return [{ ...place, phase: "decline", fromMs, toMs: Math.max(fromMs, declinedMs) }];
  }
  const moments: readonly (readonly [CriticalPhase, number | undefined])[] = [
    ["sync", syncEndMs],
    ["async", asyncEndMs],
    ["acknowledgement", acknowledgedMs],
  ];
  const steps: CriticalStep[] = [];
  let fromMs = passedOnMs ?? 0;
  for (const [phase, toMs] of moments) {
    if (toMs === undefined) continue;
    steps.push({ ...place, phase, fromMs, toMs });
    fromMs = toMs;
  }
  return steps;
}

/**
 * The producer whose barrier was the last to come, among those that passed it on before it arrived. If clocks differ so
 * much that there is none, the first of them.
 */
function latestProducer(
  detail: CheckpointDetail,
  byPlace: ReadonlyMap<string, BarrierCourse>,
  course: BarrierCourse,
  arrivedMs: number,
): BarrierCourse | undefined {
  const producers = producersOf(detail.topology, course)
    .map((place) => byPlace.get(placeKey(place)))
    .filter((producer) => producer !== undefined)
    .filter(({ passedOnMs }) => passedOnMs !== undefined);
  const before = producers.filter(({ passedOnMs = 0 }) => passedOnMs <= arrivedMs);
  const byTime = (left: BarrierCourse, right: BarrierCourse): number =>
    (left.passedOnMs ?? 0) - (right.passedOnMs ?? 0);
  return before.toSorted(byTime).at(-1) ?? producers.toSorted(byTime)[0];
}
