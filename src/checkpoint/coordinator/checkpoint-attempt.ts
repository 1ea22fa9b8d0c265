import type { TriggerRequest } from "../request-decider.ts";
import type { CheckpointProperties } from "../metadata/checkpoint-properties.ts";
import type { TriggerResult } from "./coordinator-context.ts";
import { PendingCheckpoint, type PendingCheckpointFacts } from "./pending-checkpoint.ts";

/** A request for a checkpoint or savepoint, and who waits for it. */
export interface CoordinatorRequest extends TriggerRequest {
  readonly properties: CheckpointProperties;
  /** Directory that is to hold the savepoint; undefined: the configured one. */
  readonly targetDirectory: string | undefined;
  /** It must hold no in-flight data, whatever the options say. */
  readonly mustAlign: boolean;
  /** Tells the asker how it ended. Called once. */
  readonly settle: (result: TriggerResult) => void;
}

/** A checkpoint under way, and what must be told when it is over. */
export interface CheckpointAttempt {
  readonly pending: PendingCheckpoint;
  readonly request: CoordinatorRequest;
  /** Resolves when it is over, so that nothing waits for a storage or enumerator that never answers. */
  readonly over: Promise<void>;
  readonly notifyOver: () => void;
  cancelTimeout: () => void;
  /** `_metadata` is being written; whoever writes it deletes it if the checkpoint is aborted meanwhile. */
  isBeingWritten: boolean;
}

export function createAttempt(
  request: CoordinatorRequest,
  facts: PendingCheckpointFacts,
): CheckpointAttempt {
  let notifyOver = (): void => {};
  const over = new Promise<void>((resolve) => {
    notifyOver = resolve;
  });
  return {
    pending: new PendingCheckpoint(facts),
    request,
    over,
    notifyOver,
    cancelTimeout: () => {},
    isBeingWritten: false,
  };
}
