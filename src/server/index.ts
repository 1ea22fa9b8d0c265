export { JobRegistry } from "./job-registry.ts";
export { LogMemory } from "./log/log-memory.ts";
export type { ServedJob } from "./served-job.ts";
export type { JobSubmission } from "./server-context.ts";
export { type RunningServer, type ServerOptions, startServer } from "./start-server.ts";
