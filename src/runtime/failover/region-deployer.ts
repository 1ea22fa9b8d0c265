import type { CheckpointCoordinator, CompletedCheckpoint } from "../../checkpoint/index.ts";
import type { Execution } from "../job/execution.ts";
import type { JobMasterParameters } from "../job/job-parameters.ts";
import { deploymentOf, planRestore, readCoordinatorStates } from "../job/restore-plan.ts";
import type { SourceCoordinators } from "../job/source-coordinators.ts";
import type { SlotMessage } from "../slot/task-messages.ts";
import { type PipelinedRegion, tasksOf } from "./pipelined-regions.ts";

export interface RegionDeployerParameters {
  readonly job: JobMasterParameters;
  readonly execution: Execution;
  readonly coordinator: () => CheckpointCoordinator;
  readonly sources: SourceCoordinators;
  readonly send: (message: SlotMessage) => void;
  /** False once the attempt that is being deployed is to end. */
  readonly isWanted: () => boolean;
}

/** Starts the tasks of regions, with the state of the checkpoint that they go on from, and ends them. */
export class RegionDeployer {
  readonly #p: RegionDeployerParameters;

  constructor(parameters: RegionDeployerParameters) {
    this.#p = parameters;
  }

  /**
   * @param from - Undefined for a fresh start. The state of tasks that are not in the regions is left alone.
   * @throws StreamError what does not fit between checkpoint and job, or cannot be read.
   */
  async deploy(
    regions: readonly PipelinedRegion[],
    from: CompletedCheckpoint | undefined,
  ): Promise<void> {
    const { execution, sources, send, isWanted } = this.#p;
    const { graph, storage, log, options } = this.#p.job;
    const tasks = tasksOf(regions);
    const refs = execution.refsOf(tasks);
    const allowNonRestoredState = options.recovery.ignoresUnclaimedState;
    const plan = from && planRestore(graph, from, { allowNonRestoredState });
    if (plan !== undefined && plan.skipped.length > 0) {
      log.log(
        "INFO",
        `State of ${plan.skipped.join(", ")} is dropped: the job has no such operator.`,
      );
    }
    const vertexIds = new Set(tasks.map(({ vertexId }) => vertexId));
    const states = plan && (await readCoordinatorStates(plan, storage, (id) => vertexIds.has(id)));
    if (!isWanted() || !refs.every((ref) => execution.isCurrent(ref))) return;
    sources.start({
      includes: (vertexId) => vertexIds.has(vertexId),
      stateOf: (operatorId) => states?.get(operatorId),
      hasFinished: (vertexId) => plan?.vertices.get(vertexId)?.isFullyFinished === true,
      refOf: (task) => execution.refOf(task),
    });
    execution.deployed(tasks);
    for (const region of regions) {
      const deployment = deploymentOf(graph, region, (task) => execution.refOf(task), plan);
      send({ kind: "deploy", deployment });
    }
  }

  /** Cancels what runs in the regions. */
  cancel(regions: readonly PipelinedRegion[]): void {
    const { execution, send } = this.#p;
    for (const task of tasksOf(regions))
      if (execution.isLiving(task)) send({ kind: "cancel", task: execution.refOf(task) });
  }

  /** Aborts checkpoints and ends the regions' enumerators. Resolves when no checkpoint is being written any more. */
  async settle(regions: readonly PipelinedRegion[]): Promise<void> {
    const { coordinator, sources, job } = this.#p;
    const vertexIds = new Set(tasksOf(regions).map(({ vertexId }) => vertexId));
    const ends = [
      coordinator().stopScheduler(),
      sources.stop((vertexId) => vertexIds.has(vertexId)),
    ];
    await Promise.all(ends).catch((error: unknown) =>
      job.log.log("WARN", "The attempt did not end cleanly.", { error }),
    );
  }
}
