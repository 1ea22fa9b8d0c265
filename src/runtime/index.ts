export { type Job, type JobSurroundings, startJob } from "./job/job.ts";
export type { JobResult } from "./job/job-master.ts";
export { JOB_TRANSITIONS, type JobStatus } from "./job/job-status.ts";
export type { LocalSlot } from "./job/slots.ts";
export { RUNTIME_OPTIONS, type RuntimeOptions } from "./options.ts";
export type { OperatorMetricsSnapshot } from "./task/operator-metrics.ts";
export { FAIR_PACING, type SlotPacing } from "./slot/slot.ts";
export type { Task } from "./task/task.ts";
export { TASK_TRANSITIONS, type TaskStatus } from "./task/task-status.ts";
