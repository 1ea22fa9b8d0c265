import type { TaskMetricsSnapshot } from "../../runtime/index.ts";

/** Counts that rates are made of, by metric name. */
type Counts = Readonly<Record<string, number>>;

interface Sample {
  readonly atMs: number;
  readonly counts: Counts;
}

/** Rates are means over at most so long. Flink takes a minute; a shorter time shows sooner what changes. */
const WINDOW_MS = 10_000;

/** Before the names of meters, so that they are none of an operator's own. */
const METER = "meter/";

/** Remembers what tasks and operators have counted, and says how much of it came per second. */
export class TaskRates {
  readonly #samples = new Map<string, readonly Sample[]>();

  /** Takes note of what the tasks of the present attempt have counted. Those that are gone are forgotten. */
  sample(tasks: readonly TaskMetricsSnapshot[], nowMs: number): void {
    const seen = new Set<string>();
    for (const task of tasks) {
      this.#add(taskKey(task), taskCounts(task), nowMs, seen);
      for (const { operatorId, numRecordsIn, numRecordsOut, meters } of task.operators) {
        const key = operatorKey(task, operatorId);
        const ofMeters = Object.entries(meters).map(([name, count]) => [`${METER}${name}`, count]);
        const counts = { numRecordsIn, numRecordsOut, ...Object.fromEntries(ofMeters) };
        this.#add(key, counts, nowMs, seen);
      }
    }
    for (const key of this.#samples.keys()) if (!seen.has(key)) this.#samples.delete(key);
  }

  /** A task's count per second; 0 as long as there is only one sample. */
  ofTask(task: TaskMetricsSnapshot, name: keyof ReturnType<typeof taskCounts>): number {
    return this.#rate(taskKey(task), name);
  }

  ofOperator(
    task: TaskMetricsSnapshot,
    operatorId: string,
    name: "numRecordsIn" | "numRecordsOut",
  ): number {
    return this.#rate(operatorKey(task, operatorId), name);
  }

  /** Events of a user's meter per second. */
  ofMeter(task: TaskMetricsSnapshot, operatorId: string, name: string): number {
    return this.#rate(operatorKey(task, operatorId), `${METER}${name}`);
  }

  #add(key: string, counts: Counts, atMs: number, seen: Set<string>): void {
    seen.add(key);
    const before = this.#samples.get(key) ?? [];
    const kept = before.filter((sample) => atMs - sample.atMs <= WINDOW_MS);
    this.#samples.set(key, [...kept, { atMs, counts }]);
  }

  #rate(key: string, name: string): number {
    const samples = this.#samples.get(key);
    const first = samples?.[0];
    const last = samples?.at(-1);
    if (first === undefined || last === undefined || last.atMs <= first.atMs) return 0;
    const counted = (last.counts[name] ?? 0) - (first.counts[name] ?? 0);
    return Math.max(0, (counted * 1000) / (last.atMs - first.atMs));
  }
}

/** What of a task is shown as a rate. */
function taskCounts(task: TaskMetricsSnapshot): {
  readonly [
    K in `num${"Records" | "Bytes" | "Buffers"}${"In" | "Out"}` | keyof TaskMetricsSnapshot["times"]
  ]: number;
} {
  const { numRecordsIn, numRecordsOut, numBytesIn, numBytesOut } = task;
  const { numBuffersIn, numBuffersOut, times } = task;
  return {
    numRecordsIn,
    numRecordsOut,
    numBytesIn,
    numBytesOut,
    numBuffersIn,
    numBuffersOut,
    ...times,
  };
}

function taskKey({ task }: TaskMetricsSnapshot): string {
  return `${task.vertexId}/${task.subtaskIndex}/${task.attempt}`;
}

function operatorKey(task: TaskMetricsSnapshot, operatorId: string): string {
  return `${taskKey(task)}/${operatorId}`;
}
