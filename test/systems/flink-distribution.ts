import { spawnSync } from "node:child_process";

const SCRIPT = new URL("servers/flink", import.meta.url).pathname;

/** The Flink whose REST we answer like. */
const VERSION = "2.3.0";

/** What is missing to fetch and run a Flink, or undefined. */
export function missingForFlink(): string | undefined {
  const missing = [
    ["java", "-version"],
    ["python3", "--version"],
    ["curl", "--version"],
    ["unzip", "-v"],
  ].filter(([command = "", flag = ""]) => spawnSync(command, [flag]).status !== 0);
  return missing.length === 0 ? undefined : missing.map(([command]) => command).join(", ");
}

/** Runs the script that fetches, starts and asks a real Flink. @returns What it printed. */
export function flink(
  parameters: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): string {
  const result = spawnSync(SCRIPT, parameters, {
    encoding: "utf8",
    env: { ...process.env, FLINK_VERSION: VERSION, FLINK_INSTANCE: "client", ...environment },
  });
  if (result.status !== 0) {
    throw new Error(`flink ${parameters.join(" ")}: ${result.stdout}${result.stderr}`, {
      cause: result.error,
    });
  }
  return result.stdout;
}

/** Fetches the distribution if it is not there yet. */
export function installFlink(): void {
  flink(["install", VERSION]);
}

/** Where the distribution lies. */
export function flinkHome(): string {
  const root = process.env["CUTWATER_SYSTEMS"] ?? `${process.env["HOME"]}/.cache/cutwater-systems`;
  return `${root}/flink-${VERSION}`;
}
