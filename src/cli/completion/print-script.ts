import type { CliContext } from "../cli-context.ts";
import { SHELL_SCRIPTS, type Shell } from "./shell-scripts.ts";

/** `cutwater completion`: the script goes to the standard output. */
export function printScript(this: CliContext, _flags: object, shell: Shell): void {
  this.process.stdout.write(SHELL_SCRIPTS[shell]);
}
