import { assert } from "../../base/index.ts";
import type { CheckpointBarrier } from "../checkpoint-barrier.ts";
import type { BarrierAction, BarrierHandler } from "./barrier-handler.ts";

/** How many checkpoints are followed at once; the oldest beyond them is forgotten. Source: Flink `CheckpointBarrierTracker`. */
const MAX_TRACKED_CHECKPOINTS = 50;

interface TrackedCheckpoint {
  readonly checkpointId: number;
  /** Undefined if only its cancellation has come. */
  readonly barrier: CheckpointBarrier | undefined;
  readonly aligned: Set<number>;
  /** How many channels were open when it was first seen. */
  readonly targetCount: number;
  readonly firstBarrierAtMs: number;
  isAborted: boolean;
}

/**
 * Counts barriers and never blocks: at least once.
 *
 * @remarks
 * Records between the barriers of a fast and a slow channel are in the snapshot and come again after a restore.
 * Source: Flink `CheckpointBarrierTracker`.
 */
export class CheckpointBarrierTracker implements BarrierHandler {
  readonly #checkpointsAfterTasksFinish: boolean;
  readonly #open: Set<number>;
  /** By ascending id. */
  #tracked: TrackedCheckpoint[] = [];
  #latestId = -1;
  /** Highest id that was triggered or aborted on the way of a single channel, which tracks nothing. */
  #lastSingleId = -1;

  constructor(channelCount: number, options: { readonly checkpointsAfterTasksFinish: boolean }) {
    this.#checkpointsAfterTasksFinish = options.checkpointsAfterTasksFinish;
    this.#open = new Set(Array.from({ length: channelCount }, (_, index) => index));
  }

  get nextTickAtMs(): undefined {
    return undefined;
  }

  get isCheckpointPending(): boolean {
    return this.#tracked.length > 0;
  }

  isBlocked(): boolean {
    return false;
  }

  blockedChannels(): readonly number[] {
    return [];
  }

  tick(): readonly BarrierAction[] {
    return [];
  }

  onAnnouncement(): readonly BarrierAction[] {
    return [];
  }

  onTrigger(barrier: CheckpointBarrier, nowMs: number): readonly BarrierAction[] {
    if (this.#open.size === 0) return this.#single(barrier, nowMs);
    return [...this.#open].flatMap((channelIndex) => this.onBarrier(channelIndex, barrier, nowMs));
  }

  onBarrier(
    channelIndex: number,
    barrier: CheckpointBarrier,
    nowMs: number,
  ): readonly BarrierAction[] {
    assert(
      this.#open.has(channelIndex),
      `channel ${channelIndex} has not ended before its barrier`,
    );
    const { checkpointId } = barrier;
    // With one channel left a new checkpoint needs no counting; one that began before the others ended still does.
    if (this.#open.size === 1 && checkpointId > this.#latestId) return this.#single(barrier, nowMs);

    const tracked = this.#tracked.find((candidate) => candidate.checkpointId === checkpointId);
    if (tracked !== undefined) {
      tracked.aligned.add(channelIndex);
      return tracked.aligned.size === tracked.targetCount ? this.#complete(tracked, nowMs) : [];
    }
    if (checkpointId > this.#latestId) this.#track(checkpointId, barrier, channelIndex, nowMs);
    return [];
  }

  onCancellation(
    channelIndex: number,
    checkpointId: number,
    nowMs: number,
  ): readonly BarrierAction[] {
    if (this.#open.size === 1 && checkpointId > this.#latestId) {
      if (checkpointId <= this.#lastSingleId) return [];
      this.#lastSingleId = checkpointId;
      return [cancelled(checkpointId)];
    }
    const older = this.#tracked.filter((candidate) => candidate.checkpointId < checkpointId);
    this.#tracked = this.#tracked.slice(older.length);
    const actions = older
      .filter((candidate) => !candidate.isAborted)
      .map((c) => cancelled(c.checkpointId));

    const first = this.#tracked[0];
    if (first?.checkpointId === checkpointId) {
      if (!first.isAborted) actions.push(cancelled(checkpointId));
      first.isAborted = true;
      first.aligned.add(channelIndex);
      if (first.aligned.size === first.targetCount) this.#tracked.shift();
    } else if (checkpointId > this.#latestId) {
      actions.push(cancelled(checkpointId));
      this.#track(checkpointId, undefined, channelIndex, nowMs);
    }
    return actions;
  }

  onEndOfPartition(channelIndex: number, nowMs: number): readonly BarrierAction[] {
    assert(this.#open.delete(channelIndex), `channel ${channelIndex} ends once`);
    if (!this.#checkpointsAfterTasksFinish) {
      const pending = this.#tracked.filter((candidate) => !candidate.isAborted);
      this.#tracked = [];
      return pending.map(({ checkpointId }) => ({
        kind: "abort",
        checkpointId,
        reason: "CHECKPOINT_DECLINED_INPUT_END_OF_STREAM",
        warning: undefined,
      }));
    }
    // The newest checkpoint that waited only for this channel completes; the older ones are subsumed by it.
    for (const tracked of this.#tracked.toReversed()) {
      tracked.aligned.add(channelIndex);
      if (tracked.aligned.size === tracked.targetCount) return this.#complete(tracked, nowMs);
    }
    return [];
  }

  #track(
    checkpointId: number,
    barrier: CheckpointBarrier | undefined,
    channelIndex: number,
    nowMs: number,
  ): void {
    this.#latestId = checkpointId;
    this.#tracked.push({
      checkpointId,
      barrier,
      aligned: new Set([channelIndex]),
      targetCount: this.#open.size,
      firstBarrierAtMs: nowMs,
      isAborted: barrier === undefined,
    });
    if (this.#tracked.length > MAX_TRACKED_CHECKPOINTS) this.#tracked.shift();
  }

  #complete(tracked: TrackedCheckpoint, nowMs: number): readonly BarrierAction[] {
    this.#tracked = this.#tracked.slice(this.#tracked.indexOf(tracked) + 1);
    if (tracked.isAborted || tracked.barrier === undefined) return [];
    return [triggered(tracked.barrier, tracked.firstBarrierAtMs, nowMs)];
  }

  #single(barrier: CheckpointBarrier, nowMs: number): readonly BarrierAction[] {
    if (barrier.checkpointId <= this.#lastSingleId) return [];
    this.#lastSingleId = barrier.checkpointId;
    // What is still tracked is older, and an older checkpoint is not triggered after a newer one.
    this.#tracked = [];
    return [triggered(barrier, nowMs, nowMs)];
  }
}

function cancelled(checkpointId: number): BarrierAction {
  return {
    kind: "abort",
    checkpointId,
    reason: "CHECKPOINT_DECLINED_ON_CANCELLATION_BARRIER",
    warning: undefined,
  };
}

function triggered(
  barrier: CheckpointBarrier,
  firstBarrierAtMs: number,
  nowMs: number,
): BarrierAction {
  return {
    kind: "trigger",
    barrier,
    isUnaligned: false,
    startDelayMs: Math.max(0, firstBarrierAtMs - barrier.triggeredAtMs),
    alignmentDurationMs: Math.max(0, nowMs - firstBarrierAtMs),
  };
}
