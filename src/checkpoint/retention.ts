import type { CheckpointProperties } from "./metadata/checkpoint-properties.ts";

/** How the life of a completed checkpoint may end. `HANDED_OVER`: the job goes on from it at once, in another form. */
export type DiscardOccasion =
  | "SUBSUMED"
  | "FINISHED"
  | "CANCELLED"
  | "FAILED"
  | "SUSPENDED"
  | "HANDED_OVER";

/** Whether a completed checkpoint's files are deleted on this occasion. Source: Flink `CompletedCheckpoint`. */
export function isDiscardedOn(
  properties: CheckpointProperties,
  occasion: DiscardOccasion,
): boolean {
  switch (occasion) {
    case "SUBSUMED":
      return properties.discardSubsumed;
    case "FINISHED":
      return properties.discardFinished;
    case "CANCELLED":
      return properties.discardCancelled;
    case "FAILED":
      return properties.discardFailed;
    case "SUSPENDED":
      return properties.discardSuspended;
    case "HANDED_OVER":
      return false;
  }
}

/** True for a savepoint after which the job stops. */
export function isSynchronous({ type }: CheckpointProperties): boolean {
  return type.kind === "savepoint" && type.postCheckpointAction !== "NONE";
}
