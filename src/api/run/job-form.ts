import type { Configuration } from "../../base/index.ts";
import type { JobGraph } from "../../graph/index.ts";
import type { JobDefinition } from "../job-definition.ts";
import { withoutZeroInterval } from "./run-configuration.ts";

/** A job as its code and its settings make it. */
export interface JobForm {
  readonly graph: JobGraph;
  /** What the job's function saw. */
  readonly buildConfiguration: Configuration;
  readonly configuration: Configuration;
}

export function formOf(
  job: JobDefinition,
  given: Configuration,
  jobArguments: readonly string[],
): JobForm {
  const buildConfiguration = withoutZeroInterval(given);
  const built = job.build(buildConfiguration, jobArguments);
  const configuration = withoutZeroInterval(given.with(built.configuration ?? []));
  // What the code has set is in the configuration by now, and weaker than what was given.
  return { graph: { ...built, configuration: [] }, buildConfiguration, configuration };
}
