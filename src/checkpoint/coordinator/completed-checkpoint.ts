import type { CheckpointMetadata } from "../metadata/checkpoint-metadata.ts";
import type { Snapshot } from "../metadata/checkpoint-pointer.ts";
import {
  type CheckpointProperties,
  propertiesOfSavepoint,
} from "../metadata/checkpoint-properties.ts";
import type { RetainedCheckpoint } from "../completed-checkpoint-store.ts";

/** A checkpoint that is complete, or was restored from. */
export interface CompletedCheckpoint extends RetainedCheckpoint {
  readonly metadata: CheckpointMetadata;
  /** Where it lies; relative handles are relative to it. */
  readonly directory: string;
  /** Undefined if an earlier run took it. */
  readonly triggeredAtMs: number | undefined;
  readonly completedAtMs: number | undefined;
}

/**
 * A checkpoint read from disk, as part of the store of a job that goes on from it.
 *
 * @param claimMode - With CLAIM the job owns it and deletes it once it is subsumed; otherwise it never does.
 */
export function restoredCheckpoint(
  snapshot: Snapshot,
  claimMode: "NO_CLAIM" | "CLAIM" | "LEGACY",
): CompletedCheckpoint {
  const { metadata, directory } = snapshot;
  const written = metadata.properties ?? propertiesOfSavepoint("CANONICAL", "NONE");
  return {
    checkpointId: metadata.checkpointId,
    metadata,
    directory,
    properties: claimMode === "CLAIM" ? written : unclaimed(written),
    triggeredAtMs: undefined,
    completedAtMs: undefined,
  };
}

/** Source: Flink `CheckpointProperties.forUnclaimedSnapshot`. */
function unclaimed(properties: CheckpointProperties): CheckpointProperties {
  return {
    ...properties,
    discardSubsumed: false,
    discardFinished: false,
    discardCancelled: false,
    discardFailed: false,
    discardSuspended: false,
    isUnclaimed: true,
  };
}

/** As Flink's log names it in `Restoring job … from …`. */
export function describeCheckpoint(checkpoint: CompletedCheckpoint, jobId: string): string {
  const kind = checkpoint.properties.type.kind === "savepoint" ? "Savepoint" : "Checkpoint";
  const triggered = checkpoint.triggeredAtMs ?? 0;
  return `${kind} ${checkpoint.checkpointId} @ ${triggered} for job ${jobId} located at ${checkpoint.directory}`;
}
