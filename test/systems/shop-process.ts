import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { CutwaterProcess } from "../e2e/cutwater-process.ts";

const JOB = fileURLToPath(new URL("../jobs/troubled-shop.ts", import.meta.url));

type Settings = Readonly<Record<string, string>>;

/** `cutwater run` with the job of `test/jobs/troubled-shop.ts`, in a folder of its own. */
export class ShopProcess {
  readonly folder: string = mkdtempSync(join(tmpdir(), "cutwater-shop-"));
  readonly #trouble: string;
  readonly #settings: Settings;
  #process: CutwaterProcess | undefined;
  /** Where page and REST are. */
  address = "";
  jobId = "";

  constructor(trouble: "none" | "skew" | "slow-sink", settings: Settings) {
    this.#trouble = trouble;
    this.#settings = {
      "execution.checkpointing.interval": "1 s",
      "execution.checkpointing.dir": "checkpoints",
      "execution.checkpointing.savepoint-dir": "savepoints",
      "web.checkpoints.history": "100",
      "restart-strategy.type": "fixed-delay",
      "restart-strategy.fixed-delay.attempts": "100",
      "restart-strategy.fixed-delay.delay": "2 s",
      "rest.port": "0",
      ...settings,
    };
  }

  /** Starts it, at the port where it was if it was there before, and waits until it serves. */
  async start(): Promise<void> {
    const port = this.address === "" ? {} : { "rest.port": new URL(this.address).port };
    const settings = Object.entries({ ...this.#settings, ...port });
    const flags = settings.flatMap(([key, value]) => ["-D", `${key}=${value}`]);
    const inputs = ["run", JOB, "-p", "4", "--slots", "2", ...flags];
    const process = new CutwaterProcess(this.folder, [...inputs, "--", this.folder, this.#trouble]);
    this.#process = process;
    const line = /page and REST at (\S+)/;
    await process.until((_, stderr) => line.test(stderr));
    this.address = line.exec(process.stderr)?.[1] ?? "";
    const { jobs } = (await this.get("/jobs")) as { jobs: readonly { id: string }[] };
    this.jobId = jobs[0]?.id ?? "";
  }

  async get(path: string): Promise<unknown> {
    return (await fetch(`${this.address}${path}`)).json() as Promise<unknown>;
  }

  /** Asks until the answer is as wanted. */
  async until<T>(what: string, path: string, wanted: (answer: T) => boolean): Promise<T> {
    const deadlineMs = performance.now() + 90_000;
    for (;;) {
      const answer = await this.get(`/jobs/${this.jobId}${path}`).catch(() => undefined);
      if (answer !== undefined && wanted(answer as T)) return answer as T;
      if (performance.now() > deadlineMs) throw new Error(`${what} did not come within 90 s`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  /** Begins or ends a trouble that the job looks for while it runs. */
  set(trouble: "fail" | "disk-full", isThere: boolean): void {
    const path = join(this.folder, trouble);
    if (isThere) writeFileSync(path, "");
    else rmSync(path, { force: true });
  }

  /** As `kill -9` does. */
  async kill(): Promise<void> {
    this.#process?.kill("SIGKILL");
    await this.#process?.result();
  }

  /** How it ended. */
  async exitCode(): Promise<number | null | undefined> {
    return (await this.#process?.result())?.exitCode;
  }

  async close(): Promise<void> {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
