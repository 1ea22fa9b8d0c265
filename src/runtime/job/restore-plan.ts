import type {
  CheckpointStorage,
  CompletedCheckpoint,
  RecoveryOptions,
} from "../../checkpoint/index.ts";
import type { JobGraph } from "../../graph/index.ts";
import type { Deployment, TaskDeployment } from "../task/task-messages.ts";

export interface RestorePlan {
  readonly deployment: Omit<Deployment, "attempt">;
  /** State of a source's enumerator by operator id. */
  readonly coordinatorState: (operatorId: string) => Uint8Array | undefined;
}

export interface RestoreParameters {
  readonly graph: JobGraph;
  readonly storage: CheckpointStorage;
  /** Undefined: a fresh start. */
  readonly from: CompletedCheckpoint | undefined;
  readonly options: RecoveryOptions;
}

/** Says what every task of an attempt starts with. */
export async function planRestore({ graph, from }: RestoreParameters): Promise<RestorePlan> {
  const tasks = graph.vertices.flatMap((vertex) =>
    Array.from({ length: vertex.parallelism }, (_, subtaskIndex): TaskDeployment => ({
      vertexId: vertex.id,
      subtaskIndex,
      state: new Map(),
      isFinished: false,
    })),
  );
  return {
    deployment: { restoredCheckpointId: from?.checkpointId, maxParallelism: new Map(), tasks },
    coordinatorState: () => undefined,
  };
}
