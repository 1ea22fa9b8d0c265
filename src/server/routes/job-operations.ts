import { failureText, type TriggerResult } from "../../checkpoint/index.ts";
import { StreamError } from "../../base/index.ts";
import { RestError } from "../http/rest-error.ts";
import type { ServedJob } from "../served-job.ts";

/** Cancels a job. @throws RestError 409 if it has ended in another way already. */
export function cancelJob(job: ServedJob): void {
  if (job.isOver && job.status !== "CANCELED") {
    throw new RestError(
      409,
      `Job cancellation failed because the job has already reached another terminal state (${job.status}).`,
    );
  }
  job.client.cancel();
}

/** Takes a savepoint. @returns Where it lies. @throws StreamError SNAPSHOT_FAILED, JOB_NOT_RUNNING. */
export async function takeSavepoint(
  job: ServedJob,
  targetDirectory: string | undefined,
  format: "CANONICAL" | "NATIVE",
): Promise<string> {
  checkRunning(job);
  const { coordinator } = job.client.job.master;
  const result = await coordinator.triggerSavepoint({
    targetDirectory,
    format,
    postAction: "NONE",
  });
  return completedOf(result, "savepoint").directory;
}

/** Takes a checkpoint now. @returns Its id. @throws StreamError SNAPSHOT_FAILED, JOB_NOT_RUNNING. */
export async function takeCheckpoint(job: ServedJob): Promise<number> {
  checkRunning(job);
  const result = await job.client.job.master.coordinator.triggerCheckpoint();
  return completedOf(result, "checkpoint").checkpointId;
}

/** Ends a job with a savepoint. @returns Where it lies. */
export async function stopJob(
  job: ServedJob,
  options: Parameters<ServedJob["client"]["stopWithSavepoint"]>[0],
): Promise<string> {
  return await job.client.stopWithSavepoint(options);
}

function checkRunning({ status, name }: ServedJob): void {
  if (status !== "RUNNING") throw new StreamError("JOB_NOT_RUNNING", { job: name, status });
}

function completedOf(
  result: TriggerResult,
  what: string,
): Extract<TriggerResult, { readonly kind: "completed" }>["checkpoint"] {
  if (result.kind === "completed") return result.checkpoint;
  const cause = result.failure.causes[0];
  throw new StreamError(
    "SNAPSHOT_FAILED",
    { what, reason: failureText(result.failure) },
    cause === undefined ? undefined : new Error(cause),
  );
}
