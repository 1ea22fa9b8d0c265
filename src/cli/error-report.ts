import { causesOf, errorText, framesOf, isStreamError, userFramesOf } from "../base/index.ts";

/** How much of an error is shown. */
export interface ErrorReportOptions {
  /** True shows the stack of every error, our own too. */
  readonly isVerbose: boolean;
}

/**
 * An error for the terminal: what happened, its causes, what to do.
 *
 * @remarks
 * A foreseen condition is shown without its stack, which says nothing to its reader; an error of the user's code keeps the lines of its stack
 * that lie in the user's files. Anything else is a bug, here or in a package, and shown whole.
 */
export function errorReport(error: unknown, options: ErrorReportOptions): string {
  const lines: string[] = [];
  const remedies: string[] = [];
  for (const cause of causesOf(error)) {
    const label = lines.length === 0 ? "Error: " : "  caused by ";
    lines.push(...indented(label, describe(cause, lines.length === 0, options)));
    if (isStreamError(cause)) remedies.push(cause.remedy);
  }
  // The innermost foreseen condition is nearest to what can be changed.
  const remedy = remedies.at(-1);
  if (remedy !== undefined) lines.push(...indented("  What to do: ", [remedy]));
  return `${lines.join("\n")}\n`;
}

function describe(
  error: unknown,
  isOutermost: boolean,
  { isVerbose }: ErrorReportOptions,
): readonly string[] {
  if (!(error instanceof Error)) return errorText(error).split("\n");
  const message = error.message.split("\n");
  if (isStreamError(error)) return isVerbose ? stackOf(error) : message;
  const name = error.name === "Error" ? "" : `${error.name}: `;
  const head = [`${name}${message[0] ?? ""}`, ...message.slice(1)];
  return isVerbose ? stackOf(error) : [...head, ...shownFrames(error, isOutermost)];
}

function stackOf(error: Error): readonly string[] {
  return (error.stack ?? `${error.name}: ${error.message}`).split("\n");
}

/** The frames in the user's files. An outermost error without such is a bug, of which all frames matter. */
function shownFrames(error: Error, isOutermost: boolean): readonly string[] {
  const ofUser = userFramesOf(error);
  const isBug = ofUser.length === 0 && isOutermost && !("syscall" in error);
  return (isBug ? framesOf(error) : ofUser).map((frame) => `    ${frame}`);
}

function indented(label: string, lines: readonly string[]): readonly string[] {
  return lines.map((line, index) => (index === 0 ? `${label}${line}` : `  ${line}`));
}
