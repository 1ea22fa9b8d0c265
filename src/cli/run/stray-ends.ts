import { StreamError } from "../../base/index.ts";

/** Stops looking. */
export interface StrayEnds {
  release(): void;
}

/**
 * Tells of what would end the process behind the run's back: `process.exit` in user code, a rejected promise that nobody looked at, an error
 * thrown in a callback. The job then goes on from its newest checkpoint when it is run again; without this, it would end without a word, and
 * after `process.exit(0)` as if it had finished.
 *
 * @param tell - Writes at once: the process is about to end.
 * @param isStopping - True if the process is meant to end.
 */
export function onStrayEnds(
  tell: (error: StreamError) => void,
  isStopping: () => boolean,
): StrayEnds {
  let isTold = false;
  const fail = (error: StreamError): void => {
    isTold = true;
    tell(error);
    process.exit(1);
  };
  const handlers = {
    unhandledRejection: (reason: unknown) =>
      fail(new StreamError("UNHANDLED_REJECTION", { where: undefined }, reason)),
    uncaughtException: (error: unknown) =>
      fail(new StreamError("SLOT_LOST", { slot: 0, task: undefined, exitCode: undefined }, error)),
    exit: (exitCode: number) => {
      if (isTold || isStopping()) return;
      tell(new StreamError("SLOT_LOST", { slot: 0, task: undefined, exitCode }));
      process.exitCode = exitCode === 0 ? 1 : exitCode;
    },
  };
  const events = Object.keys(handlers) as (keyof typeof handlers)[];
  for (const event of events) process.on(event, handlers[event]);
  return {
    release() {
      for (const event of events) process.off(event, handlers[event]);
    },
  };
}
