import { assert } from "../../base/index.ts";
import type { JobGraph } from "../../graph/index.ts";
import { type SlotOf, wireSlots } from "../exchange/slot-exchange.ts";
import type { Deployment, MasterMessage, SlotMessage } from "../slot/task-messages.ts";
import type { OperatorMetricsSnapshot } from "../task/operator-metrics.ts";
import type { TaskMetricsSnapshot } from "../task/task-metrics.ts";
import { assignSlots } from "./slot-assignment.ts";
import type { SlotWorker } from "../worker/thread-usage.ts";
import type { Slots } from "./slots.ts";

/** Makes one slot of several. */
export type CreateSlot = (slotIndex: number, onMessage: (message: MasterMessage) => void) => Slots;

export interface SlotGroupParameters {
  readonly graph: JobGraph;
  readonly slotCount: number;
  /** Size of the largest rings; a power of two. */
  readonly ringBytes: number;
  readonly createSlot: CreateSlot;
  readonly onMessage: (message: MasterMessage) => void;
}

/** Several slots that share the tasks of a job and are connected by rings, new ones in each attempt of a region. */
export class SlotGroup implements Slots {
  readonly #p: SlotGroupParameters;
  readonly #slots: readonly Slots[];
  readonly #slotOf: SlotOf;

  constructor(parameters: SlotGroupParameters) {
    this.#p = parameters;
    const { slotCount, createSlot, graph, onMessage } = parameters;
    assert(slotCount >= 1, "a job runs in at least one slot");
    this.#slots = Array.from({ length: slotCount }, (_, index) => createSlot(index, onMessage));
    this.#slotOf = assignSlots(graph, slotCount);
  }

  send(message: SlotMessage): void {
    if (message.kind === "deploy") return this.#deploy(message.deployment);
    const { vertexId, subtaskIndex } = message.task;
    this.#slots[this.#slotOf(vertexId, subtaskIndex)]?.send(message);
  }

  metrics(): readonly OperatorMetricsSnapshot[] {
    return this.#slots.flatMap((slot) => slot.metrics());
  }

  taskMetrics(): readonly TaskMetricsSnapshot[] {
    return this.#slots.flatMap((slot) => slot.taskMetrics());
  }

  workers(): readonly SlotWorker[] {
    return this.#slots.flatMap((slot) => slot.workers());
  }

  slotOf(vertexId: string, subtaskIndex: number): number {
    return this.#slotOf(vertexId, subtaskIndex);
  }

  async close(): Promise<void> {
    await Promise.all(this.#slots.map(async (slot) => slot.close()));
  }

  #deploy(deployment: Deployment): void {
    const { graph, slotCount, ringBytes } = this.#p;
    const inRegion = new Set(deployment.tasks.map(({ task }) => keyOf(task)));
    const wirings = wireSlots(
      graph,
      this.#slotOf,
      (vertexId, subtaskIndex) => inRegion.has(keyOf({ vertexId, subtaskIndex })),
      { slotCount, ringBytes },
    );
    for (const [slotIndex, slot] of this.#slots.entries()) {
      const tasks = deployment.tasks.filter(
        ({ task }) => this.#slotOf(task.vertexId, task.subtaskIndex) === slotIndex,
      );
      if (tasks.length === 0) continue;
      const wiring = wirings[slotIndex];
      slot.send({ kind: "deploy", deployment: { ...deployment, tasks, wiring } });
    }
  }
}

function keyOf({ vertexId, subtaskIndex }: { vertexId: string; subtaskIndex: number }): string {
  return `${vertexId}/${subtaskIndex}`;
}
