import type { JobDefinition } from "../../../api/index.ts";
import { collectSink } from "../../../connectors/index.ts";
import { Types } from "../../../serde/index.ts";
import type { SimulatedJob } from "../simulation.ts";

/** A job whose sinks are collect sinks: they stand for a system outside, and outlive the process. */
export function collectingJob(
  makeJob: (sink: ReturnType<typeof collectSink<string>>) => JobDefinition,
): SimulatedJob {
  const sink = collectSink(Types.string());
  const definition = makeJob(sink);
  return {
    build: (configuration) => definition.build(configuration),
    output: () => sink.records,
  };
}
