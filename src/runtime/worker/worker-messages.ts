import type { LogLevel } from "../../base/index.ts";
import type { MasterMessage, SlotMessage } from "../slot/task-messages.ts";
import type { TaskMetricsSnapshot } from "../task/task-metrics.ts";
import type { ThreadUsage } from "./thread-usage.ts";
import type { TransferredError } from "./error-transfer.ts";

/** A message with its error, if it has one, in a form that can be sent. */
export interface TransferredMessage {
  readonly message: MasterMessage;
  readonly error: TransferredError | undefined;
}

/** From the JobManager's thread to a slot's. */
export type ToWorker =
  | { readonly kind: "message"; readonly message: SlotMessage }
  /** Nothing is left to do: say the last of it and end. */
  | { readonly kind: "close" };

/** From a slot's thread to the JobManager's. */
export type FromWorker =
  /** The job is loaded, and the slot takes messages. */
  | { readonly kind: "ready" }
  | ({ readonly kind: "message" } & TransferredMessage)
  | {
      readonly kind: "metrics";
      readonly tasks: readonly TaskMetricsSnapshot[];
      readonly usage: ThreadUsage;
    }
  | {
      readonly kind: "log";
      readonly level: LogLevel;
      readonly text: string;
      readonly fields: Readonly<Record<string, unknown>>;
      readonly error: TransferredError | undefined;
    }
  /** The thread cannot go on, and ends. */
  | { readonly kind: "broken"; readonly error: TransferredError }
  | { readonly kind: "closed" };
