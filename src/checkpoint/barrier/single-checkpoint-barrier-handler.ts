import { assert, present } from "../../base/index.ts";
import type { CheckpointBarrier } from "../checkpoint-barrier.ts";
import type { CheckpointFailureReason } from "../failure-reason.ts";
import type { BarrierAction, BarrierHandler } from "./barrier-handler.ts";
import { asUnaligned } from "./forced-alignment.ts";

/**
 * How the handler treats barriers.
 *
 * @remarks
 * `aligned` never switches; `alternating` begins aligned and goes over to unaligned when a barrier says so or its time is up;
 * `unaligned` snapshots at the first barrier whatever it says.
 */
export type BarrierHandlerMode = "aligned" | "alternating" | "unaligned";

/**
 * Where the handler is within a checkpoint.
 *
 * - `WAITING`: no barrier has come, at most announcements.
 * - `ALIGNING`: at least one barrier has come; its channel waits for the others.
 * - `WAITING_UNALIGNED`: as WAITING, but the first barrier will snapshot at once.
 * - `SPILLING`: the snapshot is taken; input is persisted until the last barrier.
 */
export type BarrierPhase = "WAITING" | "ALIGNING" | "WAITING_UNALIGNED" | "SPILLING";

/** Every legal change of phase. What is not listed here cannot happen. */
export const BARRIER_PHASE_TRANSITIONS: { readonly [P in BarrierPhase]: readonly BarrierPhase[] } =
  {
    WAITING: ["ALIGNING", "WAITING_UNALIGNED"],
    ALIGNING: ["WAITING", "SPILLING"],
    WAITING_UNALIGNED: ["WAITING", "SPILLING"],
    SPILLING: ["WAITING", "WAITING_UNALIGNED"],
  };

/**
 * Barriers of one checkpoint at a time: exactly once.
 *
 * @remarks
 * A newer id aborts an older one that is pending. The invariants are those of {@link BarrierHandler}.
 * Source: Flink `SingleCheckpointBarrierHandler` and its states.
 */
export class SingleCheckpointBarrierHandler implements BarrierHandler {
  readonly #mode: BarrierHandlerMode;
  readonly #checkpointsAfterTasksFinish: boolean;
  readonly #open: Set<number>;
  readonly #blocked = new Set<number>();
  readonly #announced = new Set<number>();
  /** Channels whose barrier has come, or that have ended since the checkpoint began. */
  readonly #aligned = new Set<number>();
  #phase: BarrierPhase;
  #currentId = -1;
  #lastDoneId = -1;
  #pending: CheckpointBarrier | undefined;
  /** How many channels were open when the current checkpoint began. */
  #targetCount = 0;
  #firstBarrierAtMs = 0;
  #timeoutAtMs: number | undefined;
  #actions: BarrierAction[] = [];

  constructor(
    mode: BarrierHandlerMode,
    channelCount: number,
    options: { readonly checkpointsAfterTasksFinish: boolean },
  ) {
    this.#mode = mode;
    this.#phase = this.#initialPhase();
    this.#checkpointsAfterTasksFinish = options.checkpointsAfterTasksFinish;
    this.#open = new Set(Array.from({ length: channelCount }, (_, index) => index));
  }

  get nextTickAtMs(): number | undefined {
    return this.#timeoutAtMs;
  }

  get isCheckpointPending(): boolean {
    return this.#currentId !== this.#lastDoneId && this.#currentId >= 0;
  }

  isBlocked(channelIndex: number): boolean {
    return this.#blocked.has(channelIndex);
  }

  blockedChannels(): readonly number[] {
    return [...this.#blocked].toSorted((a, b) => a - b);
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
    this.#barrierReceived(channelIndex, barrier, nowMs, true);
    return this.#takeActions();
  }

  onTrigger(barrier: CheckpointBarrier, nowMs: number): readonly BarrierAction[] {
    if (this.#open.size === 0) {
      if (barrier.checkpointId <= this.#currentId) return [];
      this.#currentId = barrier.checkpointId;
      this.#lastDoneId = barrier.checkpointId;
      this.#firstBarrierAtMs = nowMs;
      this.#trigger(barrier, nowMs);
    }
    for (const channelIndex of this.#open)
      this.#barrierReceived(channelIndex, barrier, nowMs, false);
    return this.#takeActions();
  }

  onAnnouncement(
    channelIndex: number,
    barrier: CheckpointBarrier,
    nowMs: number,
  ): readonly BarrierAction[] {
    this.#beginIfNewer(barrier, nowMs);
    if (!this.#isObsolete(barrier.checkpointId)) {
      if (this.#phase === "WAITING" || this.#phase === "ALIGNING")
        this.#announced.add(channelIndex);
      else this.#actions.push({ kind: "to-priority", channelIndex });
    }
    return this.#takeActions();
  }

  onCancellation(
    _channelIndex: number,
    checkpointId: number,
    nowMs: number,
  ): readonly BarrierAction[] {
    // A cancellation of the current id counts only once a barrier has come: before that, and after the end, it is stale.
    if (
      checkpointId > this.#currentId ||
      (checkpointId === this.#currentId && this.#aligned.size > 0)
    ) {
      this.#abort(checkpointId, "CHECKPOINT_DECLINED_ON_CANCELLATION_BARRIER", undefined, nowMs);
    }
    return this.#takeActions();
  }

  onEndOfPartition(channelIndex: number, nowMs: number): readonly BarrierAction[] {
    assert(this.#open.delete(channelIndex), `channel ${channelIndex} ends once`);
    if (!this.isCheckpointPending) {
      this.#channelFinished(channelIndex);
    } else if (this.#checkpointsAfterTasksFinish) {
      this.#align(channelIndex, nowMs, () => this.#endReceived(channelIndex, nowMs));
    } else {
      const warning = `Received EndOfPartition(-1) before completing current checkpoint ${this.#currentId}. Skipping current checkpoint.`;
      this.#abort(this.#currentId, "CHECKPOINT_DECLINED_INPUT_END_OF_STREAM", warning, nowMs);
    }
    return this.#takeActions();
  }

  tick(nowMs: number): readonly BarrierAction[] {
    if (this.#timeoutAtMs === undefined || nowMs < this.#timeoutAtMs) return [];
    this.#timeoutAtMs = undefined;
    this.#timeOut(present(this.#pending, "a timed checkpoint is pending"), nowMs);
    return this.#takeActions();
  }

  #barrierReceived(
    channelIndex: number,
    barrier: CheckpointBarrier,
    nowMs: number,
    blocks: boolean,
  ): void {
    if (this.#isObsolete(barrier.checkpointId)) return;
    this.#beginIfNewer(barrier, nowMs);
    this.#align(channelIndex, nowMs, () => this.#receive(channelIndex, barrier, nowMs, blocks));
  }

  #isObsolete(checkpointId: number): boolean {
    return (
      checkpointId < this.#currentId ||
      (checkpointId === this.#currentId && !this.isCheckpointPending)
    );
  }

  #beginIfNewer(barrier: CheckpointBarrier, nowMs: number): void {
    const { checkpointId } = barrier;
    if (checkpointId <= this.#currentId) return;
    if (this.isCheckpointPending) {
      const warning = `Received checkpoint barrier for checkpoint ${checkpointId} before completing current checkpoint ${this.#currentId}. Skipping current checkpoint.`;
      this.#abort(this.#currentId, "CHECKPOINT_DECLINED_SUBSUMED", warning, nowMs);
    }
    this.#currentId = checkpointId;
    this.#pending = barrier;
    this.#aligned.clear();
    this.#targetCount = this.#open.size;
    if (this.#mode === "alternating" && canTimeOut(barrier)) {
      this.#timeoutAtMs = Math.max(nowMs, timeoutAtMs(barrier));
    }
  }

  /** Counts the channel as aligned, lets `react` see it, and ends the checkpoint if it was the last. */
  #align(channelIndex: number, nowMs: number, react: () => void): void {
    this.#aligned.add(channelIndex);
    if (this.#aligned.size === 1) this.#firstBarrierAtMs = nowMs;
    react();
    if (this.#aligned.size === this.#targetCount) {
      this.#aligned.clear();
      this.#lastDoneId = this.#currentId;
      this.#timeoutAtMs = undefined;
    }
  }

  #receive(channelIndex: number, barrier: CheckpointBarrier, nowMs: number, blocks: boolean): void {
    const isUnaligned = barrier.options.alignment === "UNALIGNED";
    assert(
      !isUnaligned || this.#mode !== "aligned",
      "an aligned handler gets no unaligned barrier",
    );
    if (isUnaligned) this.#timeOut(barrier, nowMs);
    this.#announced.delete(channelIndex);
    // Also in an unaligned checkpoint: an aligned barrier is no priority event, so what lies behind it must wait.
    if (blocks && !isUnaligned) this.#blocked.add(channelIndex);

    switch (this.#phase) {
      case "WAITING":
      case "ALIGNING":
        if (this.#allReceived()) this.#finishAligned(barrier, nowMs);
        else if (this.#isTimedOut(barrier, nowMs)) this.#passiveTimeOut(barrier, nowMs);
        else this.#enter("ALIGNING");
        return;
      case "WAITING_UNALIGNED":
        this.#beginSpill(barrier, nowMs);
        if (this.#allReceived()) this.#finishSpill(barrier.checkpointId, nowMs);
        return;
      case "SPILLING":
        if (this.#allReceived()) this.#finishSpill(barrier.checkpointId, nowMs);
        return;
    }
  }

  #endReceived(channelIndex: number, nowMs: number): void {
    this.#channelFinished(channelIndex);
    const barrier = present(this.#pending, "a pending checkpoint has a barrier");
    if (this.#phase === "ALIGNING") {
      if (this.#allReceived()) this.#finishAligned(barrier, nowMs);
      else if (this.#isTimedOut(barrier, nowMs)) this.#timeOut(barrier, nowMs);
    } else if (this.#phase === "SPILLING" && this.#allReceived()) {
      this.#finishSpill(barrier.checkpointId, nowMs);
    }
  }

  #channelFinished(channelIndex: number): void {
    this.#blocked.delete(channelIndex);
    this.#announced.delete(channelIndex);
  }

  #allReceived(): boolean {
    return this.#aligned.size === this.#targetCount;
  }

  #isTimedOut(barrier: CheckpointBarrier, nowMs: number): boolean {
    return this.#mode === "alternating" && canTimeOut(barrier) && nowMs > timeoutAtMs(barrier);
  }

  /** A barrier that is already too old when it comes: the switch happens under it. */
  #passiveTimeOut(barrier: CheckpointBarrier, nowMs: number): void {
    const hadBarrier = this.#phase === "ALIGNING";
    this.#timeOut(barrier, nowMs);
    if (!hadBarrier) this.#beginSpill(barrier, nowMs);
  }

  /** From aligned to unaligned: announced barriers overtake data; with a barrier here the snapshot is taken now. */
  #timeOut(barrier: CheckpointBarrier, nowMs: number): void {
    if (this.#phase !== "WAITING" && this.#phase !== "ALIGNING") return;
    for (const channelIndex of [...this.#announced].toSorted((a, b) => a - b)) {
      this.#actions.push({ kind: "to-priority", channelIndex });
    }
    this.#announced.clear();
    if (this.#phase === "WAITING") this.#enter("WAITING_UNALIGNED");
    else this.#beginSpill(barrier, nowMs);
  }

  #beginSpill(barrier: CheckpointBarrier, nowMs: number): void {
    const { checkpointId } = barrier;
    this.#actions.push(
      { kind: "init-channel-state", checkpointId },
      { kind: "start-spill", checkpointId },
    );
    this.#trigger(asUnaligned(barrier), nowMs);
    this.#enter("SPILLING");
  }

  #finishSpill(checkpointId: number, nowMs: number): void {
    this.#actions.push({
      kind: "stop-spill",
      checkpointId,
      alignmentDurationMs: Math.max(0, nowMs - this.#firstBarrierAtMs),
    });
    this.#release();
  }

  #finishAligned(barrier: CheckpointBarrier, nowMs: number): void {
    if (this.#mode === "alternating") {
      this.#actions.push({ kind: "init-channel-state", checkpointId: barrier.checkpointId });
    }
    this.#trigger(barrier, nowMs);
    this.#release();
  }

  #trigger(barrier: CheckpointBarrier, nowMs: number): void {
    this.#actions.push({
      kind: "trigger",
      barrier,
      isUnaligned: barrier.options.alignment === "UNALIGNED",
      startDelayMs: Math.max(0, this.#firstBarrierAtMs - barrier.triggeredAtMs),
      alignmentDurationMs: Math.max(0, nowMs - this.#firstBarrierAtMs),
    });
  }

  #abort(
    cancelledId: number,
    reason: CheckpointFailureReason,
    warning: string | undefined,
    nowMs: number,
  ): void {
    if (this.#phase === "SPILLING") this.#finishSpill(cancelledId, nowMs);
    else this.#release();
    // A barrier of this id, or of an older one, can now begin nothing.
    this.#currentId = Math.max(this.#currentId, cancelledId);
    this.#lastDoneId = Math.max(this.#lastDoneId, cancelledId);
    this.#pending = undefined;
    this.#aligned.clear();
    this.#targetCount = 0;
    this.#timeoutAtMs = undefined;
    this.#actions.push({ kind: "abort", checkpointId: cancelledId, reason, warning });
  }

  #release(): void {
    this.#blocked.clear();
    this.#announced.clear();
    this.#enter(this.#initialPhase());
  }

  #initialPhase(): BarrierPhase {
    return this.#mode === "unaligned" ? "WAITING_UNALIGNED" : "WAITING";
  }

  #enter(next: BarrierPhase): void {
    assert(
      next === this.#phase || BARRIER_PHASE_TRANSITIONS[this.#phase].includes(next),
      `${this.#phase} may become ${next}`,
    );
    this.#phase = next;
  }

  #takeActions(): readonly BarrierAction[] {
    const actions = this.#actions;
    if (actions.length === 0) return NO_ACTIONS;
    this.#actions = [];
    return actions;
  }
}

const NO_ACTIONS: readonly BarrierAction[] = [];

function canTimeOut({ options }: CheckpointBarrier): boolean {
  return options.alignment === "ALIGNED" && (options.alignedTimeoutMs ?? 0) > 0;
}

/** Counted from the trigger at the coordinator, so that the delay on the way counts too. */
function timeoutAtMs(barrier: CheckpointBarrier): number {
  return (
    barrier.triggeredAtMs + present(barrier.options.alignedTimeoutMs, "the barrier can time out")
  );
}
