export { JobRegistry } from "./job-registry.ts";
export {
  type PageServer,
  type PageServerOptions,
  type PageSource,
  startPageServer,
} from "./start-page-server.ts";
export type { ServedJob } from "./served-job.ts";
export type { JobSubmission } from "./server-context.ts";
export { telemetryObserver } from "./telemetry/checkpoint-spans.ts";
export { type RunningServer, type ServerOptions, startServer } from "./start-server.ts";
