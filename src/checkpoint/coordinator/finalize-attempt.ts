import { causeChain, present } from "../../base/index.ts";
import type { CheckpointFailure } from "../failure-reason.ts";
import { type CheckpointMetadata, WRITTEN_VERSION } from "../metadata/checkpoint-metadata.ts";
import { encodeMetadata } from "../metadata/metadata-encoder.ts";
import type { CheckpointAttempt } from "./checkpoint-attempt.ts";
import type { CoordinatorContext } from "./coordinator-context.ts";

export type Finalization =
  | {
      readonly kind: "written";
      readonly metadata: CheckpointMetadata;
      readonly directory: string;
      readonly durationMs: number;
    }
  | { readonly kind: "failed"; readonly failure: CheckpointFailure }
  /** The checkpoint was aborted meanwhile: what is in the directory must go. */
  | { readonly kind: "orphaned"; readonly directory: string };

/** Writes the `_metadata` of a checkpoint that all tasks have acknowledged. */
export async function finalizeAttempt(
  attempt: CheckpointAttempt,
  { storage, platform, hasFinishedOperators }: CoordinatorContext,
): Promise<Finalization> {
  const { pending } = attempt;
  const { checkpointId, facts } = pending;
  const startedAtMs = platform.monotonicMs();
  const assembled = pending.beginFinalization(
    (task) => hasFinishedOperators?.(task, checkpointId) === true,
  );
  if (assembled.kind === "refused") {
    const reason = "CHECKPOINT_DECLINED_TASK_CLOSING";
    return { kind: "failed", failure: { reason, detail: assembled.detail, causes: [] } };
  }
  const metadata: CheckpointMetadata = {
    checkpointId,
    masterStates: [],
    operatorStates: assembled.operatorStates,
    properties: facts.properties,
    version: WRITTEN_VERSION,
  };
  const directory = present(pending.directory, "the storage is ready");
  let failure: CheckpointFailure | undefined;
  attempt.isBeingWritten = true;
  try {
    await storage.finalize(directory, encodeMetadata(metadata));
  } catch (error) {
    const detail = `Could not finalize the pending checkpoint ${checkpointId}.`;
    failure = { reason: "FINALIZE_CHECKPOINT_FAILURE", detail, causes: causeChain(error) };
  }
  attempt.isBeingWritten = false;
  if (pending.isOver) return { kind: "orphaned", directory };
  if (failure !== undefined) return { kind: "failed", failure };
  const durationMs = Math.round(platform.monotonicMs() - startedAtMs);
  return { kind: "written", metadata, directory, durationMs };
}
