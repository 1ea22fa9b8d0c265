import type { LogMemory, Platform } from "../base/index.ts";
import type { JobRegistry } from "./job-registry.ts";
import type { ProcessMetrics } from "./metrics/process-metrics.ts";
import type { AsynchronousOperations } from "./operations/asynchronous-operations.ts";

/** What all routes of one server work with. */
export interface ServerContext {
  readonly platform: Platform;
  readonly registry: JobRegistry;
  readonly operations: AsynchronousOperations;
  readonly log: LogMemory;
  readonly processMetrics: ProcessMetrics;
  /** Of the package. */
  readonly version: string;
  /** Where the server is reached: `http://127.0.0.1:8081`. */
  readonly address: () => string;
  /** Runs a job file, if this server takes any. */
  readonly submit: ((submission: JobSubmission) => Promise<string>) | undefined;
}

/** A job file that the server is to run. */
export interface JobSubmission {
  /** Below the server's directory of jobs. */
  readonly path: string;
  readonly arguments: readonly string[];
  readonly settings: Readonly<Record<string, string>>;
}
