import { causeChain, causesOf, isStreamError } from "./errors.ts";
import type { LogFields, LogLevel } from "./log.ts";
import { userFramesOf } from "./user-frames.ts";

/**
 * A log line as Flink's log files have it, with its causes on lines of their own, so that whatever reads those reads this.
 *
 * @remarks
 * A cause whose text stands in the message already is left out. Ends with a line break.
 */
export function formatLogLine(
  level: LogLevel,
  message: string,
  fields: LogFields,
  nowMs: number,
): string {
  const { error, ...others } = fields;
  const values = Object.entries(others).map(([name, value]) => ` ${name}=${JSON.stringify(value)}`);
  const causes = causeChain(error)
    .filter((text) => !message.includes(text.slice(text.indexOf(": ") + 2)))
    .map((text, index) => `${index === 0 ? "" : "Caused by: "}${text}\n`);
  const frames = innermostUserFrames(error).map((frame) => `\t${frame}\n`);
  const time = new Date(nowMs).toISOString().replace("T", " ").replace(".", ",").slice(0, -1);
  return `${time} ${level.padEnd(5)} cutwater [] - ${message}${values.join("")}\n${causes.join("")}${frames.join("")}`;
}

/** Where in the user's files the first cause arose: the line to open. An error that no code of the user's threw has none. */
function innermostUserFrames(error: unknown): readonly string[] {
  const innermost = causesOf(error).at(-1);
  const isOfUser = innermost instanceof Error && !isStreamError(innermost);
  return isOfUser ? userFramesOf(innermost) : [];
}
