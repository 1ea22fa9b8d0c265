import type { CheckpointMetadata } from "../metadata/checkpoint-metadata.ts";
import type { Snapshot } from "../metadata/checkpoint-pointer.ts";
import {
  type CheckpointProperties,
  type CheckpointRetention,
  propertiesOfCheckpoint,
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
 * A checkpoint or savepoint read from disk, as part of the store of a job that goes on from it.
 *
 * @remarks
 * With CLAIM it is the job's as if the job had taken it: it is deleted once it is subsumed, a savepoint, too. With NO_CLAIM it is never
 * deleted, and the next checkpoint is a full one, so that whoever owns it may delete it then. With LEGACY it is never deleted, and
 * nothing is said of when it may be. Source: Flink `CheckpointCoordinator.restoreSavepoint`.
 *
 * @param retention - Of the job that goes on.
 */
export function restoredCheckpoint(
  snapshot: Snapshot,
  claimMode: "NO_CLAIM" | "CLAIM" | "LEGACY",
  retention: CheckpointRetention,
): CompletedCheckpoint {
  const { metadata, directory } = snapshot;
  const written = metadata.properties ?? propertiesOfSavepoint("CANONICAL", "NONE");
  return {
    checkpointId: metadata.checkpointId,
    metadata,
    directory,
    properties: propertiesOfRestored(written, claimMode, retention),
    triggeredAtMs: undefined,
    completedAtMs: undefined,
  };
}

function propertiesOfRestored(
  written: CheckpointProperties,
  claimMode: "NO_CLAIM" | "CLAIM" | "LEGACY",
  retention: CheckpointRetention,
): CheckpointProperties {
  if (claimMode === "CLAIM") return propertiesOfCheckpoint("CHECKPOINT", retention);
  return {
    ...written,
    discardSubsumed: false,
    discardFinished: false,
    discardCancelled: false,
    discardFailed: false,
    discardSuspended: false,
    isUnclaimed: claimMode === "NO_CLAIM",
  };
}

/** As Flink's log names it in `Restoring job … from …`. */
export function describeCheckpoint(checkpoint: CompletedCheckpoint, jobId: string): string {
  const kind = checkpoint.properties.type.kind === "savepoint" ? "Savepoint" : "Checkpoint";
  const triggered = checkpoint.triggeredAtMs ?? 0;
  return `${kind} ${checkpoint.checkpointId} @ ${triggered} for job ${jobId} located at ${checkpoint.directory}`;
}
