import { assert, present } from "../../base/index.ts";
import type { CheckpointMetrics, SubtaskRef, TaskStateSnapshot } from "../checkpoint-gateway.ts";
import type { CheckpointPlan } from "../checkpoint-plan.ts";
import { type CheckpointRecord, NO_METRICS, type SubtaskRecord } from "../checkpoint-record.ts";
import {
  type CheckpointFailure,
  failureText,
  type CheckpointFailureReason,
} from "../failure-reason.ts";
import type { CheckpointProperties } from "../metadata/checkpoint-properties.ts";
import { isSynchronous } from "../retention.ts";
import { type AssembledStates, assembleOperatorStates } from "./assemble-operator-states.ts";
import { type CheckpointedVertex, taskKey } from "./checkpointed-vertex.ts";

export type PendingCheckpointStatus =
  | "TRIGGERING" // directory, coordinators
  | "COLLECTING" // tasks have been told
  | "FINALIZING" // all have acknowledged; `_metadata` is being written
  | "COMPLETED"
  | "ABORTED";

/** Every legal change of status. What is not listed here cannot happen. */
export const PENDING_CHECKPOINT_TRANSITIONS: {
  readonly [S in PendingCheckpointStatus]: readonly PendingCheckpointStatus[];
} = {
  TRIGGERING: ["COLLECTING", "ABORTED"],
  COLLECTING: ["FINALIZING", "ABORTED"],
  FINALIZING: ["COMPLETED", "ABORTED"],
  COMPLETED: [],
  ABORTED: [],
};

export type AcknowledgeResult = "SUCCESS" | "DUPLICATE" | "UNKNOWN" | "DISCARDED";

/** What is fixed when a checkpoint gets its id. */
export interface PendingCheckpointFacts {
  readonly jobId: string;
  readonly checkpointId: number;
  readonly triggeredAtMs: number;
  readonly isPeriodic: boolean;
  readonly properties: CheckpointProperties;
  readonly plan: CheckpointPlan;
  readonly vertices: readonly CheckpointedVertex[];
}

interface TaskProgress {
  readonly task: SubtaskRef;
  record: SubtaskRecord;
  state: TaskStateSnapshot | undefined;
}

/** A checkpoint between its id and its end: who has acknowledged what. Does nothing by itself. */
export class PendingCheckpoint {
  readonly facts: PendingCheckpointFacts;
  /** Undefined until the storage is ready. */
  directory: string | undefined;
  readonly coordinatorStates: Map<string, Uint8Array> = new Map();
  readonly #tasks = new Map<string, TaskProgress>();
  #status: PendingCheckpointStatus = "TRIGGERING";
  #acknowledgedCount = 0;
  #moments: Pick<
    CheckpointRecord,
    "storageReadyAtMs" | "coordinatorsAcknowledgedAtMs" | "tasksTriggeredAtMs" | "endedAtMs"
  > = {
    storageReadyAtMs: null,
    coordinatorsAcknowledgedAtMs: null,
    tasksTriggeredAtMs: null,
    endedAtMs: null,
  };
  #latestAcknowledgedAtMs: number | null = null;
  #finalizationDurationMs: number | null = null;
  #failure: CheckpointRecord["failure"] = null;

  constructor(facts: PendingCheckpointFacts) {
    assert(facts.plan.tasksToWaitFor.length > 0, "a checkpoint waits for at least one task");
    this.facts = facts;
    const triggered = new Set(facts.plan.tasksToTrigger.map(taskKey));
    for (const task of facts.plan.tasksToWaitFor) {
      const key = taskKey(task);
      const record = silentSubtask(task, "PENDING", triggered.has(key));
      this.#tasks.set(key, { task, record, state: undefined });
    }
  }

  get checkpointId(): number {
    return this.facts.checkpointId;
  }

  get status(): PendingCheckpointStatus {
    return this.#status;
  }

  get isOver(): boolean {
    return this.#status === "COMPLETED" || this.#status === "ABORTED";
  }

  get isFullyAcknowledged(): boolean {
    return this.#acknowledgedCount === this.#tasks.size;
  }

  get isExpired(): boolean {
    return this.#failure?.reason === "CHECKPOINT_EXPIRED";
  }

  get failureReason(): CheckpointFailureReason | undefined {
    return this.#failure?.reason;
  }

  storageReady(directory: string, nowMs: number): void {
    this.directory = directory;
    this.#moments = { ...this.#moments, storageReadyAtMs: nowMs };
  }

  coordinatorsAcknowledged(nowMs: number): void {
    this.#moments = { ...this.#moments, coordinatorsAcknowledgedAtMs: nowMs };
  }

  /** The tasks are about to be told. */
  tasksTriggered(nowMs: number): void {
    this.#enter("COLLECTING");
    this.#moments = { ...this.#moments, tasksTriggeredAtMs: nowMs };
  }

  hasAcknowledged(task: SubtaskRef): boolean {
    return this.#tasks.get(taskKey(task))?.record.status === "ACKNOWLEDGED";
  }

  waitsFor(task: SubtaskRef): boolean {
    return this.#tasks.get(taskKey(task))?.record.status === "PENDING";
  }

  /** A task has done its part. After the end only its metrics are noted: DISCARDED. */
  acknowledge(
    task: SubtaskRef,
    metrics: CheckpointMetrics,
    state: TaskStateSnapshot | undefined,
    nowMs: number,
  ): AcknowledgeResult {
    const progress = this.#tasks.get(taskKey(task));
    if (progress === undefined) return "UNKNOWN";
    if (progress.record.status === "ACKNOWLEDGED") return this.isOver ? "DISCARDED" : "DUPLICATE";
    progress.record = {
      ...progress.record,
      ...metrics,
      status: "ACKNOWLEDGED",
      acknowledgedAtMs: nowMs,
    };
    if (this.isOver) return "DISCARDED";
    progress.state = state;
    this.#acknowledgedCount += 1;
    this.#latestAcknowledgedAtMs = nowMs;
    return "SUCCESS";
  }

  /** Notes what a task that declines has said. */
  decline(
    task: SubtaskRef,
    reason: CheckpointFailureReason,
    causes: readonly string[],
    metrics: Partial<CheckpointMetrics>,
    nowMs: number,
  ): void {
    const progress = this.#tasks.get(taskKey(task));
    if (progress === undefined || progress.record.status !== "PENDING") return;
    progress.record = {
      ...progress.record,
      ...metrics,
      status: "DECLINED",
      declinedAtMs: nowMs,
      declineReason: reason,
      declineCauses: causes,
    };
  }

  /**
   * All have acknowledged; what they handed in, as operator states.
   *
   * @param hasFinishedOperators - Whether a task had processed all of its data when it took its part.
   */
  beginFinalization(
    hasFinishedOperators: (task: SubtaskRef) => boolean = () => false,
  ): AssembledStates {
    assert(this.isFullyAcknowledged, "all tasks have acknowledged");
    this.#enter("FINALIZING");
    const { plan, vertices } = this.facts;
    const byTask = new Map<string, TaskStateSnapshot | undefined>();
    const ending = new Set<string>();
    for (const { task, state } of this.#tasks.values()) {
      const key = `${task.vertexId}/${task.subtaskIndex}`;
      byTask.set(key, state);
      if (hasFinishedOperators(task)) ending.add(key);
    }
    return assembleOperatorStates({
      plan,
      vertices,
      stateOf: (vertexId, subtaskIndex) => byTask.get(`${vertexId}/${subtaskIndex}`),
      hasFinishedOperators: (vertexId, subtaskIndex) => ending.has(`${vertexId}/${subtaskIndex}`),
      coordinatorStates: this.coordinatorStates,
    });
  }

  complete(nowMs: number, finalizationDurationMs: number): void {
    this.#enter("COMPLETED");
    this.#finalizationDurationMs = finalizationDurationMs;
    this.#end(nowMs);
  }

  abort(failure: CheckpointFailure, task: SubtaskRef | undefined, nowMs: number): void {
    this.#enter("ABORTED");
    this.#failure = {
      reason: failure.reason,
      message: failureText(failure),
      causes: failure.causes,
      task:
        task === undefined ? null : { vertexId: task.vertexId, subtaskIndex: task.subtaskIndex },
    };
    this.#end(nowMs);
  }

  /** The record of this moment. */
  toRecord(): CheckpointRecord {
    const { facts } = this;
    const { type } = facts.properties;
    return {
      format: 1,
      jobId: facts.jobId,
      checkpointId: facts.checkpointId,
      kind:
        type.kind === "checkpoint"
          ? "CHECKPOINT"
          : isSynchronous(facts.properties)
            ? "STOP_WITH_SAVEPOINT"
            : "SAVEPOINT",
      typeName: type.name,
      savepointFormat: type.kind === "savepoint" ? type.format : null,
      isPeriodic: facts.isPeriodic,
      status:
        this.#status === "COMPLETED"
          ? "COMPLETED"
          : this.#status === "ABORTED"
            ? "FAILED"
            : "IN_PROGRESS",
      triggeredAtMs: facts.triggeredAtMs,
      ...this.#moments,
      latestAcknowledgedAtMs: this.#latestAcknowledgedAtMs,
      finalizationDurationMs: this.#finalizationDurationMs,
      externalPath: this.#status === "COMPLETED" ? (this.directory ?? null) : null,
      failure: this.#failure,
      subtaskCount: this.#tasks.size,
      acknowledgedSubtaskCount: this.#acknowledgedCount,
      vertices: facts.vertices.map((vertex) => this.#vertexRecord(vertex)),
    };
  }

  #vertexRecord(vertex: CheckpointedVertex): CheckpointRecord["vertices"][number] {
    const { plan } = this.facts;
    const waited = [...this.#tasks.values()].map(({ record, task }) => ({ record, task }));
    const finished = plan.finishedTasks.map((task) => ({
      record: silentSubtask(task, "FINISHED_BEFORE", false),
      task,
    }));
    return {
      vertexId: vertex.vertexId,
      name: vertex.name,
      parallelism: vertex.parallelism,
      maxParallelism: vertex.maxParallelism,
      operators: vertex.operators.map(({ operatorId, uid, name }) => ({
        operatorId,
        uid: uid ?? null,
        name,
      })),
      inputs: vertex.inputs,
      subtasks: [...waited, ...finished]
        .filter(({ task }) => task.vertexId === vertex.vertexId)
        .map(({ record }) => record)
        .toSorted((a, b) => a.subtaskIndex - b.subtaskIndex),
    };
  }

  #end(nowMs: number): void {
    this.#moments = { ...this.#moments, endedAtMs: nowMs };
    // The handles are in the metadata now, or of no use: what is remembered of a checkpoint is only its record.
    for (const progress of this.#tasks.values()) progress.state = undefined;
    this.coordinatorStates.clear();
  }

  #enter(next: PendingCheckpointStatus): void {
    const allowed = present(
      PENDING_CHECKPOINT_TRANSITIONS[this.#status],
      "the status is in the table",
    );
    assert(allowed.includes(next), `a checkpoint that is ${this.#status} may become ${next}`);
    this.#status = next;
  }
}

function silentSubtask(
  { subtaskIndex, attempt }: SubtaskRef,
  status: SubtaskRecord["status"],
  isTriggeredByCoordinator: boolean,
): SubtaskRecord {
  return {
    subtaskIndex,
    attempt,
    status,
    isTriggeredByCoordinator,
    acknowledgedAtMs: null,
    declinedAtMs: null,
    declineReason: null,
    declineCauses: [],
    ...NO_METRICS,
  };
}
