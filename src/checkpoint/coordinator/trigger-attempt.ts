import { present } from "../../base/index.ts";
import type { AlignmentMode, CheckpointBarrier } from "../checkpoint-barrier.ts";
import type { CheckpointFailure } from "../failure-reason.ts";
import type { CheckpointingOptions } from "../options.ts";
import type { CheckpointAttempt, CoordinatorRequest } from "./checkpoint-attempt.ts";
import type { CoordinatorContext } from "./coordinator-context.ts";
import type { OperatorCoordinatorSnapshot } from "./operator-coordinator-snapshot.ts";
import type { PendingCheckpoint } from "./pending-checkpoint.ts";
import { triggerFailure } from "./trigger-failure.ts";

/**
 * Begins a checkpoint: directory, then operator coordinators, then tasks.
 *
 * @remarks
 * It stops where it is when the checkpoint is over meanwhile, also if the storage or a coordinator never answers. The valves of the coordinators
 * that were asked are opened in any case, after the tasks were told.
 *
 * @param discardLate - Deletes the directory that the storage gave too late.
 * @returns Why it failed, if it did and is not over.
 */
export async function triggerAttempt(
  attempt: CheckpointAttempt,
  context: CoordinatorContext,
  discardLate: (directory: string) => void,
): Promise<CheckpointFailure | undefined> {
  const { pending } = attempt;
  const { checkpointId } = pending;
  const coordinators = coordinatorsOf(pending, context);
  let areValvesClosed = false;
  try {
    await Promise.race([attempt.over, prepareStorage(attempt, context, discardLate)]);
    if (pending.isOver) return undefined;
    areValvesClosed = true;
    const states = coordinators.map(async (coordinator) => {
      const state = await coordinator.checkpointCoordinator(checkpointId);
      if (!pending.isOver) pending.coordinatorStates.set(coordinator.operatorId, state);
    });
    await Promise.race([attempt.over, Promise.all(states)]);
    if (pending.isOver) return undefined;
    pending.coordinatorsAcknowledged(context.platform.nowMs());
    tellTasks(attempt, context);
    return undefined;
  } catch (error) {
    return pending.isOver ? undefined : triggerFailure(error);
  } finally {
    if (areValvesClosed)
      for (const coordinator of coordinators) coordinator.openValve(checkpointId);
  }
}

/** Those of vertices that have not finished: the others have no state any more. */
function coordinatorsOf(
  { facts }: PendingCheckpoint,
  { operatorCoordinators }: CoordinatorContext,
): readonly OperatorCoordinatorSnapshot[] {
  const finished = new Set(facts.plan.fullyFinishedVertexIds);
  const finishedOperators = new Set(
    facts.vertices
      .filter(({ vertexId }) => finished.has(vertexId))
      .flatMap(({ operators }) => operators.map(({ operatorId }) => operatorId)),
  );
  return operatorCoordinators.filter(({ operatorId }) => !finishedOperators.has(operatorId));
}

async function prepareStorage(
  { pending, request }: CheckpointAttempt,
  { storage, platform }: CoordinatorContext,
  discardLate: (directory: string) => void,
): Promise<void> {
  const { checkpointId } = pending;
  const directory = request.isSavepoint
    ? await storage.initializeSavepoint(checkpointId, request.targetDirectory)
    : await storage.initializeCheckpoint(checkpointId);
  if (pending.isOver) discardLate(directory);
  else pending.storageReady(directory, platform.nowMs());
}

function tellTasks({ pending, request }: CheckpointAttempt, context: CoordinatorContext): void {
  const { checkpointId, facts } = pending;
  const { type } = facts.properties;
  const { alignment, alignedTimeoutMs } = alignmentOf(request, context.options);
  const barrier: CheckpointBarrier = {
    checkpointId,
    triggeredAtMs: facts.triggeredAtMs,
    options: {
      snapshot:
        type.kind === "savepoint"
          ? { kind: "SAVEPOINT", format: type.format, postAction: type.postCheckpointAction }
          : { kind: type.sharingFilesStrategy === "FORWARD" ? "FULL_CHECKPOINT" : "CHECKPOINT" },
      alignment,
      alignedTimeoutMs,
      targetDirectory: present(pending.directory, "the storage is ready"),
    },
  };
  // First: a task in this thread may answer before the next line.
  pending.tasksTriggered(context.platform.nowMs());
  for (const task of facts.plan.tasksToTrigger) context.gateway.triggerCheckpoint(task, barrier);
}

/** Source: Flink `CheckpointOptions.forConfig`. */
function alignmentOf(
  { isSavepoint, mustAlign }: CoordinatorRequest,
  { mode, unalignedEnabled, alignedTimeoutMs }: CheckpointingOptions,
): { readonly alignment: AlignmentMode; readonly alignedTimeoutMs: number | undefined } {
  const never = { alignedTimeoutMs: undefined };
  if (mode === "AT_LEAST_ONCE") return { alignment: "AT_LEAST_ONCE", ...never };
  if (isSavepoint || mustAlign || !unalignedEnabled) return { alignment: "ALIGNED", ...never };
  if (alignedTimeoutMs === 0) return { alignment: "UNALIGNED", ...never };
  return { alignment: "ALIGNED", alignedTimeoutMs };
}
