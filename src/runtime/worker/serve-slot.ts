import type { MessagePort } from "node:worker_threads";

import type { Logger, Platform } from "../../base/index.ts";
import { FAIR_PACING } from "../slot/slot.ts";
import { SlotBoard } from "../slot/slot-board.ts";
import { TaskOrigin, uncaughtError, type UncaughtKind } from "../slot/task-origin.ts";
import { TaskExecutor, type TaskExecutorParameters } from "../slot/task-executor.ts";
import type { MasterMessage } from "../slot/task-messages.ts";
import { transferError } from "./error-transfer.ts";
import { SharedConnection } from "./shared-connection.ts";
import { threadUsage } from "./thread-usage.ts";
import type { FromWorker, ToWorker } from "./worker-messages.ts";

export interface ServedSlot {
  readonly port: MessagePort;
  readonly platform: Platform;
  readonly slotIndex: number;
  readonly board: SharedArrayBuffer;
  readonly heartbeatIntervalMs: number;
  readonly environment: TaskExecutorParameters["environment"];
}

/** How often counters are told while they change. */
const METRICS_INTERVAL_MS = 1_000;

/** Without any change they are told each so many times, for what the thread uses. */
const USAGE_EVERY = 10;

/** Sends log lines to the JobManager's thread. */
export function portLogger(port: MessagePort): Logger {
  return {
    log(level, text, { error, ...fields } = {}) {
      // What cannot be sent is not worth a task's life.
      const plain = Object.entries(fields).filter(([, value]) => typeof value !== "function");
      post(port, {
        kind: "log",
        level,
        text,
        fields: Object.fromEntries(plain),
        error: error === undefined ? undefined : transferError(error),
      });
    },
  };
}

/**
 * Runs a slot in this thread, which is a worker's, until the JobManager closes it.
 *
 * @remarks
 * It takes the thread's uncaught errors: a promise of user code that is rejected and that nobody looks at, and what a timer of user code throws,
 * fails the task in whose turn it was made; whatever else is not caught ends the thread, and with it the attempt.
 */
export function serveSlot(served: ServedSlot): void {
  new ServingSlot(served).serve();
}

class ServingSlot {
  readonly #p: ServedSlot;
  readonly #board: SlotBoard;
  readonly #origin = new TaskOrigin();
  readonly #executor: TaskExecutor;
  #lastMetrics = "";
  #unchangedCount = 0;
  /** What cancels the timers, by what they do. */
  readonly #timers = new Map<() => void, () => void>();

  constructor(served: ServedSlot) {
    const { board, slotIndex, platform, environment } = served;
    this.#p = served;
    this.#board = new SlotBoard(board);
    this.#executor = new TaskExecutor({
      environment,
      pacing: FAIR_PACING,
      connection: new SharedConnection(this.#board, slotIndex, platform),
      origin: this.#origin,
      send: (message) => this.#send(message),
    });
  }

  serve(): void {
    const { port, heartbeatIntervalMs, slotIndex } = this.#p;
    process.on("unhandledRejection", (reason) => this.#uncaught("rejection", reason));
    process.on("uncaughtException", (error) => this.#uncaught("exception", error));
    port.on("message", (message: ToWorker) => this.#receive(message));
    this.#every(heartbeatIntervalMs, () => this.#board.beat(slotIndex));
    this.#every(METRICS_INTERVAL_MS, () => this.#sendMetrics());
    this.#board.beat(slotIndex);
    post(port, { kind: "ready" });
  }

  #receive(message: ToWorker): void {
    if (message.kind === "message") return this.#executor.handle(message.message);
    this.#sendMetrics();
    for (const cancel of this.#timers.values()) cancel();
    post(this.#p.port, { kind: "closed" });
    this.#p.port.close();
  }

  #send(message: MasterMessage): void {
    const { port } = this.#p;
    if (message.kind !== "status")
      return post(port, { kind: "message", message, error: undefined });
    // Whoever hears of the end knows the last counts.
    if (message.status === "FINISHED") this.#sendMetrics();
    const error = message.error === undefined ? undefined : transferError(message.error);
    post(port, { kind: "message", message: { ...message, error: undefined }, error });
  }

  #sendMetrics(): void {
    const tasks = this.#executor.taskMetrics();
    const text = JSON.stringify(tasks.map((task) => ({ ...task, times: undefined })));
    if (text === this.#lastMetrics && ++this.#unchangedCount < USAGE_EVERY) return;
    this.#unchangedCount = 0;
    this.#lastMetrics = text;
    post(this.#p.port, { kind: "metrics", tasks, usage: threadUsage(this.#p.platform) });
  }

  #uncaught(kind: UncaughtKind, error: unknown): void {
    if (this.#origin.failTask(kind, error)) return;
    this.#break(
      kind === "exception"
        ? error
        : uncaughtError(kind, { where: undefined, job: undefined }, error),
    );
  }

  #break(error: unknown): void {
    post(this.#p.port, { kind: "broken", error: transferError(error) });
    process.exit(1);
  }

  #every(intervalMs: number, action: () => void): void {
    const cancel = this.#p.platform.after(intervalMs, () => {
      action();
      this.#every(intervalMs, action);
    });
    this.#timers.set(action, cancel);
  }
}

function post(port: MessagePort, message: FromWorker): void {
  port.postMessage(message);
}
