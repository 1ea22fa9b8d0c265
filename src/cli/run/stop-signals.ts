import { constants } from "node:os";

/** What a signal asks for. */
export interface StopSignals {
  /** Takes the handlers off again. */
  release(): void;
}

const SIGNALS: readonly ("SIGINT" | "SIGTERM")[] = ["SIGINT", "SIGTERM"];

/**
 * Ctrl-C and SIGTERM: the first one asks to stop, the second one ends the process at once, with the exit code that a shell has for it.
 */
export function onStopSignals(stop: (signal: string) => void): StopSignals {
  let isStopping = false;
  const handle = (signal: "SIGINT" | "SIGTERM"): void => {
    if (isStopping) process.exit(128 + constants.signals[signal]);
    isStopping = true;
    stop(signal);
  };
  for (const signal of SIGNALS) process.on(signal, handle);
  return {
    release() {
      for (const signal of SIGNALS) process.off(signal, handle);
    },
  };
}
