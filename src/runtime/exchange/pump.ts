import type { TwoInputOperator } from "../../operators/index.ts";
import type { KeyedStateStore } from "../../state/index.ts";
import type { RecordBatch } from "./record-batch.ts";
import type { FlowControl } from "./flow-control.ts";

/**
 * Carries a batch into the head operator of a chain.
 *
 * @remarks
 * This module is imported once per task, so that its call sites see one operator only.
 */

/** Where this module lies. */
export const moduleUrl: string = import.meta.url;

/** Takes the records of one logical input. */
export interface PumpTarget {
  processElement(value: unknown, timestamp: number): void;
}

/** One of the two inputs of an operator. */
export function inputOfTwo(
  operator: TwoInputOperator<unknown, unknown>,
  index: number,
): PumpTarget {
  return index === 0
    ? { processElement: (value, timestamp) => operator.processElement1(value, timestamp) }
    : { processElement: (value, timestamp) => operator.processElement2(value, timestamp) };
}

/** Records of a batch that are done, counted up to the one that failed if one did. */
export interface Cursor {
  position: number;
  /** Records that one call processes at most. */
  limit: number;
}

/**
 * Processes records from `cursor.position` on, until the batch or the call's limit is done or an output is full.
 *
 * @remarks
 * If the operator throws, the cursor stands on the record that did it.
 */
export function pump(
  target: PumpTarget,
  batch: RecordBatch,
  cursor: Cursor,
  flow: FlowControl,
): void {
  const { values, timestamps } = batch;
  let at = cursor.position;
  const end = Math.min(batch.length, at + cursor.limit);
  try {
    while (at < end && !flow.isFull) {
      target.processElement(values[at], timestamps[at] as number);
      at++;
    }
  } finally {
    cursor.position = at;
  }
}

/** As {@link pump}, for an operator with keyed state. */
export function pumpKeyed(
  target: PumpTarget,
  keyed: KeyedStateStore,
  batch: RecordBatch,
  cursor: Cursor,
  flow: FlowControl,
): void {
  const { values, timestamps } = batch;
  const keys = batch.keys as unknown[];
  const hashes = batch.hashes as Int32Array;
  let at = cursor.position;
  const end = Math.min(batch.length, at + cursor.limit);
  try {
    while (at < end && !flow.isFull) {
      keyed.setCurrentKey(keys[at], hashes[at] as number);
      target.processElement(values[at], timestamps[at] as number);
      at++;
    }
  } finally {
    cursor.position = at;
  }
}

/** What this module offers, as an instance of its own has it. */
export interface PumpModule {
  readonly inputOfTwo: typeof inputOfTwo;
  readonly pump: typeof pump;
  readonly pumpKeyed: typeof pumpKeyed;
}
