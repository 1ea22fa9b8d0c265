import type { Platform } from "../../base/index.ts";
import type { OperatorMetricsSnapshot } from "../task/operator-metrics.ts";
import type { Task } from "../task/task.ts";
import type { TaskMetricsSnapshot } from "../task/task-metrics.ts";
import type { SlotPacing } from "../slot/slot.ts";
import { TaskExecutor, type TaskExecutorParameters } from "../slot/task-executor.ts";
import type { SlotConnection } from "../slot/slot-connection.ts";
import type { TaskOrigin } from "../slot/task-origin.ts";
import type { SubtaskRef } from "../../checkpoint/index.ts";
import type { MasterMessage, SlotMessage } from "../slot/task-messages.ts";
import type { SlotWorker } from "../worker/thread-usage.ts";
import { MessageQueue, type Schedule } from "./message-queue.ts";

/** What the JobManager knows of the slots that run its tasks. */
export interface Slots {
  /** Sends a message to the slot that runs the task, or is to run it. */
  send(message: SlotMessage): void;
  /** Counters of all operators, as far as they are known here. */
  metrics(): readonly OperatorMetricsSnapshot[];
  /** What each task has counted in its present attempt, as far as it is known here. */
  taskMetrics(): readonly TaskMetricsSnapshot[];
  /** The threads that the slots have for themselves; none if they are on the JobManager's. */
  workers(): readonly SlotWorker[];
  /** The slot that runs the subtask, or is to run it. */
  slotOf(vertexId: string, subtaskIndex: number): number;
  /** Ends the slots; what they would still say is dropped. Resolves when their threads, if they have any, have ended. */
  close(): Promise<void> | void;
}

export interface LocalSlotParameters {
  readonly platform: Platform;
  /** What tasks are built with; asked for again when the slot was lost. */
  readonly environment: () => TaskExecutorParameters["environment"];
  readonly pacing: SlotPacing;
  /** What connects it with other slots; undefined if it is the only one. */
  readonly connection?: SlotConnection | undefined;
  /** Knows whose an error is that nobody caught. */
  readonly origin?: TaskOrigin | undefined;
  /** How long a message takes. */
  readonly schedule: Schedule;
  readonly onMessage: (message: MasterMessage) => void;
}

/** One slot on the JobManager's own thread. Both sides speak by messages all the same. */
export class LocalSlot implements Slots {
  readonly #p: LocalSlotParameters;
  readonly #toMaster: MessageQueue<MasterMessage>;
  #toSlot: MessageQueue<SlotMessage>;
  #executor: TaskExecutor;
  /** By task number, in the present attempt of each. */
  readonly #deployed = new Map<number, SubtaskRef>();
  /** Settled when what a lost thread had under way has ended. */
  #ended: Promise<void> | undefined;

  constructor(parameters: LocalSlotParameters) {
    this.#p = parameters;
    this.#toMaster = new MessageQueue(parameters.schedule, parameters.onMessage);
    this.#executor = this.#createExecutor();
    this.#toSlot = this.#createQueue();
  }

  /** The tasks that have not ended. */
  get tasks(): readonly Task[] {
    return this.#executor.tasks;
  }

  send(message: SlotMessage): void {
    if (message.kind === "deploy") {
      for (const { task, taskNumber } of message.deployment.tasks)
        this.#deployed.set(taskNumber, task);
    }
    this.#toSlot.send(message);
  }

  metrics(): readonly OperatorMetricsSnapshot[] {
    return this.#executor.metrics();
  }

  taskMetrics(): readonly TaskMetricsSnapshot[] {
    return this.#executor.taskMetrics();
  }

  workers(): readonly SlotWorker[] {
    return [];
  }

  slotOf(): number {
    return 0;
  }

  close(): Promise<void> | void {
    this.#toMaster.close();
    this.#toSlot.close();
    return this.#ended;
  }

  /**
   * Dies, as a thread would, with all that runs on it, and comes up again empty.
   *
   * @remarks
   * For simulations. Whoever made the platform of the tasks stops it. As with a thread, the loss is reported once nothing of it is under
   * way any more, and what is sent in between reaches nobody.
   *
   * @param ended - Settled when the operations that were under way have ended. Without it there were none.
   */
  lose(error: unknown, ended: Promise<void> = Promise.resolve()): void {
    this.#toSlot.close();
    this.#executor = this.#createExecutor();
    this.#ended = ended.then(() => {
      this.#ended = undefined;
      this.#toSlot = this.#createQueue();
      const tasks = [...this.#deployed.values()];
      this.#toMaster.send({ kind: "slot-lost", tasks, error });
    });
  }

  #createExecutor(): TaskExecutor {
    const executor: TaskExecutor = new TaskExecutor({
      environment: this.#p.environment(),
      pacing: this.#p.pacing,
      connection: this.#p.connection,
      origin: this.#p.origin,
      send: (message) => {
        if (executor === this.#executor) this.#toMaster.send(message);
      },
    });
    return executor;
  }

  #createQueue(): MessageQueue<SlotMessage> {
    return new MessageQueue(this.#p.schedule, (message) => this.#executor.handle(message));
  }
}
