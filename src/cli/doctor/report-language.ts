import type { Language } from "../../doctor/index.ts";
import type { CliContext, OutputStream } from "../cli-context.ts";

/** The language that was asked for, or that of the environment: Chinese if its locale says so, else English. */
export function reportLanguage(
  asked: Language | undefined,
  env: CliContext["process"]["env"],
): Language {
  if (asked !== undefined) return asked;
  const locale = env["LC_ALL"] ?? env["LC_MESSAGES"] ?? env["LANG"] ?? "";
  return locale.toLowerCase().startsWith("zh") ? "zh" : "en";
}

/** Columns to write in. */
export function reportWidth(stdout: OutputStream): number {
  return stdout.columns ?? 100;
}

/** Whether colours are of use. Source: no-color.org. */
export function hasColour({ stdout, env }: CliContext["process"]): boolean {
  return stdout.isTTY === true && (env["NO_COLOR"] ?? "") === "";
}
