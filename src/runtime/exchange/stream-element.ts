import type { CheckpointBarrier } from "../../checkpoint/index.ts";
import type { WatermarkStatus } from "../../operators/index.ts";
import type { RecordBatch } from "./record-batch.ts";

/** What travels through a channel besides records, at its place in the order. */
export type ControlElement =
  | { readonly kind: "watermark"; readonly timestamp: number }
  | { readonly kind: "status"; readonly status: WatermarkStatus }
  | { readonly kind: "barrier"; readonly barrier: CheckpointBarrier }
  /** The sender cannot take part in this checkpoint. */
  | { readonly kind: "cancel"; readonly checkpointId: number }
  /** No record follows. `drain`: operators finish what they hold; false when the job stops to go on later. */
  | { readonly kind: "end-of-data"; readonly drain: boolean }
  /** Nothing at all follows. */
  | { readonly kind: "end-of-partition" };

/** Whatever lies in a channel. */
export type StreamElement = RecordBatch | ControlElement;
