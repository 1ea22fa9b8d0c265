import { assert } from "../../base/index.ts";
import { type CheckpointResponder, type SubtaskRef, taskName } from "../../checkpoint/index.ts";
import type { JobGraph } from "../../graph/index.ts";
import { type Exchange, LocalExchange } from "../exchange/exchange.ts";
import { SlotPort } from "../exchange/ring/slot-port.ts";
import { SlotExchange } from "../exchange/slot-exchange.ts";
import type { OperatorMetricsSnapshot } from "../task/operator-metrics.ts";
import { Slot, type SlotPacing } from "./slot.ts";
import type { SlotConnection } from "./slot-connection.ts";
import type { SlotSignals } from "./slot-signals.ts";
import type { TaskOrigin } from "./task-origin.ts";
import { Task } from "../task/task.ts";
import { buildTaskBody, type TaskEnvironment, vertexOf } from "../task/task-builder.ts";
import type { TaskMetricsSnapshot } from "../task/task-metrics.ts";
import type { Deployment, MasterMessage, SlotMessage, TaskDeployment } from "./task-messages.ts";
import { isTerminal } from "../task/task-status.ts";

export interface TaskExecutorParameters {
  readonly environment: Omit<TaskEnvironment, "responder" | "sendReaderEvent" | "recordsPerCall">;
  readonly send: (message: MasterMessage) => void;
  readonly pacing: SlotPacing;
  /** What connects the slot with the others of its job; undefined if it is the only one. */
  readonly connection?: SlotConnection | undefined;
  /** Knows whose an error is that nobody caught. */
  readonly origin?: TaskOrigin | undefined;
}

/**
 * The slot's side of a job: makes tasks when it is told to, passes them messages, and tells the JobManager what they say.
 *
 * Source: Flink `TaskExecutor`.
 */
export class TaskExecutor {
  readonly #p: TaskExecutorParameters;
  readonly #environment: TaskEnvironment;
  readonly #signals: SlotSignals | undefined;
  readonly #slot: Slot;
  readonly #tasks = new Map<string, Task>();
  #endedMetrics: readonly TaskMetricsSnapshot[] = [];
  /** Of the present attempt of each region. */
  readonly #ports = new Map<number, SlotPort>();
  /** By task number. */
  readonly #deployed = new Map<number, SubtaskRef>();

  constructor(parameters: TaskExecutorParameters) {
    this.#p = parameters;
    this.#signals = parameters.connection?.createSignals({
      drain: () => this.#drain(),
      wake: () => this.#slot.wake(),
    });
    const { environment, pacing, origin } = parameters;
    this.#slot = new Slot(environment.platform, pacing, { signals: this.#signals, origin });
    this.#environment = {
      ...parameters.environment,
      recordsPerCall: parameters.pacing.recordsPerCall,
      responder: this.#responder(),
      sendReaderEvent: (task, operatorId, event) =>
        parameters.send({ kind: "operator-event", task, operatorId, event }),
    };
  }

  /** The tasks that have not ended. */
  get tasks(): readonly Task[] {
    return [...this.#tasks.values()];
  }

  /** Counters of the operators of the present attempts' tasks, at the end of those that have ended. */
  metrics(): readonly OperatorMetricsSnapshot[] {
    return this.taskMetrics().flatMap(({ operators }) => operators);
  }

  /** What the tasks have counted in their present attempts, those that have ended first. */
  taskMetrics(): readonly TaskMetricsSnapshot[] {
    return [...this.#endedMetrics, ...this.tasks.flatMap((task) => this.#metricsOf(task))];
  }

  #metricsOf(task: Task): readonly TaskMetricsSnapshot[] {
    return task.body === undefined
      ? []
      : [task.body.taskMetrics(task.ref, this.#slot.timesOf(task))];
  }

  handle(message: SlotMessage): void {
    if (message.kind === "deploy") return this.#deploy(message.deployment);
    const task = this.#tasks.get(keyOf(message.task));
    if (task === undefined) return this.#unknown(message);
    switch (message.kind) {
      case "cancel":
        return task.cancel();
      case "trigger-checkpoint":
        return task.triggerCheckpoint(message.barrier);
      case "checkpoint-complete":
        return task.notifyCheckpointComplete(message.checkpointId);
      case "checkpoint-aborted":
        return task.notifyCheckpointAborted(message.checkpointId);
      case "operator-event":
        return task.operatorEvent(message.operatorId, message.event);
    }
  }

  #drain(): boolean {
    let moved = false;
    for (const port of this.#ports.values()) if (port.drain()) moved = true;
    return moved;
  }

  #deploy(deployment: Deployment): void {
    for (const { task, taskNumber } of deployment.tasks) this.#deployed.set(taskNumber, task);
    const current = new Set([...this.#deployed.values()].map(keyOf));
    this.#endedMetrics = this.#endedMetrics.filter(({ task }) => current.has(keyOf(task)));
    const graph = withMaxParallelism(this.#environment.graph, deployment.maxParallelism);
    const exchange = this.#createExchange(graph, deployment);
    const environment = { ...this.#environment, graph };
    for (const task of deployment.tasks) this.#start(deployment, task, environment, exchange);
  }

  #createExchange(graph: JobGraph, { wiring, regionIndex }: Deployment): Exchange {
    const { pacing, connection } = this.#p;
    const limits = (channelCount: number) => pacing.channelLimits(channelCount);
    if (wiring === undefined) return new LocalExchange(graph, limits);
    assert(connection !== undefined, "a slot that is wired to others is connected with them");
    const port = new SlotPort(connection.doorbells);
    this.#ports.set(regionIndex, port);
    return new SlotExchange(graph, limits, wiring, port);
  }

  #start(
    { restoredCheckpointId }: Deployment,
    deployment: TaskDeployment,
    environment: TaskEnvironment,
    exchange: Exchange,
  ): void {
    const slot = this.#slot;
    const { task: ref, taskNumber } = deployment;
    const vertex = vertexOf(environment.graph, ref.vertexId);
    const { id: vertexId, parallelism } = vertex;
    const name = taskName(ref, [{ vertexId, name: vertex.name, parallelism }]);
    const task = new Task({
      ref,
      name,
      platform: environment.platform,
      log: environment.log,
      responder: environment.responder,
      isCheckpointed: environment.isCheckpointed,
      hadFinished: deployment.isFinished,
      wake: () => slot.wake(),
      listener: {
        statusChanged: (_, status, error) => {
          if (isTerminal(status)) this.#ended(task);
          this.#p.send({ kind: "status", task: ref, status, error });
        },
        endOfDataReached: (_, finalCheckpointMinId) =>
          this.#p.send({ kind: "end-of-data", task: ref, finalCheckpointMinId }),
      },
      build: (surroundings) =>
        buildTaskBody({
          environment,
          exchange,
          vertex,
          deployment,
          ref,
          name,
          restoredCheckpointId,
          surroundings,
        }),
    });
    assert(!this.#tasks.has(keyOf(ref)), "a subtask is deployed once in an attempt");
    this.#tasks.set(keyOf(ref), task);
    slot.add(task, taskNumber);
    this.#p.origin?.enter(task);
    this.#signals?.enterTask(taskNumber);
    task.start();
    this.#signals?.enterTask(undefined);
  }

  #ended(task: Task): void {
    this.#endedMetrics = [...this.#endedMetrics, ...this.#metricsOf(task)];
    this.#tasks.delete(keyOf(task.ref));
    this.#slot.remove(task);
  }

  /** The task has ended already. Only a trigger needs an answer. */
  #unknown(message: Exclude<SlotMessage, { readonly kind: "deploy" }>): void {
    if (message.kind !== "trigger-checkpoint") return;
    this.#p.send({
      kind: "decline",
      task: message.task,
      checkpointId: message.barrier.checkpointId,
      reason: "CHECKPOINT_DECLINED_TASK_NOT_READY",
      causes: [],
      metrics: {},
    });
  }

  #responder(): CheckpointResponder {
    const { send } = this.#p;
    return {
      acknowledgeCheckpoint: (task, checkpointId, metrics, state) =>
        send({ kind: "acknowledge", task, checkpointId, metrics, state }),
      declineCheckpoint: (task, checkpointId, reason, causes, metrics) =>
        send({ kind: "decline", task, checkpointId, reason, causes, metrics }),
      reportFinished: () => undefined,
    };
  }
}

function withMaxParallelism(graph: JobGraph, restored: ReadonlyMap<string, number>): JobGraph {
  const vertices = graph.vertices.map((vertex) => ({
    ...vertex,
    maxParallelism: restored.get(vertex.id) ?? vertex.maxParallelism,
  }));
  return { ...graph, vertices };
}

function keyOf({ vertexId, subtaskIndex, attempt }: SubtaskRef): string {
  return `${vertexId}/${subtaskIndex}/${attempt}`;
}
