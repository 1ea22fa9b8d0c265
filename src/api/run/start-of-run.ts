import { type Platform, StreamError } from "../../base/index.ts";
import { type CheckpointRetention, readHistory } from "../../checkpoint/index.ts";
import { completeCheckpointIds } from "./job-directory.ts";
import { type JobState, readJobState } from "./job-state.ts";
import { decideStart, type StartDecision } from "./start-decision.ts";

/** What a run was asked to start from. */
export interface StartRequest {
  /** The job's directory; undefined if it keeps nothing in files. */
  readonly directory: string | undefined;
  readonly isFresh: boolean;
  readonly namedSnapshot: string | undefined;
  readonly retention: CheckpointRetention;
}

/** What a run starts from. */
export interface StartOfRun {
  /** Of the last run; undefined if there was none, or if it does not matter. */
  readonly before: JobState | undefined;
  readonly completeIds: readonly number[];
  readonly decision: Exclude<StartDecision, { readonly kind: "missing" }>;
}

/**
 * Looks at the job's directory and decides from what a run starts.
 *
 * @throws StreamError CHECKPOINT_MISSING if a checkpoint that was completed has gone; JOB_STATE_MALFORMED.
 */
export async function startOfRun(request: StartRequest, platform: Platform): Promise<StartOfRun> {
  const { directory, isFresh, namedSnapshot } = request;
  const completeIds =
    directory === undefined ? [] : await completeCheckpointIds(directory, platform);
  const before =
    directory === undefined || isFresh ? undefined : await readJobState(directory, platform);
  const completedId =
    directory === undefined || before === undefined || mayBeGone(before, request.retention)
      ? undefined
      : await completedCheckpointId(directory, before, platform);
  const decision = decideStart({
    state: before,
    completeIds,
    completedId,
    isFresh,
    namedSnapshot,
  });
  if (decision.kind !== "missing") return { before, completeIds, decision };
  const { id: checkpointId, newestId } = decision;
  const details = { directory: directory ?? "", checkpointId, newestId };
  throw new StreamError("CHECKPOINT_MISSING", details);
}

/** Whether the end of the last run may have removed its checkpoints. A run that is killed removes none but those with a newer one. */
function mayBeGone({ status }: JobState, retention: CheckpointRetention): boolean {
  return status === "FINISHED" || (status !== "RUNNING" && retention !== "RETAIN_ON_CANCELLATION");
}

/** The checkpoint that this life of the job completed last, by its history; undefined if it does not say. */
async function completedCheckpointId(
  directory: string,
  { lifeStartedAtMs }: JobState,
  platform: Platform,
): Promise<number | undefined> {
  if (lifeStartedAtMs === undefined) return undefined;
  const { records } = await readHistory(directory, platform.files);
  return records.findLast(
    ({ kind, status, triggeredAtMs }) =>
      kind === "CHECKPOINT" && status === "COMPLETED" && triggeredAtMs >= lifeStartedAtMs,
  )?.checkpointId;
}
