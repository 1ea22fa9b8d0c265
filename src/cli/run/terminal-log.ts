import { causeChain, type Logger, type LogLevel } from "../../base/index.ts";

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
      const { error, ...others } = fields;
      const values = Object.entries(others).map(
        ([name, value]) => ` ${name}=${JSON.stringify(value)}`,
      );
      const causes = causeChain(error)
        .filter((text) => !message.includes(text.slice(text.indexOf(": ") + 2)))
        .map((text, index) => `${index === 0 ? "" : "Caused by: "}${text}\n`);
      const time = new Date(nowMs()).toISOString().replace("T", " ").replace(".", ",").slice(0, -1);
      write(
        `${time} ${level.padEnd(5)} cutwater [] - ${message}${values.join("")}\n${causes.join("")}`,
      );
    },
  };
}
