import type { JobVertex } from "../../graph/index.ts";
import type { ServedJob, ServedTask } from "../served-job.ts";
import { ioMetrics, summarizeIo } from "./io-metrics.ts";
import { subtaskSummaryOf, type SubtaskSummary } from "./statistics-summary.ts";
import { aggregateState, countStates, EXECUTION_STATES, taskTimes } from "./task-states.ts";
import { ENDPOINT } from "./worker-answers.ts";

/** States that a task goes through on its way; the REST shows how long it was in each. */
const ON_THE_WAY = ["CREATED", "SCHEDULED", "DEPLOYING", "INITIALIZING", "RUNNING"] as const;

/** `/jobs/:jobid/vertices/:vertexid`. */
export function vertexDetails(job: ServedJob, vertex: JobVertex, nowMs: number): object {
  const tasks = job.tasksOf(vertex.id);
  return {
    id: vertex.id,
    name: vertex.name,
    parallelism: vertex.parallelism,
    maxParallelism: vertex.maxParallelism,
    now: nowMs,
    subtasks: tasks.map((task) => subtaskDetails(job, task, nowMs)),
    aggregated: aggregated(tasks, nowMs),
  };
}

/** `/jobs/:jobid/vertices/:vertexid/subtasks/:subtaskindex`. */
export function subtaskDetails(
  job: ServedJob,
  { timeline, metrics }: ServedTask,
  nowMs: number,
): object {
  const { task, status } = timeline;
  const { startMs, endMs, durationMs } = taskTimes(timeline, nowMs);
  return {
    subtask: task.subtaskIndex,
    status,
    attempt: task.attempt,
    endpoint: ENDPOINT,
    "start-time": startMs,
    "end-time": endMs,
    duration: durationMs,
    metrics: ioMetrics([metrics]),
    "taskmanager-id": job.workerIdOf(task),
    "status-duration": statusDurations({ timeline, metrics }, nowMs),
    start_time: startMs,
  };
}

/** `…/subtasktimes`. */
export function subtaskTimes(job: ServedJob, vertex: JobVertex, nowMs: number): object {
  return {
    id: vertex.id,
    name: vertex.name,
    now: nowMs,
    subtasks: job.tasksOf(vertex.id).map(({ timeline }) => ({
      subtask: timeline.task.subtaskIndex,
      endpoint: ENDPOINT,
      duration: taskTimes(timeline, nowMs).durationMs,
      timestamps: timestampsOf({ timeline, metrics: undefined }),
    })),
  };
}

/** `…/taskmanagers`: subtasks by the thread that runs them. */
export function vertexTaskManagers(job: ServedJob, vertex: JobVertex, nowMs: number): object {
  const byWorker = new Map<string, ServedTask[]>();
  for (const task of job.tasksOf(vertex.id)) {
    const id = job.workerIdOf(task.timeline.task);
    byWorker.set(id, [...(byWorker.get(id) ?? []), task]);
  }
  return {
    id: vertex.id,
    name: vertex.name,
    now: nowMs,
    taskmanagers: [...byWorker].map(([id, tasks]) => onWorker(id, tasks, nowMs)),
  };
}

function onWorker(id: string, tasks: readonly ServedTask[], nowMs: number): object {
  const times = tasks.map(({ timeline }) => taskTimes(timeline, nowMs));
  const startMs = Math.min(...times.map((time) => time.startMs));
  const isOver = times.length > 0 && times.every(({ endMs }) => endMs >= 0);
  const endMs = isOver ? Math.max(...times.map((time) => time.endMs)) : -1;
  const statuses = tasks.map(({ timeline }) => timeline.status);
  return {
    endpoint: ENDPOINT,
    status: aggregateState(statuses),
    "start-time": startMs,
    "end-time": endMs,
    duration: (isOver ? endMs : nowMs) - startMs,
    metrics: ioMetrics(tasks.map(({ metrics }) => metrics)),
    "status-counts": countStates(statuses),
    "taskmanager-id": id,
    aggregated: aggregated(tasks, nowMs),
  };
}

/** `…/backpressure`. */
export function backPressure(job: ServedJob, vertex: JobVertex, nowMs: number): object {
  const subtasks = job
    .tasksOf(vertex.id)
    .filter(({ timeline, metrics }) => timeline.status === "RUNNING" && metrics !== undefined)
    .map(({ timeline, metrics }) => {
      const ratio = (name: "busyMs" | "idleMs" | "backPressuredMs"): number =>
        metrics === undefined ? 0 : clamp(job.rates.ofTask(metrics, name) / 1000);
      const level = levelOf(ratio("backPressuredMs"));
      return {
        subtask: timeline.task.subtaskIndex,
        backpressureLevel: level,
        ratio: ratio("backPressuredMs"),
        idleRatio: ratio("idleMs"),
        busyRatio: ratio("busyMs"),
        "backpressure-level": level,
      };
    });
  if (subtasks.length === 0) return { status: "deprecated" };
  const level = levelOf(Math.max(...subtasks.map(({ ratio }) => ratio)));
  return {
    status: "ok",
    backpressureLevel: level,
    "end-timestamp": nowMs,
    subtasks,
    "backpressure-level": level,
  };
}

function clamp(ratio: number): number {
  return Math.round(Math.min(1, Math.max(0, ratio)) * 1000) / 1000;
}

/** Source: Flink `JobVertexBackPressureHandler`. */
function levelOf(ratio: number): "ok" | "low" | "high" {
  if (ratio <= 0.1) return "ok";
  return ratio <= 0.5 ? "low" : "high";
}

function aggregated(tasks: readonly ServedTask[], nowMs: number): object {
  const durations = tasks.map((task) => statusDurations(task, nowMs));
  const byState = ON_THE_WAY.map((state): readonly [string, SubtaskSummary] => [
    state,
    subtaskSummaryOf(durations.map((each) => each[state] ?? 0)),
  ]);
  return {
    metrics: summarizeIo(tasks.map(({ metrics }) => ioMetrics([metrics]))),
    "status-duration": Object.fromEntries(byState),
  };
}

/** When the task came into each state; 0 for those that it has not. A task is scheduled and deployed in the instant it is made. */
function timestampsOf({ timeline: { enteredAtMs } }: ServedTask): Readonly<Record<string, number>> {
  const begunMs = enteredAtMs.get("INITIALIZING") ?? 0;
  const entries = EXECUTION_STATES.map((state) => {
    if (state === "SCHEDULED" || state === "DEPLOYING") return [state, begunMs];
    return [state, state === "RECONCILING" ? 0 : (enteredAtMs.get(state) ?? 0)];
  });
  return Object.fromEntries(entries) as Record<string, number>;
}

function statusDurations(task: ServedTask, nowMs: number): Readonly<Record<string, number>> {
  const stamps = timestampsOf(task);
  const { endMs } = taskTimes(task.timeline, nowMs);
  const durations: Record<string, number> = {};
  for (const [index, state] of ON_THE_WAY.entries()) {
    const beganMs = stamps[state] ?? 0;
    const next = ON_THE_WAY.slice(index + 1)
      .map((later) => stamps[later] ?? 0)
      .find((laterMs) => laterMs > 0);
    durations[state] =
      beganMs === 0 ? 0 : Math.max(0, (next ?? (endMs < 0 ? nowMs : endMs)) - beganMs);
  }
  return durations;
}
