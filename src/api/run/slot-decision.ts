/** What is known when it is decided where a job's tasks run. */
export interface SlotFacts {
  /** `cutwater.slots`, if it is set. */
  readonly configured: number | undefined;
  /** Slots that the job can make use of. */
  readonly required: number;
  /** Cores that the process may use. */
  readonly coreCount: number;
  /** Whether other threads can load the job. */
  readonly hasModule: boolean;
}

export type SlotDecision =
  /** `ignored`: threads were asked for, but they could not load the job. */
  | { readonly kind: "main-thread"; readonly ignored: boolean }
  | { readonly kind: "workers"; readonly count: number };

/**
 * Decides in how many threads a job runs.
 *
 * @remarks
 * A job that has work for one slot only runs in the main thread: a thread of its own would cost start-up and memory and give nothing.
 */
export function decideSlots(facts: SlotFacts): SlotDecision {
  const { configured, required, coreCount, hasModule } = facts;
  const count = Math.min(configured ?? coreCount, required);
  if (count <= 1) return { kind: "main-thread", ignored: false };
  if (!hasModule) return { kind: "main-thread", ignored: configured !== undefined };
  return { kind: "workers", count };
}
