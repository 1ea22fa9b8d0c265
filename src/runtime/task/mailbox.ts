/**
 * Actions that wait for a task's turn: what is asynchronous comes back into the synchronous task only through here.
 *
 * @remarks
 * Two queues, each in its own order. *Control* (messages of the coordinator, completed I/O of a checkpoint) is worked off in
 * every turn; *operator* actions (processing-time timers, an operator's own completions) may emit and wait until outputs have room
 * and no operator has work left over.
 */
export class Mailbox {
  readonly #wake: () => void;
  #control: (() => void)[] = [];
  #operator: (() => void)[] = [];

  /** @param wake - Tells the slot that there is something to do. */
  constructor(wake: () => void) {
    this.#wake = wake;
  }

  putControl(action: () => void): void {
    this.#control.push(action);
    this.#wake();
  }

  putOperator(action: () => void): void {
    this.#operator.push(action);
    this.#wake();
  }

  get hasControl(): boolean {
    return this.#control.length > 0;
  }

  get hasOperator(): boolean {
    return this.#operator.length > 0;
  }

  /** Runs the control actions that were there when it was called. */
  runControl(): void {
    const actions = this.#control;
    this.#control = [];
    for (const action of actions) action();
  }

  /** Runs operator actions in order for as long as `mayGoOn` says so; the rest stays. */
  runOperator(mayGoOn: () => boolean): void {
    const actions = this.#operator;
    this.#operator = [];
    let done = 0;
    while (done < actions.length && mayGoOn()) actions[done++]?.();
    if (done < actions.length) this.#operator = [...actions.slice(done), ...this.#operator];
  }
}
