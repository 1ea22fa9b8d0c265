import { StreamError } from "../../base/index.ts";

/** Stops looking. */
export interface StrayEnds {
  release(): void;
}

/**
 * Tells of what would end the process behind the run's back, as `process.exit` in user code does. The job then goes on from its newest
 * checkpoint when it is run again; without this, it would end without a word, and after `process.exit(0)` as if it had finished.
 *
 * @param tell - Writes at once: the process is about to end.
 * @param isStopping - True if the process is meant to end.
 */
export function onStrayEnds(
  tell: (error: StreamError) => void,
  isStopping: () => boolean,
): StrayEnds {
  const onExit = (exitCode: number): void => {
    if (isStopping()) return;
    tell(new StreamError("SLOT_LOST", { slot: 0, task: undefined, exitCode }));
    process.exitCode = exitCode === 0 ? 1 : exitCode;
  };
  process.on("exit", onExit);
  return { release: () => void process.off("exit", onExit) };
}
