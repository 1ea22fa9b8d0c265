import type {
  BarrierAction,
  BarrierHandler,
  CheckpointBarrier,
  SubtaskRef,
} from "../../checkpoint/index.ts";
import { assert } from "../../base/index.ts";
import type { UnalignedInput } from "../channel-state/unaligned-input.ts";
import type { ChannelReader, ChannelWriter } from "../exchange/channel.ts";
import type { FlowControl } from "../exchange/flow-control.ts";
import type { RecordOutput } from "../exchange/record-output.ts";
import type { Head } from "./input-head.ts";
import type { OperatorMetricsSnapshot } from "./operator-metrics.ts";
import type { ChainLink } from "./operator-chain.ts";
import type { SubtaskCheckpoints } from "./subtask-checkpoint.ts";
import { type TaskMetricsSnapshot, trafficCounts } from "./task-metrics.ts";
import type { TaskTimesSnapshot } from "./task-times.ts";
import type { SourceEvent } from "../slot/task-messages.ts";

/** Slices of left-over work that are done in one go. */
const SLICES_PER_TURN = 8;

export interface TaskBodyParts {
  /** Head first. */
  readonly links: readonly ChainLink[];
  readonly outputs: readonly RecordOutput[];
  readonly writers: readonly ChannelWriter[];
  readonly head: Head;
  readonly source: SourceControl | undefined;
  readonly handler: BarrierHandler;
  readonly checkpoints: SubtaskCheckpoints;
  /** Undefined if barriers never overtake, and at a source. */
  readonly unaligned: UnalignedInput | undefined;
  readonly flow: FlowControl;
  readonly nowMs: () => number;
  readonly readers: readonly Pick<ChannelReader, "traffic">[];
  /** Records that wait in the input channels. */
  readonly queuedRecords: () => number;
  /** Bytes of records processed while the present checkpoint was aligned. */
  readonly takeAlignedBytes: () => number;
}

/** What a task asks of its source, if it has one. */
export interface SourceControl {
  /** An event of the enumerator's side. */
  handleEvent(event: SourceEvent): void;
  /** Reads nothing more; with `drain` the end of time is sent. */
  stop(drain: boolean): void;
}

/** What a task consists of once it is built and restored. */
export class TaskBody {
  readonly links: readonly ChainLink[];
  readonly outputs: readonly RecordOutput[];
  readonly writers: readonly ChannelWriter[];
  readonly head: Head;
  readonly checkpoints: SubtaskCheckpoints;
  readonly #parts: TaskBodyParts;
  /** Operators that may have work left over, tail first. */
  readonly #continuing: readonly (() => boolean)[];
  readonly #availability: readonly (() => boolean)[];
  #hasTriedSlice = false;
  #closing: Promise<void> | undefined;

  constructor(parts: TaskBodyParts) {
    this.links = parts.links;
    this.outputs = parts.outputs;
    this.writers = parts.writers;
    this.head = parts.head;
    this.checkpoints = parts.checkpoints;
    this.#parts = parts;
    this.#continuing = parts.links
      .toReversed()
      .flatMap(({ operator }) =>
        operator.continue === undefined ? [] : [() => operator.continue?.() ?? false],
      );
    this.#availability = parts.links.flatMap(({ operator }) =>
      operator.isAvailable === undefined ? [] : [() => operator.isAvailable?.() ?? true],
    );
  }

  /** False while an operator can take no element. */
  isAvailable(): boolean {
    for (const isAvailable of this.#availability) if (!isAvailable()) return false;
    return true;
  }

  /**
   * Lets operators do the work they have left over, tail first, so that what one emits meets nobody who is not ready for it.
   *
   * @returns True if none has any left.
   */
  continueOperators(): boolean {
    if (this.#continuing.length === 0) return true;
    for (let slice = 0; slice < SLICES_PER_TURN; slice++) {
      if (this.#parts.flow.isFull) return false;
      if (!this.#continuing.some((goOn) => goOn())) return true;
    }
    return false;
  }

  /**
   * Lets barriers overtake what lies before them, also while outputs are full.
   *
   * @remarks
   * An operator that has work left over is given one slice, so that a barrier finds out whether it is the last; that is all it may emit
   * beyond the bound for a barrier.
   *
   * @returns True if one did.
   */
  letBarriersOvertake(): boolean {
    const { unaligned } = this.#parts;
    if (unaligned === undefined || !unaligned.isWaiting) {
      this.#hasTriedSlice = false;
      return false;
    }
    if (this.#continuing.length > 0) {
      if (this.#parts.flow.isFull && this.#hasTriedSlice) return false;
      this.#hasTriedSlice = true;
      if (this.#continuing.some((goOn) => goOn())) return false;
    }
    this.#hasTriedSlice = false;
    return unaligned.step();
  }

  /** Takes part in a checkpoint that the coordinator triggered here. */
  trigger(barrier: CheckpointBarrier): void {
    const { handler, nowMs } = this.#parts;
    for (const action of handler.onTrigger(barrier, nowMs())) this.carryOut(action);
  }

  carryOut(action: BarrierAction): void {
    switch (action.kind) {
      case "trigger":
        return this.checkpoints.perform(action, this.#parts.takeAlignedBytes());
      case "abort":
        this.#parts.takeAlignedBytes();
        return this.checkpoints.abortOnBarrier(action);
      case "init-channel-state":
        return undefined;
      case "start-spill":
        this.#unaligned().startSpill(action.checkpointId);
        return this.checkpoints.awaitChannelState(action.checkpointId);
      case "stop-spill": {
        const recorded = this.#unaligned().stopSpill();
        if (recorded === undefined) return undefined;
        return this.checkpoints.channelStateDone(recorded, action.alignmentDurationMs);
      }
      case "to-priority":
        return this.#unaligned().raise(action.channelIndex);
    }
  }

  #unaligned(): UnalignedInput {
    const { unaligned } = this.#parts;
    assert(unaligned !== undefined, "only a job with unaligned checkpoints collects channel state");
    return unaligned;
  }

  /** True while an output holds as much as it may. */
  get isOutputFull(): boolean {
    return this.#parts.flow.isFull;
  }

  /** True if there may be something to read. */
  get hasInput(): boolean {
    return this.#parts.source !== undefined || this.#parts.queuedRecords() > 0;
  }

  /** What the task has counted; its times are whoever runs it to tell. */
  taskMetrics(task: SubtaskRef, times: TaskTimesSnapshot): TaskMetricsSnapshot {
    const operators = this.metrics();
    return {
      task,
      numRecordsIn: operators[0]?.numRecordsIn ?? 0,
      numRecordsOut: this.outputs.reduce((sum, { recordCount }) => sum + recordCount, 0),
      ...trafficCounts(this.writers, "Out"),
      ...trafficCounts(this.#parts.readers, "In"),
      queuedRecordsCount: this.#parts.queuedRecords(),
      times,
      watermark: this.watermark,
      operators,
    };
  }

  metrics(): readonly OperatorMetricsSnapshot[] {
    return this.links.map(({ context: { metrics, operatorId, operatorName, subtaskIndex } }) => ({
      operatorId,
      operatorName,
      subtaskIndex,
      numRecordsIn: metrics.numRecordsIn,
      numRecordsOut: metrics.emittedCount,
      numLateRecordsDropped: metrics.numLateRecordsDropped,
      ...metrics.registered(),
    }));
  }

  /** Event time at the head, or what has left the source; undefined before the first watermark. */
  get watermark(): number | undefined {
    return this.head.watermark;
  }

  handleOperatorEvent(operatorId: string, event: SourceEvent): void {
    assert(this.links[0]?.spec.id === operatorId, "events are for the source at the head");
    this.#parts.source?.handleEvent(event);
  }

  stopSource(drain: boolean): void {
    this.#parts.source?.stop(drain);
  }

  /** Tail first; each operator's work is done before the next begins. */
  async notifyCheckpointComplete(checkpointId: number): Promise<void> {
    for (const { operator } of this.links.toReversed()) {
      await operator.notifyCheckpointComplete?.(checkpointId);
    }
  }

  notifyCheckpointAborted(checkpointId: number): void {
    this.checkpoints.abort(checkpointId);
    this.#parts.unaligned?.drop(checkpointId);
    for (const { operator } of this.links.toReversed())
      operator.notifyCheckpointAborted?.(checkpointId);
  }

  /** Closes every operator, head first, also when one fails; the first failure is thrown. Closing twice is closing once. */
  close(): Promise<void> {
    this.#closing ??= this.#closeAll();
    return this.#closing;
  }

  async #closeAll(): Promise<void> {
    this.checkpoints.close();
    const errors: unknown[] = [];
    for (const { operator } of this.links) {
      try {
        await operator.close?.();
      } catch (error) {
        errors.push(error);
      }
    }
    for (const { keyed } of this.links) keyed?.dispose();
    if (errors.length > 0) throw errors[0];
  }
}
