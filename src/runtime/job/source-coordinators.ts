import { assert, type Logger, type Platform } from "../../base/index.ts";
import type { OperatorCoordinatorSnapshot, SubtaskRef } from "../../checkpoint/index.ts";
import type { JobGraph } from "../../graph/index.ts";
import type { Source, SourceSplit, WatermarkAlignment } from "../../operators/index.ts";
import type { ReaderEvent, SlotMessage } from "../slot/task-messages.ts";
import { AlignmentGroup } from "./alignment-group.ts";
import { SourceCoordinator } from "./source-coordinator.ts";

export interface SourceCoordinatorsParameters {
  readonly graph: JobGraph;
  readonly platform: Platform;
  readonly log: Logger;
  readonly send: (message: SlotMessage) => void;
  /** Fails the job. */
  readonly fail: (error: unknown) => void;
}

/** How enumerators start. */
export interface SourceStart {
  /** Which vertices: their tasks start, too. */
  readonly includes: (vertexId: string) => boolean;
  /** Restored state of an enumerator by operator id; undefined for a fresh one. */
  readonly stateOf: (operatorId: string) => Uint8Array | undefined;
  /** Whether all readers of a vertex had finished: there is nothing to enumerate then. */
  readonly hasFinished: (vertexId: string) => boolean;
  /** The attempt of a reader that the enumerator speaks to. */
  readonly refOf: (task: Omit<SubtaskRef, "attempt">) => SubtaskRef;
}

/** The enumerators of all sources of a job: new ones whenever their readers start, behind handles that stay the same. */
export class SourceCoordinators {
  readonly #p: SourceCoordinatorsParameters;
  readonly #holders: readonly SourceHolder[];
  readonly #groups = new Map<string, AlignmentGroup>();

  constructor(parameters: SourceCoordinatorsParameters) {
    this.#p = parameters;
    this.#holders = parameters.graph.vertices.flatMap((vertex) =>
      vertex.operators.flatMap(({ id, logic }) =>
        logic.kind === "source"
          ? [
              new SourceHolder(
                id,
                vertex.id,
                vertex.parallelism,
                logic.source,
                logic.watermarks?.alignment,
              ),
            ]
          : [],
      ),
    );
  }

  /** What the checkpoint coordinator asks for state. */
  get snapshots(): readonly OperatorCoordinatorSnapshot[] {
    return this.#holders;
  }

  /** Starts the enumerators of some vertices. */
  start({ includes, stateOf, hasFinished, refOf }: SourceStart): void {
    const { platform, log, send, fail } = this.#p;
    // Where a part of the job starts again, the others wait for it where it was.
    if (this.#holders.every(({ vertexId }) => includes(vertexId))) this.#groups.clear();
    for (const holder of this.#holders) {
      const { operatorId, vertexId, parallelism, source, alignment } = holder;
      if (!includes(vertexId) || hasFinished(vertexId)) continue;
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
            task: refOf({ vertexId, subtaskIndex }),
            operatorId,
            event,
          }),
        fail,
        alignment: alignment && { ...alignment, readers: this.#groupOf(alignment.group) },
      });
    }
  }

  #groupOf(name: string): AlignmentGroup {
    const group = this.#groups.get(name) ?? new AlignmentGroup();
    this.#groups.set(name, group);
    return group;
  }

  handleEvent(operatorId: string, task: SubtaskRef, event: ReaderEvent): void {
    const holder = this.#holders.find((candidate) => candidate.operatorId === operatorId);
    assert(holder !== undefined, "events come from sources of the job");
    holder.current?.handleEvent(task, event);
  }

  /** Ends the enumerators of some vertices, or all. */
  async stop(includes: (vertexId: string) => boolean = () => true): Promise<void> {
    const holders = this.#holders.filter(({ vertexId }) => includes(vertexId));
    const ended = holders.map((holder) => holder.current);
    for (const holder of holders) holder.current = undefined;
    await Promise.all(ended.map(async (coordinator) => coordinator?.close()));
  }
}

class SourceHolder implements OperatorCoordinatorSnapshot {
  readonly operatorId: string;
  readonly vertexId: string;
  readonly parallelism: number;
  readonly source: Source<unknown, SourceSplit, unknown>;
  readonly alignment: WatermarkAlignment | undefined;
  current: SourceCoordinator | undefined;

  constructor(
    operatorId: string,
    vertexId: string,
    parallelism: number,
    source: Source<unknown, SourceSplit, unknown>,
    alignment: WatermarkAlignment | undefined,
  ) {
    this.operatorId = operatorId;
    this.vertexId = vertexId;
    this.parallelism = parallelism;
    this.source = source;
    this.alignment = alignment;
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
