import type { CheckpointBarrier } from "../../checkpoint/index.ts";
import type { TaskBody } from "./task-body.ts";
import type { SourceEvent } from "../slot/task-messages.ts";

type Order =
  | { readonly kind: "trigger"; readonly barrier: CheckpointBarrier }
  | { readonly kind: "event"; readonly operatorId: string; readonly event: SourceEvent };

/**
 * Triggers and events of the JobManager that wait for the task to be between two elements.
 *
 * @remarks
 * In one queue, in the order in which they came: a split that is assigned after a trigger is not in its snapshot.
 */
export class TaskOrders {
  readonly #orders: Order[] = [];
  readonly #mayTrigger: (barrier: CheckpointBarrier) => boolean;

  /** @param mayTrigger - Whether a snapshot can be taken now; if not, it is asked again. */
  constructor(mayTrigger: (barrier: CheckpointBarrier) => boolean) {
    this.#mayTrigger = mayTrigger;
  }

  get isEmpty(): boolean {
    return this.#orders.length === 0;
  }

  put(order: Order): void {
    this.#orders.push(order);
  }

  /** @returns True if any was followed. */
  follow(body: TaskBody): boolean {
    let progress = false;
    for (let order = this.#orders[0]; order !== undefined; order = this.#orders[0]) {
      if (order.kind === "event") body.handleOperatorEvent(order.operatorId, order.event);
      else if (!this.#mayTrigger(order.barrier)) return progress;
      else body.trigger(order.barrier);
      this.#orders.shift();
      progress = true;
    }
    return progress;
  }
}
