import type { JobClient } from "../api/index.ts";
import type { Platform } from "../base/index.ts";
import { ServedJob } from "./served-job.ts";

/** How often rates are measured. */
const SAMPLE_INTERVAL_MS = 1_000;

/** How many jobs that are over are remembered. Source: Flink `jobstore.max-capacity`, here smaller. */
const KEPT_OVER = 100;

/** Something about a job has changed. */
export interface JobChange {
  readonly kind: "job" | "checkpoint";
  readonly jobId: string;
}

/** The jobs of one server: those that run, and the last of those that are over. */
export class JobRegistry {
  readonly #platform: Platform;
  readonly #jobs = new Map<string, ServedJob>();
  readonly #listeners = new Set<(change: JobChange) => void>();
  readonly #records = new WeakSet<ServedJob["record"]>();
  readonly #checkpointCounts = new Map<string, string>();
  #cancelTimer: (() => void) | undefined;

  constructor(platform: Platform) {
    this.#platform = platform;
  }

  /** The newest first. */
  get jobs(): readonly ServedJob[] {
    return [...this.#jobs.values()].toReversed();
  }

  find(jobId: string): ServedJob | undefined {
    return this.#jobs.get(jobId);
  }

  /** Shows a job from now on; it takes the place of an earlier run of the same one. */
  add(client: JobClient): ServedJob {
    const job = new ServedJob(client, this.#platform);
    this.#jobs.delete(job.jobId);
    this.#jobs.set(job.jobId, job);
    this.#listenTo(job);
    this.#forgetOldest();
    this.#schedule();
    this.#tell({ kind: "job", jobId: job.jobId });
    return job;
  }

  /** Calls back when something has changed; must not throw. @returns What ends that. */
  listen(listener: (change: JobChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    this.#listeners.clear();
  }

  #schedule(): void {
    if (this.#cancelTimer !== undefined) return;
    this.#cancelTimer = this.#platform.after(SAMPLE_INTERVAL_MS, () => {
      this.#cancelTimer = undefined;
      for (const job of this.#jobs.values()) this.#look(job);
      if ([...this.#jobs.values()].some(({ isOver }) => !isOver)) this.#schedule();
    });
  }

  /** A job that is rescaled has a record anew. */
  #listenTo(job: ServedJob): void {
    const { record } = job;
    if (this.#records.has(record)) return;
    this.#records.add(record);
    record.listen(() => this.#tell({ kind: "job", jobId: job.jobId }));
  }

  #look(job: ServedJob): void {
    this.#listenTo(job);
    job.sample();
    const counts = JSON.stringify(job.statistics.counts);
    if (this.#checkpointCounts.get(job.jobId) === counts) return;
    this.#checkpointCounts.set(job.jobId, counts);
    this.#tell({ kind: "checkpoint", jobId: job.jobId });
  }

  #tell(change: JobChange): void {
    for (const listener of this.#listeners) listener(change);
  }

  #forgetOldest(): void {
    const over = [...this.#jobs.values()].filter(({ isOver }) => isOver);
    for (const { jobId } of over.slice(0, Math.max(0, over.length - KEPT_OVER))) {
      this.#jobs.delete(jobId);
      this.#checkpointCounts.delete(jobId);
    }
  }
}
