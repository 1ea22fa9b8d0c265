import { assert, type Logger, type Platform } from "../../base/index.ts";
import type { OperatorCoordinatorSnapshot, SubtaskRef } from "../../checkpoint/index.ts";
import type { JobGraph } from "../../graph/index.ts";
import type { Source, SourceSplit } from "../../operators/index.ts";
import type { ReaderEvent, SlotMessage } from "../slot/task-messages.ts";
import { SourceCoordinator } from "./source-coordinator.ts";

export interface SourceCoordinatorsParameters {
  readonly graph: JobGraph;
  readonly platform: Platform;
  readonly log: Logger;
  readonly send: (message: SlotMessage) => void;
  /** Fails the job. */
  readonly fail: (error: unknown) => void;
}

/** The enumerators of all sources of a job: new ones in each attempt, behind handles that stay the same. */
export class SourceCoordinators {
  readonly #p: SourceCoordinatorsParameters;
  readonly #holders: readonly SourceHolder[];

  constructor(parameters: SourceCoordinatorsParameters) {
    this.#p = parameters;
    this.#holders = parameters.graph.vertices.flatMap((vertex) =>
      vertex.operators.flatMap(({ id, logic }) =>
        logic.kind === "source"
          ? [new SourceHolder(id, vertex.id, vertex.parallelism, logic.source)]
          : [],
      ),
    );
  }

  /** What the checkpoint coordinator asks for state. */
  get snapshots(): readonly OperatorCoordinatorSnapshot[] {
    return this.#holders;
  }

  /**
   * @param stateOf - Restored state of an enumerator by operator id; undefined for a fresh one.
   * @param hasFinished - Whether all readers of a vertex had finished: there is nothing to enumerate then.
   */
  start(
    attempt: number,
    stateOf: (operatorId: string) => Uint8Array | undefined,
    hasFinished: (vertexId: string) => boolean,
  ): void {
    const { platform, log, send, fail } = this.#p;
    for (const holder of this.#holders) {
      if (hasFinished(holder.vertexId)) continue;
      const { operatorId, vertexId, parallelism, source } = holder;
      holder.current = new SourceCoordinator({
        source,
        operatorId,
        parallelism,
        platform,
        log,
        restored: stateOf(operatorId),
        send: (subtaskIndex, event) =>
          send({
            kind: "operator-event",
            task: { vertexId, subtaskIndex, attempt },
            operatorId,
            event,
          }),
        fail,
      });
    }
  }

  handleEvent(operatorId: string, task: SubtaskRef, event: ReaderEvent): void {
    const holder = this.#holders.find((candidate) => candidate.operatorId === operatorId);
    assert(holder !== undefined, "events come from sources of the job");
    holder.current?.handleEvent(task, event);
  }

  /** Ends the attempt's enumerators. */
  async stop(): Promise<void> {
    const ended = this.#holders.map((holder) => holder.current);
    for (const holder of this.#holders) holder.current = undefined;
    await Promise.all(ended.map(async (coordinator) => coordinator?.close()));
  }
}

class SourceHolder implements OperatorCoordinatorSnapshot {
  readonly operatorId: string;
  readonly vertexId: string;
  readonly parallelism: number;
  readonly source: Source<unknown, SourceSplit, unknown>;
  current: SourceCoordinator | undefined;

  constructor(
    operatorId: string,
    vertexId: string,
    parallelism: number,
    source: Source<unknown, SourceSplit, unknown>,
  ) {
    this.operatorId = operatorId;
    this.vertexId = vertexId;
    this.parallelism = parallelism;
    this.source = source;
  }

  checkpointCoordinator(checkpointId: number): Promise<Uint8Array> | Uint8Array {
    return this.current?.checkpointCoordinator(checkpointId) ?? new Uint8Array(0);
  }

  openValve(checkpointId: number): void {
    this.current?.openValve(checkpointId);
  }

  notifyCheckpointComplete(checkpointId: number): void {
    this.current?.notifyCheckpointComplete(checkpointId);
  }

  notifyCheckpointAborted(): void {}
}
