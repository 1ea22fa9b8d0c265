import type { Logger, Platform } from "../../base/index.ts";
import type {
  BarrierAction,
  CheckpointBarrier,
  CheckpointFailureReason,
  CheckpointResponder,
  SubtaskRef,
} from "../../checkpoint/index.ts";
import type { FlowControl } from "../exchange/flow-control.ts";
import { InputHead } from "./input-head.ts";
import { Mailbox } from "./mailbox.ts";
import type { TaskBody } from "./task-body.ts";
import type { SourceEvent } from "../slot/task-messages.ts";
import { TaskOrders } from "./task-orders.ts";
import { assertPhaseTransition, type TaskPhase } from "./task-phase.ts";
import { assertTransition, isTerminal, type TaskStatus } from "./task-status.ts";
import { TaskTimers } from "./task-timers.ts";

/**
 * What a turn has done. `PROGRESS`: call again. `IDLE`: nothing to do until woken. `BLOCKED`: no room downstream.
 * `WAITING`: an operator takes no element before an answer from outside has come. `FINISHED`: the task has ended, in whatever way.
 */
export type StepResult = "PROGRESS" | "IDLE" | "BLOCKED" | "WAITING" | "FINISHED";

/** What a task tells whoever runs it. */
export interface TaskListener {
  statusChanged(task: SubtaskRef, status: TaskStatus, error: unknown): void;
  /** All data is processed; the task waits only for its final checkpoint and for its neighbours. */
  endOfDataReached(task: SubtaskRef, finalCheckpointMinId: number): void;
}

export interface TaskParameters {
  readonly ref: SubtaskRef;
  /** As it stands in logs: `Map -> Sink (1/4)#0`. */
  readonly name: string;
  readonly platform: Platform;
  readonly log: Logger;
  readonly listener: TaskListener;
  readonly responder: CheckpointResponder;
  readonly wake: () => void;
  /** True if the job takes checkpoints: the task then stays until its final one. */
  readonly isCheckpointed: boolean;
  /** It had finished before the checkpoint it is restored from: it takes no part in checkpoints, but ends at once. */
  readonly hadFinished: boolean;
  /** Makes the operators and restores their state. */
  readonly build: (task: TaskSurroundings) => Promise<TaskBody>;
}

/** What a task's body is built against. */
export interface TaskSurroundings {
  readonly mailbox: Mailbox;
  readonly timers: TaskTimers;
  readonly flow: FlowControl;
  readonly fail: (error: unknown) => void;
  readonly onBarrierActions: (actions: readonly BarrierAction[]) => void;
}

/** Elements that one turn takes at most, so that all tasks of a slot get on. */
const ELEMENTS_PER_TURN = 4;

/** How long operators may take to close before the task is given up. Source: Flink `task.cancellation.timeout`. */
const CLOSE_TIMEOUT_MS = 180_000;

/**
 * One subtask of a job vertex: a chain of operators between its input and its outputs. It knows nothing of threads: whoever runs
 * it calls {@link step} and sends it messages.
 *
 * Invariants:
 *
 * - K1. Operators are called in a turn only, one call at a time, except `open`, `close` and what they return as promises. While
 *   the gate is open, a turn of the task before this one is a turn of this one, too.
 * - K2. No element is taken while an output is full or an operator has work left over.
 * - K3. A snapshot is taken between two elements, with no work left over in any operator.
 */
export class Task {
  readonly ref: SubtaskRef;
  readonly name: string;
  readonly #p: TaskParameters;
  readonly #mailbox: Mailbox;
  readonly #timers: TaskTimers;
  readonly #flow: FlowControl = { isFull: false };
  readonly #orders: TaskOrders = new TaskOrders((barrier) => this.#mayTrigger(barrier));
  #body: TaskBody | undefined;
  #status: TaskStatus = "CREATED";
  #phase: TaskPhase = "PROCESSING";
  #isDrained = true;
  #nextToFinish = 0;
  /** Completes the task once a checkpoint of at least this id is complete. */
  #finalCheckpointMinId = 0;
  #completedId = 0;
  #notifications: Promise<void> = Promise.resolve();
  #building: Promise<TaskBody> | undefined;

  constructor(parameters: TaskParameters) {
    this.#p = parameters;
    this.ref = parameters.ref;
    this.name = parameters.name;
    this.#mailbox = new Mailbox(parameters.wake);
    this.#timers = new TaskTimers(parameters.platform, parameters.wake);
  }

  get status(): TaskStatus {
    return this.#status;
  }

  /** The task, and those whose operators its own call directly: what runs in its turn is of one of them. */
  namesInTurn(): readonly string[] {
    const gates = (this.#body?.writers ?? []).map(({ gate }) => gate);
    return [this.name, ...gates.flatMap((gate) => gate?.input?.namesInTurn() ?? [])];
  }

  get phase(): TaskPhase {
    return this.#phase;
  }

  /** Undefined until the task runs. */
  get body(): TaskBody | undefined {
    return this.#body;
  }

  /** Begins to restore and open. */
  start(): void {
    this.#become("INITIALIZING");
    this.#building = this.#p.build({
      mailbox: this.#mailbox,
      timers: this.#timers,
      flow: this.#flow,
      fail: (error) => this.#mailbox.putControl(() => this.fail(error)),
      onBarrierActions: (actions) => this.#carryOut(actions),
    });
    this.#building.then(
      (body) => this.#mailbox.putControl(() => this.#built(body)),
      (error: unknown) => this.#mailbox.putControl(() => this.fail(error)),
    );
  }

  /** One bounded turn. Never suspends. */
  step(): StepResult {
    if (isTerminal(this.#status)) return "FINISHED";
    try {
      const result = this.#turn();
      this.#setGate();
      return result;
    } catch (error) {
      this.fail(error);
      return "FINISHED";
    }
  }

  /** Sends what outputs have collected. @returns True if that was anything. */
  flush(): boolean {
    if (this.#status !== "RUNNING" || this.#body === undefined) return false;
    let sent = false;
    try {
      for (const output of this.#body.outputs) if (output.flush()) sent = true;
    } catch (error) {
      // A record that cannot be encoded for another slot shows only here.
      this.fail(error);
    }
    return sent;
  }

  /** The coordinator triggers this task: it is a source, or all tasks before it have finished. */
  triggerCheckpoint(barrier: CheckpointBarrier): void {
    this.#mailbox.putControl(() => {
      const { checkpointId } = barrier;
      if (this.#status !== "RUNNING" || this.#body === undefined) {
        this.#p.log.log("INFO", `${this.name}: not running, declines checkpoint ${checkpointId}.`);
        return this.#decline(checkpointId, "CHECKPOINT_DECLINED_TASK_NOT_READY");
      }
      if (this.#phase === "CLOSING" || this.#p.hadFinished) {
        return this.#decline(checkpointId, "CHECKPOINT_DECLINED_TASK_CLOSING");
      }
      this.#orders.put({ kind: "trigger", barrier });
    });
  }

  notifyCheckpointComplete(checkpointId: number): void {
    this.#mailbox.putControl(() => this.#complete(checkpointId));
  }

  notifyCheckpointAborted(checkpointId: number): void {
    this.#mailbox.putControl(() => this.#body?.notifyCheckpointAborted(checkpointId));
  }

  /** An event of the JobManager's side for one operator. */
  operatorEvent(operatorId: string, event: SourceEvent): void {
    this.#mailbox.putControl(() => this.#orders.put({ kind: "event", operatorId, event }));
  }

  /** Ends the task without finishing. */
  cancel(): void {
    if (isTerminal(this.#status) || this.#status === "CANCELING") return;
    if (this.#status === "CREATED") return this.#become("CANCELED");
    this.#become("CANCELING");
    this.#shutDown(() => this.#become("CANCELED"));
  }

  /** Ends the task with an error. Later errors are dropped. */
  fail(error: unknown): void {
    if (isTerminal(this.#status)) {
      this.#p.log.log("INFO", `${this.name}: a failure after its end.`, { error });
      return;
    }
    if (this.#status === "CANCELING") {
      this.#p.log.log("DEBUG", `${this.name}: failed while it was cancelled.`, { error });
      return;
    }
    assertTransition(this.#status, "FAILED");
    this.#status = "FAILED";
    // Told only when all is closed, so that nothing of this attempt is left when the next begins.
    this.#shutDown(() => this.#p.listener.statusChanged(this.ref, "FAILED", error));
  }

  #turn(): StepResult {
    let progress = false;
    if (this.#mailbox.hasControl) {
      this.#mailbox.runControl();
      progress = true;
    }
    const body = this.#body;
    if (this.#status !== "RUNNING" || body === undefined) return progress ? "PROGRESS" : "IDLE";
    if (body.checkpoints.hasWork) {
      body.checkpoints.advance();
      progress = true;
    }
    if (this.#takesBarriers && body.letBarriersOvertake()) progress = true;
    if (!this.#settle(body)) return progress || !this.#flow.isFull ? "PROGRESS" : "BLOCKED";
    if (!this.#orders.isEmpty && this.#orders.follow(body)) progress = true;
    if (this.#flow.isFull) return progress ? "PROGRESS" : "BLOCKED";
    if (this.#timers.isDue || this.#mailbox.hasOperator) {
      const mayGoOn = () => this.#settle(body) && !this.#flow.isFull && this.#status === "RUNNING";
      this.#timers.fireDue(mayGoOn);
      this.#mailbox.runOperator(mayGoOn);
      return "PROGRESS";
    }
    if (!body.isAvailable()) return progress ? "PROGRESS" : "WAITING";
    return this.#processInPhase(body) || progress ? "PROGRESS" : "IDLE";
  }

  /** Not in the middle of flushing operators, nor at the very end. */
  get #takesBarriers(): boolean {
    return this.#phase === "PROCESSING" || this.#phase === "AWAITING";
  }

  /** Looks whether outputs have room again, and lets operators go on. @returns True if none has work left over. */
  #settle(body: TaskBody): boolean {
    if (this.#flow.isFull) this.#flow.isFull = body.writers.some((writer) => !writer.hasRoom());
    return body.continueOperators();
  }

  /** Lets the task before this one drive it, until something comes through the channel. */
  #setGate(): void {
    const body = this.#body;
    const gate = body?.head.gate;
    if (body === undefined || gate === undefined) return;
    const canBeDriven =
      this.#status === "RUNNING" &&
      this.#phase === "PROCESSING" &&
      body.head.isEmpty &&
      !this.#flow.isFull &&
      !this.#timers.isDue &&
      !this.#mailbox.hasOperator &&
      body.isAvailable() &&
      body.continueOperators();
    gate.isClosed = !canBeDriven;
  }

  #processInPhase(body: TaskBody): boolean {
    switch (this.#phase) {
      case "PROCESSING":
        return this.#processElements(body);
      case "FINISHING":
        this.#finishOperators(body);
        return true;
      case "AWAITING":
        return this.#await(body);
      case "CLOSING":
        return false;
    }
  }

  #processElements(body: TaskBody): boolean {
    const { head } = body;
    for (let taken = 0; taken < ELEMENTS_PER_TURN; taken++) {
      const result = head.take();
      if (result === "NOTHING") return taken > 0;
      if (result === "END") {
        this.#endData(head.isDrained);
        return true;
      }
      if (this.#flow.isFull || this.#mailbox.hasControl || !body.continueOperators()) return true;
    }
    return true;
  }

  #endData(isDrained: boolean): void {
    this.#isDrained = isDrained;
    this.#enter("FINISHING");
  }

  /** Lets operators flush, head first; what one emits is worked off before the next. */
  #finishOperators(body: TaskBody): void {
    while (this.#isDrained && this.#nextToFinish < body.links.length) {
      if (this.#flow.isFull || !body.continueOperators()) return;
      body.links[this.#nextToFinish++]?.operator.finish?.();
    }
    if (!body.continueOperators()) return;
    this.#timers.quiesce();
    for (const output of body.outputs)
      output.broadcast({ kind: "end-of-data", drain: this.#isDrained });
    this.#finalCheckpointMinId = this.#p.hadFinished ? 0 : body.checkpoints.lastCheckpointId + 1;
    this.#enter("AWAITING");
    this.#p.listener.endOfDataReached(this.ref, this.#finalCheckpointMinId);
  }

  #await(body: TaskBody): boolean {
    const { head } = body;
    if (!head.isEnded) {
      const result = head.take();
      if (!head.isEnded) return result === "TOOK";
    }
    const { isCheckpointed, hadFinished } = this.#p;
    if (isCheckpointed && !hadFinished && this.#completedId < this.#finalCheckpointMinId)
      return false;
    if (!body.writers.every((writer) => writer.isEndOfDataTaken())) return false;
    this.#close(body);
    return true;
  }

  #close(body: TaskBody): void {
    this.#enter("CLOSING");
    for (const output of body.outputs) output.broadcast({ kind: "end-of-partition" });
    this.#notifications
      .then(() => body.close())
      .then(
        () => this.#mailbox.putControl(() => this.#closed()),
        (error: unknown) => this.#mailbox.putControl(() => this.fail(error)),
      );
  }

  #closed(): void {
    if (this.#status === "RUNNING") this.#become("FINISHED");
  }

  #built(body: TaskBody): void {
    if (this.#status !== "INITIALIZING") return;
    this.#body = body;
    if (body.head instanceof InputHead) {
      body.head.connect(() => body.continueOperators(), {
        fail: (error) => this.fail(error),
        namesInTurn: () => this.namesInTurn(),
      });
    }
    this.#become("RUNNING");
  }

  /** A savepoint that stops the job is taken once all data is sent; the source stops first. */
  #mayTrigger({ options: { snapshot } }: CheckpointBarrier): boolean {
    const stops = snapshot.kind === "SAVEPOINT" && snapshot.postAction !== "NONE";
    if (!stops) return true;
    if (this.#phase === "PROCESSING") this.#stop(snapshot.postAction === "TERMINATE");
    return this.#phase === "AWAITING";
  }

  #stop(drain: boolean): void {
    this.#body?.stopSource(drain);
    this.#endData(drain);
  }

  #carryOut(actions: readonly BarrierAction[]): void {
    for (const action of actions) this.#body?.carryOut(action);
  }

  #complete(checkpointId: number): void {
    const body = this.#body;
    if (body === undefined || this.#status !== "RUNNING" || checkpointId <= this.#completedId)
      return;
    this.#notifications = this.#notifications.then(() =>
      body.notifyCheckpointComplete(checkpointId),
    );
    this.#notifications.then(
      () =>
        this.#mailbox.putControl(() => {
          this.#completedId = Math.max(this.#completedId, checkpointId);
        }),
      (error: unknown) => this.#mailbox.putControl(() => this.fail(error)),
    );
  }

  #decline(checkpointId: number, reason: CheckpointFailureReason): void {
    this.#p.responder.declineCheckpoint(this.ref, checkpointId, reason, [], {});
  }

  /** Closes operators, but does not wait for ever. */
  #shutDown(then: () => void): void {
    const { log, platform } = this.#p;
    this.#timers.quiesce();
    const gate = this.#body?.head.gate;
    if (gate !== undefined) gate.isClosed = true;
    this.#body?.checkpoints.close();
    let isDone = false;
    const done = () => {
      if (isDone) return;
      isDone = true;
      cancelTimeout();
      then();
    };
    const cancelTimeout = platform.after(CLOSE_TIMEOUT_MS, () => {
      log.log(
        "ERROR",
        `${this.name}: operators did not close within ${CLOSE_TIMEOUT_MS} ms; left behind.`,
      );
      done();
    });
    const closed = this.#body === undefined ? this.#closeWhenBuilt() : this.#body.close();
    closed.then(done, (error: unknown) => {
      log.log("WARN", `${this.name}: could not be closed cleanly.`, { error });
      done();
    });
  }

  async #closeWhenBuilt(): Promise<void> {
    const body = await this.#building?.catch(() => undefined);
    await body?.close();
  }

  #enter(phase: TaskPhase): void {
    assertPhaseTransition(this.#phase, phase);
    this.#phase = phase;
  }

  #become(status: TaskStatus): void {
    assertTransition(this.#status, status);
    this.#status = status;
    this.#p.listener.statusChanged(this.ref, status, undefined);
  }
}
