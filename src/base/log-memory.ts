import type { LogFields, Logger, LogLevel } from "./log.ts";
import { formatLogLine } from "./log-line.ts";
import type { Platform } from "./platform.ts";

/** Room for what is kept of the log, in characters. */
const KEPT_LENGTH = 1 << 20;

/** Passes log lines on, and keeps the latest in memory, laid out as in Flink's log files, for REST and doctor. */
export class LogMemory implements Logger {
  readonly #platform: Platform;
  readonly #next: Logger;
  readonly #lines: string[] = [];
  #length = 0;
  #changedAtMs: number;

  constructor(platform: Platform, next: Logger) {
    this.#platform = platform;
    this.#next = next;
    this.#changedAtMs = platform.nowMs();
  }

  log(level: LogLevel, message: string, fields: LogFields = {}): void {
    this.#next.log(level, message, fields);
    if (level === "DEBUG") return;
    this.#changedAtMs = this.#platform.nowMs();
    const line = formatLogLine(level, message, fields, this.#changedAtMs);
    this.#lines.push(line);
    this.#length += line.length;
    while (this.#length > KEPT_LENGTH && this.#lines.length > 1) {
      this.#length -= this.#lines.shift()?.length ?? 0;
    }
  }

  /** The lines that are kept, oldest first. */
  get text(): string {
    return this.#lines.join("");
  }

  get changedAtMs(): number {
    return this.#changedAtMs;
  }
}
