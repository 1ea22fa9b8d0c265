import { formatLogLine, type Logger, type LogLevel } from "../../base/index.ts";

const SEVERITY: { readonly [L in LogLevel]: number } = { DEBUG: 0, INFO: 1, WARN: 2, ERROR: 3 };

export interface TerminalLogOptions {
  /** Lines below are dropped. */
  readonly least: LogLevel;
  readonly nowMs: () => number;
  readonly write: (text: string) => void;
}

/** Log lines as Flink's log files have them, so that whatever reads those reads these. */
export function terminalLog({ least, nowMs, write }: TerminalLogOptions): Logger {
  return {
    log(level, message, fields = {}) {
      if (SEVERITY[level] < SEVERITY[least]) return;
      write(formatLogLine(level, message, fields, nowMs()));
    },
  };
}
