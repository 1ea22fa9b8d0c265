export { loadJob, type LoadedJob } from "./load-job.ts";
export { registerJobLoader } from "./register-job-loader.ts";
