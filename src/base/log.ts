/** Severity of a log line, as in Flink's logs. */
export type LogLevel = "DEBUG" | "INFO" | "WARN" | "ERROR";

/** Values that go with a log line, each under its own name. */
export type LogFields = Readonly<Record<string, unknown>>;

/**
 * Where the engine's log lines go. Shaped like pino's methods, so that a pino logger can be wrapped in a line each.
 *
 * @remarks
 * Messages about the course of a checkpoint are Flink's own, at Flink's levels.
 */
export interface Logger {
  log(level: LogLevel, message: string, fields?: LogFields): void;
}

/** A logger that keeps nothing. */
export const silentLogger: Logger = { log() {} };
