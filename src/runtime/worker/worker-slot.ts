import type { Worker } from "node:worker_threads";

import { type Logger, type Platform, StreamError } from "../../base/index.ts";
import { type SubtaskRef, taskName } from "../../checkpoint/index.ts";
import type { JobGraph } from "../../graph/index.ts";
import { checkpointedVertices } from "../job/job-checkpoints.ts";
import type { Slots } from "../job/slots.ts";
import type { SlotBoard } from "../slot/slot-board.ts";
import type { MasterMessage, SlotMessage } from "../slot/task-messages.ts";
import type { OperatorMetricsSnapshot } from "../task/operator-metrics.ts";
import type { TaskMetricsSnapshot } from "../task/task-metrics.ts";
import { receivedError } from "./error-transfer.ts";
import type { SlotWorker, ThreadUsage } from "./thread-usage.ts";
import type { FromWorker, ToWorker } from "./worker-messages.ts";

export interface WorkerSlotParameters {
  readonly graph: JobGraph;
  readonly slotIndex: number;
  readonly board: SlotBoard;
  readonly platform: Platform;
  readonly log: Logger;
  readonly heartbeatIntervalMs: number;
  readonly heartbeatTimeoutMs: number;
  /** Starts a thread that serves the slot. */
  readonly createWorker: () => Worker;
  readonly onMessage: (message: MasterMessage) => void;
}

/** How long a thread that has said its last may take to end by itself, with what user code left running in it. */
const CLOSE_TIMEOUT_MS = 2_000;

/** How long a thread may take at least to load the job: no heart beats before. */
const LOAD_TIMEOUT_MS = 60_000;

/** One thread of the slot: a new one takes its place when it is lost. */
interface Thread {
  readonly worker: Worker;
  /** It has loaded the job. */
  isReady: boolean;
  /** Why it ends, as far as that is known before it has ended. */
  error: Error | undefined;
  readonly ended: Promise<void>;
}

/**
 * A slot on a thread of its own, as the JobManager's thread sees it.
 *
 * Invariants:
 *
 * - W1. Every thread that ends before it is told to is reported lost, once, when it has ended: nothing of it runs beside the next attempt.
 * - W2. A lost thread is replaced when tasks are deployed again.
 */
export class WorkerSlot implements Slots {
  readonly #p: WorkerSlotParameters;
  #thread: Thread | undefined;
  /** By task number, in the present attempt of each. */
  readonly #deployed = new Map<number, SubtaskRef>();
  #taskMetrics: readonly TaskMetricsSnapshot[] = [];
  #usage: ThreadUsage | undefined;
  #usedAtMs = 0;
  #cpuLoad = 0;
  #cancelWatch: (() => void) | undefined;
  #isClosing = false;

  constructor(parameters: WorkerSlotParameters) {
    this.#p = parameters;
    // The first thread starts while the JobManager still looks for what to restore.
    this.#start();
  }

  send(message: SlotMessage): void {
    if (message.kind === "deploy") {
      for (const { task, taskNumber } of message.deployment.tasks)
        this.#deployed.set(taskNumber, task);
      this.#taskMetrics = this.#taskMetrics.filter(({ task }) => this.#isDeployed(task));
      if (this.#thread === undefined) this.#start();
    }
    // What is meant for a lost thread finds nobody; the loss itself is the answer.
    this.#post({ kind: "message", message });
  }

  metrics(): readonly OperatorMetricsSnapshot[] {
    return this.#taskMetrics.flatMap(({ operators }) => operators);
  }

  taskMetrics(): readonly TaskMetricsSnapshot[] {
    return this.#taskMetrics;
  }

  workers(): readonly SlotWorker[] {
    return [
      { slotIndex: this.#p.slotIndex, usage: this.#usage, cpuLoad: this.#cpuLoad, turn: this.turn },
    ];
  }

  slotOf(): number {
    return this.#p.slotIndex;
  }

  /** The task in whose turn the thread is, and for how long it has been. */
  get turn(): { readonly task: string; readonly forMs: number } | undefined {
    const { board, slotIndex, platform, graph } = this.#p;
    const { taskNumber, sinceMs } = board.activity(slotIndex);
    const ref = taskNumber === undefined ? undefined : this.#deployed.get(taskNumber);
    if (ref === undefined) return undefined;
    const task = taskName(ref, checkpointedVertices(graph));
    return { task, forMs: Math.max(0, platform.nowMs() - sinceMs) };
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    this.#cancelWatch?.();
    const thread = this.#thread;
    if (thread === undefined) return;
    this.#post({ kind: "close" });
    const cancel = this.#p.platform.after(CLOSE_TIMEOUT_MS, () => void thread.worker.terminate());
    await thread.ended;
    cancel();
  }

  #start(): void {
    const { board, slotIndex, createWorker } = this.#p;
    board.reset(slotIndex);
    const worker = createWorker();
    let end: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const thread: Thread = { worker, isReady: false, error: undefined, ended };
    this.#thread = thread;
    worker.on("message", (message: FromWorker) => this.#receive(thread, message));
    worker.on("error", (error: Error) => (thread.error ??= this.#uncaught(error)));
    worker.on("exit", (exitCode) => {
      this.#ended(thread, exitCode);
      end();
    });
    this.#watch(thread);
  }

  #post(message: ToWorker): void {
    this.#thread?.worker.postMessage(message);
  }

  #receive(thread: Thread, message: FromWorker): void {
    const { onMessage, log } = this.#p;
    switch (message.kind) {
      case "message": {
        const { error } = message;
        if (error === undefined) return onMessage(message.message);
        return onMessage({ ...message.message, error: receivedError(error) } as MasterMessage);
      }
      case "ready":
        thread.isReady = true;
        return;
      case "metrics":
        this.#taskMetrics = message.tasks;
        this.#used(message.usage);
        return;
      case "log": {
        const { level, text, fields, error } = message;
        return log.log(
          level,
          text,
          error === undefined ? fields : { ...fields, error: receivedError(error) },
        );
      }
      case "broken":
        thread.error ??= this.#lost(undefined, receivedError(message.error));
        return;
      case "closed":
        return;
    }
  }

  #used(usage: ThreadUsage): void {
    const nowMs = this.#p.platform.monotonicMs();
    const usedMs = (usage.cpuMs ?? 0) - (this.#usage?.cpuMs ?? 0);
    // A thread that has taken the place of another begins at 0 again.
    if (usedMs >= 0 && nowMs > this.#usedAtMs)
      this.#cpuLoad = Math.min(1, usedMs / (nowMs - this.#usedAtMs));
    this.#usage = usage;
    this.#usedAtMs = nowMs;
  }

  #ended(thread: Thread, exitCode: number): void {
    this.#cancelWatch?.();
    this.#thread = undefined;
    if (this.#isClosing) return;
    const { taskNumber } = this.#p.board.activity(this.#p.slotIndex);
    const error = this.#loadFailure(thread) ?? thread.error ?? this.#lost(exitCode, undefined);
    this.#p.log.log("WARN", error.message, { error });
    // The task in whose turn it happened comes first: it is the one that the failure is laid to.
    const inTurn = taskNumber === undefined ? undefined : this.#deployed.get(taskNumber);
    const others = [...this.#deployed.values()].filter((task) => task !== inTurn);
    const ordered = inTurn === undefined ? others : [inTurn, ...others];
    this.#p.onMessage({ kind: "slot-lost", tasks: ordered, error });
  }

  /** The error that the job file's code threw in the thread, or its silence. */
  #loadFailure({ isReady, error }: Thread): StreamError | undefined {
    if (isReady || error === undefined) return undefined;
    return new StreamError("SLOT_NOT_STARTED", { slot: this.#p.slotIndex }, error.cause ?? error);
  }

  #isDeployed({ vertexId, subtaskIndex, attempt }: SubtaskRef): boolean {
    return [...this.#deployed.values()].some(
      (task) =>
        task.vertexId === vertexId &&
        task.subtaskIndex === subtaskIndex &&
        task.attempt === attempt,
    );
  }

  #lost(exitCode: number | undefined, cause: unknown): StreamError {
    const { slotIndex } = this.#p;
    return new StreamError(
      "SLOT_LOST",
      { slot: slotIndex, task: this.turn?.task, exitCode },
      cause,
    );
  }

  #uncaught(error: Error): StreamError {
    const isHeap = "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY";
    if (!isHeap) return this.#lost(undefined, error);
    const { slotIndex } = this.#p;
    return new StreamError("SLOT_OUT_OF_MEMORY", { slot: slotIndex, task: this.turn?.task }, error);
  }

  /** Looks at each interval whether the thread still beats. */
  #watch(thread: Thread): void {
    const { board, slotIndex, platform, heartbeatIntervalMs, heartbeatTimeoutMs } = this.#p;
    let beats = board.activity(slotIndex).beats;
    let aliveAtMs = platform.monotonicMs();
    let lookedAtMs = aliveAtMs;
    const loadTimeoutMs = Math.max(heartbeatTimeoutMs, LOAD_TIMEOUT_MS);
    const look = (): void => {
      const nowMs = platform.monotonicMs();
      const seen = board.activity(slotIndex).beats;
      // If this thread itself was held up, or the machine slept, silence says nothing.
      const wasHeldUp = nowMs - lookedAtMs > heartbeatIntervalMs + heartbeatTimeoutMs / 2;
      lookedAtMs = nowMs;
      if (seen !== beats || wasHeldUp) {
        beats = seen;
        aliveAtMs = nowMs;
      } else if (nowMs - aliveAtMs >= (thread.isReady ? heartbeatTimeoutMs : loadTimeoutMs)) {
        return this.#giveUp(thread);
      }
      this.#cancelWatch = platform.after(heartbeatIntervalMs, look);
    };
    this.#cancelWatch = platform.after(heartbeatIntervalMs, look);
  }

  #giveUp(thread: Thread): void {
    const { slotIndex, heartbeatTimeoutMs } = this.#p;
    const { turn } = this;
    thread.error = new StreamError("SLOT_HEARTBEAT_TIMEOUT", {
      slot: slotIndex,
      timeoutMs: heartbeatTimeoutMs,
      task: turn?.task,
      blockedMs: turn?.forMs,
    });
    void thread.worker.terminate();
  }
}
