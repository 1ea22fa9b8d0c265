import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** Signals of the tests. */
type Signal = "SIGINT" | "SIGTERM" | "SIGKILL";

/** What a process wrote and ended with. */
export interface ProcessResult {
  readonly stdout: string;
  readonly stderr: string;
  /** Null if a signal ended it. */
  readonly exitCode: number | null;
  readonly signal: string | null;
}

const MAIN = fileURLToPath(
  new URL(`../../${process.env["CUTWATER_DIST"] ?? "dist"}/cli/main.js`, import.meta.url),
);

/** The built `cutwater`, in a process of its own. */
export class CutwaterProcess {
  readonly #child: ChildProcess;
  readonly #end: Promise<unknown[]>;
  #stdout = "";
  #stderr = "";
  #waiting: (() => void)[] = [];

  /** @param environment - Beside that of this process. */
  constructor(
    directory: string,
    inputs: readonly string[],
    environment: Readonly<Record<string, string>> = {},
  ) {
    const { DEBUG: _, ...env } = process.env;
    this.#child = spawn(process.execPath, [MAIN, ...inputs], {
      cwd: directory,
      env: { ...env, ...environment },
    });
    this.#child.stdout?.on("data", (data: Buffer) =>
      this.#add(() => (this.#stdout += String(data))),
    );
    this.#child.stderr?.on("data", (data: Buffer) =>
      this.#add(() => (this.#stderr += String(data))),
    );
    this.#end = once(this.#child, "close");
    void this.#end.then(() => this.#add(() => undefined));
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get stdout(): string {
    return this.#stdout;
  }

  get stderr(): string {
    return this.#stderr;
  }

  /** Waits until the output says something. @throws Error with the output if the process ends before. */
  async until(isThere: (stdout: string, stderr: string) => boolean): Promise<void> {
    while (!isThere(this.#stdout, this.#stderr)) {
      if (this.#child.exitCode !== null || this.#child.signalCode !== null) {
        await this.#end;
        if (isThere(this.#stdout, this.#stderr)) return;
        throw new Error(`The process ended before:\n${this.#stdout}\n${this.#stderr}`);
      }
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  kill(signal: Signal): void {
    this.#child.kill(signal);
  }

  async result(): Promise<ProcessResult> {
    await this.#end;
    const { exitCode, signalCode } = this.#child;
    return { stdout: this.#stdout, stderr: this.#stderr, exitCode, signal: signalCode };
  }

  #add(change: () => void): void {
    change();
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}

/** Runs a command to its end. */
export async function cutwater(
  directory: string,
  ...inputs: readonly string[]
): Promise<ProcessResult> {
  return await new CutwaterProcess(directory, inputs).result();
}
