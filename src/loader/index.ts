export { type JobFile, loadJob, type LoadedJob, type ResultCheck } from "./load-job.ts";
export { registerJobLoader } from "./register-job-loader.ts";
