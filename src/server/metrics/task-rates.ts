import type { TaskMetricsSnapshot } from "../../runtime/index.ts";

/** Counts that rates are made of, by metric name. */
type Counts = Readonly<Record<string, number>>;

interface Sample {
  readonly atMs: number;
  readonly counts: Counts;
}

/** Rates are means over at most so long. Flink takes a minute; a shorter time shows sooner what changes. */
const WINDOW_MS = 10_000;

/** Remembers what tasks and operators have counted, and says how much of it came per second. */
export class TaskRates {
  readonly #samples = new Map<string, readonly Sample[]>();

  /** Takes note of what the tasks of the present attempt have counted. Those that are gone are forgotten. */
  sample(tasks: readonly TaskMetricsSnapshot[], nowMs: number): void {
    const seen = new Set<string>();
    for (const task of tasks) {
      this.#add(taskKey(task), taskCounts(task), nowMs, seen);
      for (const { operatorId, numRecordsIn, numRecordsOut } of task.operators) {
        const key = operatorKey(task, operatorId);
        this.#add(key, { numRecordsIn, numRecordsOut }, nowMs, seen);
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

function taskCounts({ numRecordsIn, numRecordsOut, times }: TaskMetricsSnapshot): {
  readonly numRecordsIn: number;
  readonly numRecordsOut: number;
  readonly busyMs: number;
  readonly idleMs: number;
  readonly backPressuredMs: number;
} {
  return { numRecordsIn, numRecordsOut, ...times };
}

function taskKey({ task }: TaskMetricsSnapshot): string {
  return `${task.vertexId}/${task.subtaskIndex}/${task.attempt}`;
}

function operatorKey(task: TaskMetricsSnapshot, operatorId: string): string {
  return `${taskKey(task)}/${operatorId}`;
}
