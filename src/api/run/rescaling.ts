import { type Configuration, StreamError } from "../../base/index.ts";
import { GRAPH_OPTIONS, type JobGraph } from "../../graph/index.ts";
import type { JobForm } from "./job-form.ts";

/** A job that ends in order to go on in another form. */
export interface Handover {
  readonly form: JobForm;
  /** Settled when the job runs again, in whatever form. */
  readonly done: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export function handoverTo(form: JobForm): Handover {
  let resolve: () => void = () => undefined;
  let reject: (error: unknown) => void = () => undefined;
  const done = new Promise<void>((onDone, onFailed) => {
    resolve = onDone;
    reject = onFailed;
  });
  return { form, done, resolve, reject };
}

/** The settings with another default parallelism, stronger than whatever else names one. */
export function withParallelism(configuration: Configuration, parallelism: number): Configuration {
  const { key } = GRAPH_OPTIONS.parallelism;
  return configuration.with([
    { key, value: String(parallelism), origin: "flag", place: "the change of parallelism" },
  ]);
}

/**
 * Refuses a parallelism that the job's state cannot be dealt to.
 *
 * @param current - The job as it runs, with the number of key groups that its state has.
 * @throws StreamError PARALLELISM_ABOVE_MAXIMUM naming the vertex.
 */
export function refuseAboveMaximum(next: JobGraph, current: JobGraph): void {
  const maximum = new Map(current.vertices.map(({ id, maxParallelism }) => [id, maxParallelism]));
  for (const { id, name, parallelism } of next.vertices) {
    const maxParallelism = maximum.get(id);
    if (maxParallelism === undefined || parallelism <= maxParallelism) continue;
    throw new StreamError("PARALLELISM_ABOVE_MAXIMUM", {
      vertex: name,
      parallelism,
      maxParallelism,
    });
  }
}
