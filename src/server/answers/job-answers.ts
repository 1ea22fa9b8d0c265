import { type JobPlan, jobPlanOf } from "../../graph/index.ts";
import { durationText } from "./duration-text.ts";
import { ioMetrics } from "./io-metrics.ts";
import type { ServedJob } from "../served-job.ts";
import { errorName, stackText } from "./stack-text.ts";
import {
  aggregateState,
  countStates,
  EXECUTION_STATES,
  jobTimestamps,
  taskTimes,
} from "./task-states.ts";
import { ENDPOINT } from "./worker-answers.ts";

/** `/jobs/overview`: one line. */
export function jobLine(job: ServedJob): object {
  const states = job.record.timelines.map(({ status }) => status);
  const counts = countStates(states);
  return {
    jid: job.jobId,
    name: job.name,
    jobType: "STREAMING",
    schedulerType: "Default",
    "start-time": job.record.startedAtMs,
    "end-time": job.record.endedAtMs ?? -1,
    duration: job.durationMs,
    state: job.status,
    "last-modification": job.record.lastChangedAtMs,
    tasks: {
      ...Object.fromEntries(EXECUTION_STATES.map((state) => [state.toLowerCase(), counts[state]])),
      total: states.length,
    },
    "pending-operators": 0,
  };
}

/** `/jobs/:jobid`. */
export function jobDetails(job: ServedJob, nowMs: number): object {
  const vertices = job.graph.vertices.map((vertex) => vertexLine(job, vertex.id, nowMs));
  return {
    jid: job.jobId,
    "application-id": job.jobId,
    name: job.name,
    isStoppable: false,
    state: job.status,
    "job-type": "STREAMING",
    schedulerType: "Default",
    "start-time": job.record.startedAtMs,
    "end-time": job.record.endedAtMs ?? -1,
    duration: job.durationMs,
    maxParallelism: -1,
    now: nowMs,
    timestamps: jobTimestamps(job.record.enteredAtMs, job.record.startedAtMs),
    vertices: vertices.map(({ line }) => line),
    "status-counts": countStates(vertices.map(({ state }) => state)),
    plan: planAnswer(job),
    "pending-operators": 0,
  };
}

/** The plan, in the order in which Flink gives its nodes: what is downstream first. */
export function planAnswer(job: ServedJob): JobPlan {
  const plan = jobPlanOf(job.graph);
  return { ...plan, nodes: plan.nodes.toReversed() };
}

/** `/applications/overview`: here a job is its own application. */
export function applicationLine(job: ServedJob): object {
  return {
    id: job.jobId,
    name: job.name,
    "start-time": job.record.startedAtMs,
    "end-time": job.record.endedAtMs ?? -1,
    duration: job.durationMs,
    status: applicationStatus(job),
    jobs: { [job.status]: 1 },
  };
}

/** `/applications/:applicationid`. */
export function applicationDetails(job: ServedJob): object {
  const { enteredAtMs, startedAtMs } = job.record;
  const stamps = jobTimestamps(enteredAtMs, startedAtMs);
  const names = ["CREATED", "RUNNING", "FAILING", "FAILED", "CANCELLING", "CANCELED", "FINISHED"];
  return {
    ...applicationLine(job),
    timestamps: Object.fromEntries(
      names.map((name) => [name === "CANCELLING" ? "CANCELING" : name, stamps[name] ?? 0]),
    ),
    jobs: [jobLine(job)],
  };
}

function applicationStatus({ status }: ServedJob): string {
  if (status === "CANCELLING") return "CANCELING";
  if (status === "RESTARTING") return "RUNNING";
  return status === "SUSPENDED" ? "CANCELED" : status;
}

/** `/jobs/:jobid/config`: what Flink shows of an execution configuration. */
export function jobConfig(job: ServedJob): object {
  const { restart } = job.client.job.options;
  return {
    jid: job.jobId,
    name: job.name,
    "execution-config": {
      "restart-strategy": restartText(restart),
      "job-parallelism": Math.max(...job.graph.vertices.map(({ parallelism }) => parallelism)),
      "object-reuse-mode": false,
      "user-config": {},
    },
  };
}

function restartText(restart: ServedJob["client"]["job"]["options"]["restart"]): string {
  switch (restart.type) {
    case "none":
      return "Restart deactivated.";
    case "fixed-delay":
      return `Restart with fixed delay (${durationText(restart.delayMs)}). #${restart.attempts} restart attempts.`;
    case "failure-rate":
      return (
        `Failure rate restart with maximum of ${restart.maxFailuresPerInterval} failures within interval ` +
        `${durationText(restart.intervalMs)} and fixed delay ${durationText(restart.delayMs)}.`
      );
    case "exponential-delay":
      return (
        `Restart with exponential delay: starting at ${durationText(restart.initialBackoffMs)}, increasing by ` +
        `${restart.backoffMultiplier}, with maximum ${durationText(restart.maxBackoffMs)}.`
      );
  }
}

/**
 * `/jobs/:jobid/exceptions`, the newest first. Where only a part of the job has started again, a label says how much, as Flink's failure
 * enrichers may.
 */
export function exceptionHistory(job: ServedJob, maxCount: number): object {
  const failures = job.record.failures.toReversed();
  const taskCount = job.record.timelines.length;
  return {
    exceptionHistory: {
      entries: failures
        .slice(0, maxCount)
        .map(({ error, atMs, task, taskName, restartedTasks }) => ({
          exceptionName: errorName(error),
          stacktrace: stackText(error),
          timestamp: atMs,
          failureLabels:
            restartedTasks === undefined
              ? {}
              : { restarted: `${restartedTasks.length} of ${taskCount} tasks` },
          ...(task === undefined
            ? {}
            : { taskName, endpoint: ENDPOINT, taskManagerId: job.workerIdOf(task) }),
          concurrentExceptions: [],
        })),
      truncated: failures.length > maxCount,
    },
  };
}

/** `/jobs/:jobid/execution-result`. */
export function executionResult(job: ServedJob): object {
  if (!job.isOver) return { status: { id: "IN_PROGRESS" } };
  const { startedAtMs, endedAtMs } = job.record;
  const failure = job.status === "FAILED" ? job.record.failures.at(-1)?.error : undefined;
  return {
    status: { id: "COMPLETED" },
    "job-execution-result": {
      id: job.jobId,
      name: job.name,
      "application-status": RESULT_STATUS[job.status] ?? "UNKNOWN",
      "accumulator-results": {},
      "net-runtime": (endedAtMs ?? startedAtMs) - startedAtMs,
      "application-id": job.jobId,
      "start-time": startedAtMs,
      "end-time": endedAtMs ?? startedAtMs,
      ...(failure === undefined
        ? {}
        : { "failure-cause": { class: errorName(failure), "stack-trace": stackText(failure) } }),
    },
  };
}

const RESULT_STATUS: Readonly<Record<string, string>> = {
  FINISHED: "SUCCEEDED",
  FAILED: "FAILED",
  CANCELED: "CANCELED",
};

function vertexLine(
  job: ServedJob,
  vertexId: string,
  nowMs: number,
): { readonly line: object; readonly state: ReturnType<typeof aggregateState> } {
  const vertex = job.vertex(vertexId);
  const tasks = job.tasksOf(vertexId);
  const statuses = tasks.map(({ timeline }) => timeline.status);
  const times = tasks.map(({ timeline }) => taskTimes(timeline, nowMs));
  const starts = times.map(({ startMs }) => startMs).filter((startMs) => startMs >= 0);
  const startMs = starts.length === 0 ? -1 : Math.min(...starts);
  const isOver = times.length > 0 && times.every(({ endMs }) => endMs >= 0);
  const endMs = isOver ? Math.max(...times.map((time) => time.endMs)) : -1;
  const state = aggregateState(statuses);
  const line = {
    id: vertexId,
    slotSharingGroupId: slotSharingGroupId(vertex?.slotSharingGroup ?? "default"),
    name: vertex?.name ?? "",
    maxParallelism: vertex?.maxParallelism ?? 0,
    parallelism: vertex?.parallelism ?? 0,
    status: state,
    "start-time": startMs,
    "end-time": endMs,
    duration: startMs === -1 ? -1 : (isOver ? endMs : nowMs) - startMs,
    tasks: countStates(statuses),
    metrics: ioMetrics(tasks.map(({ metrics }) => metrics)),
  };
  return { line, state };
}

/** Flink makes a random id for each group; here it is made of the group's name. */
function slotSharingGroupId(name: string): string {
  const hex = [...new TextEncoder().encode(name)].map((byte) => byte.toString(16).padStart(2, "0"));
  return hex.join("").padEnd(32, "0").slice(0, 32);
}
