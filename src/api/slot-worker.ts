import { fileURLToPath } from "node:url";
import { parentPort, workerData } from "node:worker_threads";

import { Configuration, nodePlatform, present, StreamError } from "../base/index.ts";
import { renderPlan } from "../graph/index.ts";
import { loadJob } from "../loader/index.ts";
import { jobOptions, portLogger, serveSlot, slotEnvironment } from "../runtime/index.ts";
import type { JobDefinition } from "./job-definition.ts";
import type { SlotWorkerData } from "./worker-slots.ts";

/**
 * The program of a slot's thread: loads the job's file, makes the job anew, since functions do not travel between threads, and runs what
 * the JobManager deploys.
 *
 * @throws StreamError JOB_DIFFERS_IN_SLOT if it is another job than in the main thread; what loading and building throw.
 */
const data = workerData as SlotWorkerData;
const port = present(parentPort, "a slot's program runs in a worker thread");
const platform = nodePlatform();
const { jobModule } = data;
const path = jobModule.startsWith("file:") ? fileURLToPath(jobModule) : jobModule;
const { job } = await loadJob<JobDefinition>(path, platform.files);
const graph = job.build(new Configuration(data.buildEntries), data.jobArguments);
if (renderPlan(graph) !== data.plan) {
  throw new StreamError("JOB_DIFFERS_IN_SLOT", { job: graph.name, slot: data.slotIndex });
}
const options = jobOptions(new Configuration(data.entries));
serveSlot({
  port,
  platform,
  slotIndex: data.slotIndex,
  board: data.board,
  heartbeatIntervalMs: options.runtime.heartbeatIntervalMs,
  environment: slotEnvironment({
    graph,
    options,
    platform,
    log: portLogger(port),
    storage: undefined,
    createBarrierHandler: undefined,
  }),
});
