import { errorText } from "../../base/index.ts";

/** An error with its stack and its causes, laid out as Java does it, so that whoever reads Flink's reads this. */
export function stackText(error: unknown): string {
  const seen = new Set<unknown>();
  const parts: string[] = [];
  let current = error;
  while (current !== undefined && current !== null && !seen.has(current)) {
    seen.add(current);
    parts.push(`${parts.length === 0 ? "" : "Caused by: "}${ownText(current)}`);
    current = current instanceof Error ? current.cause : undefined;
  }
  return `${parts.join("\n")}\n`;
}

/** The class of what was thrown. */
export function errorName(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}

function ownText(error: unknown): string {
  if (!(error instanceof Error)) return errorText(error);
  const head = `${error.name}: ${error.message}`;
  const frames = (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  return [head, ...frames.map((frame) => `\t${frame.trim()}`)].join("\n");
}
