import type { OperatorMetricsSnapshot } from "../task/operator-metrics.ts";
import type { MasterMessage, SlotMessage } from "../task/task-messages.ts";
import { FAIR_PACING, Slot, type SlotPacing } from "../task/slot.ts";
import { TaskExecutor, type TaskExecutorParameters } from "../task/task-executor.ts";
import { MessageQueue, type Schedule } from "./message-queue.ts";

/** What the JobManager knows of the slots that run its tasks. */
export interface Slots {
  /** Sends a message to the slot that runs the task, or is to run it. */
  send(message: SlotMessage): void;
  /** Counters of all operators, as far as they are known here. */
  metrics(): readonly OperatorMetricsSnapshot[];
  /** Ends the slots; what they would still say is dropped. */
  close(): void;
}

export interface LocalSlotParameters {
  readonly environment: TaskExecutorParameters["environment"];
  readonly pacing?: SlotPacing | undefined;
  /** How long a message takes. */
  readonly schedule?: Schedule | undefined;
  readonly onMessage: (message: MasterMessage) => void;
}

/** One slot on the JobManager's own thread. Both sides speak by messages all the same. */
export class LocalSlot implements Slots {
  readonly #toMaster: MessageQueue<MasterMessage>;
  readonly #toSlot: MessageQueue<SlotMessage>;
  readonly #executor: TaskExecutor;

  constructor({ environment, pacing, schedule, onMessage }: LocalSlotParameters) {
    const { platform } = environment;
    const later = schedule ?? ((callback) => platform.soon(callback));
    this.#toMaster = new MessageQueue(later, onMessage);
    this.#executor = new TaskExecutor({
      environment,
      slot: new Slot(platform, pacing ?? FAIR_PACING),
      send: (message) => this.#toMaster.send(message),
    });
    this.#toSlot = new MessageQueue(later, (message) => this.#executor.handle(message));
  }

  send(message: SlotMessage): void {
    this.#toSlot.send(message);
  }

  metrics(): readonly OperatorMetricsSnapshot[] {
    return this.#executor.metrics();
  }

  close(): void {
    this.#toMaster.close();
    this.#toSlot.close();
  }
}
