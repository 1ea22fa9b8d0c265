import type { FileFaults, FileOperation } from "./simulated-files.ts";
import type { SeededRandom } from "./seeded-random.ts";
import { systemError } from "./simulated-disk.ts";

/**
 * What can go wrong in a simulation.
 *
 * - `crash`: the whole process dies; what was not forced to the disk may be lost.
 * - `lost-slot`: the thread that runs the tasks dies, the JobManager lives.
 * - `task-failure`: one task throws.
 * - `slow-storage`: file operations take up to seconds for a while.
 * - `storage-error`: file operations fail, some of them or all for a while.
 * - `late-messages`: messages between JobManager and tasks, and so triggers and acknowledgements, take long.
 * - `slow-task`: one task gets only a few of its turns.
 */
export type FaultKind =
  | "crash"
  | "lost-slot"
  | "task-failure"
  | "slow-storage"
  | "storage-error"
  | "late-messages"
  | "slow-task";

export const FAULT_KINDS: readonly FaultKind[] = [
  "crash",
  "lost-slot",
  "task-failure",
  "slow-storage",
  "storage-error",
  "late-messages",
  "slow-task",
];

interface Interval {
  readonly fromMs: number;
  readonly untilMs: number;
}

/** What goes wrong in a simulated run, and when. */
export interface SimulatedFaults extends FileFaults {
  /** What strikes at this step, if anything. */
  strike(step: number): "crash" | "lost-slot" | "task-failure" | undefined;
  messageDelayMs(): number;
  /** True if a task that may be slow gets no turn now. */
  holdsBack(): boolean;
  /** A life of the process has ended. */
  lifeEnded(): void;
  /** True once nothing will go wrong any more. */
  readonly isOver: boolean;
  /** Counts of what really happened. */
  readonly struck: ReadonlyMap<FaultKind, number>;
}

/** Where the faults of one run lie, drawn from its seed. After `endMs` nothing goes wrong any more, so that every run ends. */
export class FaultSchedule implements SimulatedFaults {
  readonly #random: SeededRandom;
  readonly #nowMs: () => number;
  readonly #endMs: number;
  readonly #kinds: ReadonlySet<FaultKind>;
  readonly #slow: readonly Interval[];
  readonly #failing: readonly (Interval & { readonly probability: number })[];
  /** In steps of the simulation, ascending. */
  readonly #strikes: {
    readonly step: number;
    readonly kind: "crash" | "lost-slot" | "task-failure";
  }[];
  /** Counts of what really happened. */
  readonly struck: Map<FaultKind, number> = new Map();

  /**
   * @param stepCount - Steps of the run without faults.
   * @param durationMs - How long the run without faults took.
   */
  constructor(
    random: SeededRandom,
    kinds: readonly FaultKind[],
    nowMs: () => number,
    stepCount: number,
    durationMs: number,
  ) {
    this.#random = random;
    this.#nowMs = nowMs;
    this.#kinds = new Set(kinds.filter(() => kinds.length === 1 || random.chance(0.6)));
    const startMs = nowMs();
    this.#endMs = startMs + durationMs * 3;
    const interval = (): Interval => {
      const fromMs = startMs + random.next() * durationMs * 2;
      return { fromMs, untilMs: fromMs + (random.next() * durationMs) / 2 };
    };
    this.#slow = this.#kinds.has("slow-storage") ? [interval(), interval()] : [];
    this.#failing = this.#kinds.has("storage-error")
      ? [interval(), interval(), interval()].map((one) => ({
          ...one,
          probability: random.chance(0.3) ? 1 : random.next() * 0.3,
        }))
      : [];
    const strikes = (["crash", "lost-slot", "task-failure"] as const).flatMap((kind) =>
      this.#kinds.has(kind)
        ? Array.from({ length: 1 + random.below(3) }, () => ({
            step: random.below(stepCount * 2),
            kind,
          }))
        : [],
    );
    this.#strikes = strikes.toSorted((a, b) => a.step - b.step);
  }

  get isOver(): boolean {
    return this.#nowMs() > this.#endMs && this.#strikes.length === 0;
  }

  strike(step: number): "crash" | "lost-slot" | "task-failure" | undefined {
    const next = this.#strikes[0];
    if (next === undefined || next.step > step) return undefined;
    this.#strikes.shift();
    this.#count(next.kind);
    return next.kind;
  }

  latencyMs(): number {
    const usual = 0.05 + this.#random.next();
    if (!this.#isIn(this.#slow)) return usual;
    this.#count("slow-storage");
    return usual + this.#random.next() * 500;
  }

  failure({ kind, path }: FileOperation): Error | undefined {
    const now = this.#nowMs();
    const failing = this.#failing.find(({ fromMs, untilMs }) => fromMs <= now && now < untilMs);
    if (failing === undefined || kind === "close" || !this.#random.chance(failing.probability))
      return undefined;
    this.#count("storage-error");
    return systemError(
      kind === "read" || kind === "list" || kind === "status" ? "EIO" : "ENOSPC",
      kind,
      path,
    );
  }

  messageDelayMs(): number {
    const usual = this.#random.next() * 0.5;
    if (
      !this.#kinds.has("late-messages") ||
      this.#nowMs() > this.#endMs ||
      !this.#random.chance(0.05)
    )
      return usual;
    this.#count("late-messages");
    return usual + this.#random.next() * 200;
  }

  lifeEnded(): void {}

  holdsBack(): boolean {
    if (!this.#kinds.has("slow-task") || this.#nowMs() > this.#endMs || this.#random.chance(0.1))
      return false;
    this.#count("slow-task");
    return true;
  }

  #isIn(intervals: readonly Interval[]): boolean {
    const now = this.#nowMs();
    return intervals.some(({ fromMs, untilMs }) => fromMs <= now && now < untilMs);
  }

  #count(kind: FaultKind): void {
    this.struck.set(kind, (this.struck.get(kind) ?? 0) + 1);
  }
}
