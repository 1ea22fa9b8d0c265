/** Calls back soon, or after the time that a message takes. */
export type Schedule = (callback: () => void) => void;

/**
 * Carries messages one way between two parties: in order, never in the call that sends them.
 *
 * @remarks
 * Stands for what connects threads, so that nobody can come to rely on an answer within the call. A simulation lets messages
 * take their time through `schedule`.
 */
export class MessageQueue<M> {
  readonly #schedule: Schedule;
  readonly #deliver: (message: M) => void;
  #queued: M[] = [];
  #isScheduled = false;
  #isClosed = false;

  constructor(schedule: Schedule, deliver: (message: M) => void) {
    this.#schedule = schedule;
    this.#deliver = deliver;
  }

  send(message: M): void {
    if (this.#isClosed) return;
    this.#queued.push(message);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#schedule(() => {
      this.#isScheduled = false;
      const messages = this.#queued;
      this.#queued = [];
      for (const next of messages) if (!this.#isClosed) this.#deliver(next);
    });
  }

  /** Drops what is under way and what would come. */
  close(): void {
    this.#isClosed = true;
    this.#queued = [];
  }
}
