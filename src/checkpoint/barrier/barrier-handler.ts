import type { CheckpointBarrier } from "../checkpoint-barrier.ts";
import type { CheckpointFailureReason } from "../failure-reason.ts";

/** What the task must do next, in this order. */
export type BarrierAction =
  /**
   * Take the snapshot and send the barrier on. `barrier` carries the alignment that was chosen in the end:
   * an aligned barrier that timed out comes back with `UNALIGNED`.
   */
  | {
      readonly kind: "trigger";
      readonly barrier: CheckpointBarrier;
      readonly isUnaligned: boolean;
      /** From the coordinator's trigger to the first barrier here. */
      readonly startDelayMs: number;
      /** From the first barrier to now; final unless the checkpoint is unaligned. */
      readonly alignmentDurationMs: number;
    }
  /** Decline the checkpoint, forget what was prepared for it and send a cancellation marker on. */
  | {
      readonly kind: "abort";
      readonly checkpointId: number;
      readonly reason: CheckpointFailureReason;
      /** What to log at WARN, behind the task's name; undefined if it is no news. */
      readonly warning: string | undefined;
    }
  /** Begin to collect channel state. */
  | { readonly kind: "init-channel-state"; readonly checkpointId: number }
  /** Persist the input of every channel whose barrier has not come, until it comes. */
  | { readonly kind: "start-spill"; readonly checkpointId: number }
  /** All barriers are here: the channel state of the inputs is complete, or of no use. */
  | {
      readonly kind: "stop-spill";
      readonly checkpointId: number;
      /** From the first barrier to the last, in milliseconds. */
      readonly alignmentDurationMs: number;
    }
  /** Move the announced barrier of this channel before the data that is queued. */
  | { readonly kind: "to-priority"; readonly channelIndex: number };

/**
 * Decides what barriers mean for one subtask: when to snapshot, what to abort, which channels to hold back.
 *
 * @remarks
 * It does nothing by itself and reads no clock: the task calls it in its own turn, carries out the actions in order and asks
 * {@link isBlocked} before it takes an element from a channel.
 *
 * Invariants, for every implementation and every sequence of calls:
 * 1. A checkpoint id is triggered at most once, and never after it was aborted.
 * 2. An id is aborted at most once, and, for the handlers that block, never after it was triggered aligned.
 * 3. Triggered ids ascend.
 * 4. When no checkpoint is pending no channel is blocked. An ended channel is never blocked.
 * 5. Every `start-spill` is followed by exactly one `stop-spill`; an abort by a newer cancellation closes it under that newer id.
 * 6. The handler that counts (at least once) blocks nothing.
 *
 * Channels are numbered over all input gates of the task, from 0.
 * Source: Flink `CheckpointBarrierHandler`; reference: Carbone et al., "Lightweight Asynchronous Snapshots" (2015).
 */
export interface BarrierHandler {
  /** A barrier was taken from a channel. */
  onBarrier(
    channelIndex: number,
    barrier: CheckpointBarrier,
    nowMs: number,
  ): readonly BarrierAction[];
  /**
   * The coordinator triggers this task itself, since all tasks before it have finished: as if the barrier had come on every
   * open channel at once. Nothing blocks. The data of those channels must have been processed before their tasks finished.
   */
  onTrigger(barrier: CheckpointBarrier, nowMs: number): readonly BarrierAction[];
  /** A cancellation marker was taken from a channel. */
  onCancellation(
    channelIndex: number,
    checkpointId: number,
    nowMs: number,
  ): readonly BarrierAction[];
  /** The channel has ended: nothing more comes from it. */
  onEndOfPartition(channelIndex: number, nowMs: number): readonly BarrierAction[];
  /** A barrier that may time out lies in the channel's queue, behind data. */
  onAnnouncement(
    channelIndex: number,
    barrier: CheckpointBarrier,
    nowMs: number,
  ): readonly BarrierAction[];
  /** Time has passed. Needed only when {@link nextTickAtMs} is set and reached. */
  tick(nowMs: number): readonly BarrierAction[];
  /** When {@link tick} must be called next, in milliseconds since the epoch. */
  readonly nextTickAtMs: number | undefined;
  /** True while nothing may be taken from this channel. */
  isBlocked(channelIndex: number): boolean;
  /** The blocked channels in ascending order. */
  blockedChannels(): readonly number[];
  /** True between the first barrier (or announcement) of a checkpoint and its last barrier or abort. */
  readonly isCheckpointPending: boolean;
}
