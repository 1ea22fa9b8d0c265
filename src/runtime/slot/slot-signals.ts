/**
 * How a slot hears of the other slots of its job, and lets be seen what it is at. Implemented over shared memory between threads, and by
 * plain calls within one.
 */
export interface SlotSignals {
  /** Called before each round. @returns True if something was sent on that had waited for room. */
  beginRound(): boolean;
  /** Called when nothing is left to do. @returns False if something has come since the round began: then it is not time to sleep. */
  sleep(): boolean;
  /** The next turn is that of the task with this number in its deployment; undefined between turns. */
  enterTask(taskNumber: number | undefined): void;
}
