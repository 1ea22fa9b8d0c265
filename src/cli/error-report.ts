import { errorText, isStreamError } from "../base/index.ts";

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
  const seen = new Set<unknown>();
  let current = error;
  while (current !== undefined && current !== null && !seen.has(current)) {
    seen.add(current);
    const label = lines.length === 0 ? "Error: " : "  caused by ";
    lines.push(...indented(label, describe(current, lines.length === 0, options)));
    if (isStreamError(current)) remedies.push(current.remedy);
    current = current instanceof Error ? current.cause : undefined;
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
  return isVerbose ? stackOf(error) : [...head, ...framesOf(error, isOutermost)];
}

function stackOf(error: Error): readonly string[] {
  return (error.stack ?? `${error.name}: ${error.message}`).split("\n");
}

const PACKAGE_URL = new URL("../..", import.meta.url);

/** The frames in the user's files. An outermost error without such is a bug, of which all frames matter. */
function framesOf(error: Error, isOutermost: boolean): readonly string[] {
  // An error of the operating system was made by a call of ours: its message says it all.
  if ("syscall" in error) return [];
  const frames = (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  const ofUser = frames.filter((line) => !isForeignFrame(line));
  return (ofUser.length === 0 && isOutermost ? frames : ofUser).map((line) => `    ${line.trim()}`);
}

function isForeignFrame(line: string): boolean {
  if (/node:|<anonymous>|\/node_modules\/@stricli\//.test(line)) return true;
  for (const folder of ["src/", "dist/"]) {
    const url = new URL(folder, PACKAGE_URL);
    if (line.includes(url.href) || line.includes(`(${url.pathname}`)) return true;
  }
  return false;
}

function indented(label: string, lines: readonly string[]): readonly string[] {
  return lines.map((line, index) => (index === 0 ? `${label}${line}` : `  ${line}`));
}
