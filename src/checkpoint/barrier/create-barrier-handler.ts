import type { BarrierHandler } from "./barrier-handler.ts";
import { CheckpointBarrierTracker } from "./checkpoint-barrier-tracker.ts";
import { SingleCheckpointBarrierHandler } from "./single-checkpoint-barrier-handler.ts";

export interface BarrierHandlerOptions {
  /** `execution.checkpointing.mode`. */
  readonly mode: "EXACTLY_ONCE" | "AT_LEAST_ONCE";
  /** `execution.checkpointing.unaligned.enabled`: barriers may be unaligned, or become so. */
  readonly unalignedEnabled: boolean;
  /** `execution.checkpointing.checkpoints-after-tasks-finish`. */
  readonly checkpointsAfterTasksFinish: boolean;
}

/** The barrier handler of a task with this many input channels, over all its gates. */
export function createBarrierHandler(
  channelCount: number,
  options: BarrierHandlerOptions,
): BarrierHandler {
  if (options.mode === "AT_LEAST_ONCE") return new CheckpointBarrierTracker(channelCount, options);
  const mode = options.unalignedEnabled ? "alternating" : "aligned";
  return new SingleCheckpointBarrierHandler(mode, channelCount, options);
}
