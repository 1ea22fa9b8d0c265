import type { WatermarkStatus } from "../../operators/index.ts";
import type { KeyedStateStore } from "../../state/index.ts";
import type { PumpTarget } from "./pump.ts";

/** What a task that can be driven directly offers to the one before it. */
export interface DirectInput {
  readonly target: PumpTarget;
  /** Where the key of a keyed edge is set first. */
  readonly keyed: Pick<KeyedStateStore, "setCurrentKey">;
  /** Of the task's own outputs. */
  readonly flow: { readonly isFull: boolean };
  /** @returns False if the operators have work left over, so that they can take no further element. */
  watermark(timestamp: number): boolean;
  /** @returns False if the operators have work left over. */
  status(status: WatermarkStatus): boolean;
  /** Fails the task that is driven, not the one that drives. */
  fail(error: unknown): void;
  /** The task that is driven, and those that it drives in turn. */
  namesInTurn(): readonly string[];
}

/** The batch that the sender is filling. */
export interface OpenBatch {
  hasRecords(): boolean;
  /** Puts it into the channel. @returns True if it had records. */
  flush(): boolean;
  /** Records that went past it, straight into the receiver. */
  readonly drivenCount: number;
}

/**
 * The short way between two tasks of one slot that have a single channel between them: while it is open, the sender calls the
 * receiver's operator itself, as if the two were one chain.
 *
 * Invariants:
 *
 * - G1. It is open only while channel and open batch are empty and the receiver could take an element at once. Whatever is put into the
 *   channel closes it, and only the receiver's turn opens it again: so no element overtakes another.
 * - G2. Barriers and the end of data always go through the channel.
 *
 * @remarks
 * A record then costs a call instead of its way into a batch and out again (docs/decisions/0005-one-channel-is-a-call.md).
 */
export class DirectGate {
  /** Not `isOpen`: what is asked for each record is false in the usual case (docs/decisions/0015-what-a-record-must-not-cost.md). */
  isClosed = true;
  input: DirectInput | undefined = undefined;
  openBatch: OpenBatch | undefined = undefined;

  /** True if nothing is on its way beside the channel. */
  get isDrained(): boolean {
    return this.openBatch?.hasRecords() !== true;
  }

  /** Records that came this way. */
  get drivenCount(): number {
    return this.openBatch?.drivenCount ?? 0;
  }

  /** Has the open batch sent. @returns True if it had records. */
  pull(): boolean {
    return this.openBatch?.flush() === true;
  }
}
