import type { Context, Hono } from "hono";

import type { JobVertex } from "../../graph/index.ts";
import {
  backPressure,
  subtaskDetails,
  subtaskTimes,
  vertexDetails,
  vertexTaskManagers,
} from "../answers/vertex-answers.ts";
import { ENDPOINT } from "../answers/worker-answers.ts";
import { idParameter, integerParameter, json, jobOf, vertexOf } from "../http/rest-call.ts";
import { RestError } from "../http/rest-error.ts";
import { watermarkText } from "../metrics/task-metrics.ts";
import type { ServedJob, ServedTask } from "../served-job.ts";
import type { ServerContext } from "../server-context.ts";

const BASE = "/jobs/:jobid/vertices/:vertexid";

/** Of one vertex of a job and its subtasks. */
export function vertexRoutes(rest: Hono, context: ServerContext): void {
  const { platform } = context;
  const place = (c: Context): { job: ServedJob; vertex: JobVertex } => {
    const job = jobOf(c, context);
    return { job, vertex: vertexOf(c, job, (vertexId) => `JobVertex ${vertexId} not found`) };
  };
  rest.get(BASE, (c) => {
    const { job, vertex } = place(c);
    return json(c, vertexDetails(job, vertex, platform.nowMs()));
  });
  rest.get(`${BASE}/subtasktimes`, (c) => {
    const { job, vertex } = place(c);
    return json(c, subtaskTimes(job, vertex, platform.nowMs()));
  });
  rest.get(`${BASE}/taskmanagers`, (c) => {
    const { job, vertex } = place(c);
    return json(c, vertexTaskManagers(job, vertex, platform.nowMs()));
  });
  rest.get(`${BASE}/backpressure`, (c) => {
    const job = jobOf(c, context);
    const vertex = job.vertex(idParameter(c, "vertexid"));
    if (vertex === undefined) return json(c, { status: "deprecated" });
    return json(c, backPressure(job, vertex, platform.nowMs()));
  });
  rest.get(`${BASE}/watermarks`, (c) => {
    const job = jobOf(c, context);
    return json(c, watermarks(job, vertexOf(c, job)));
  });
  // Nothing samples stacks here.
  rest.get(`${BASE}/flamegraph`, (c) => {
    place(c);
    return json(c, { endTimestamp: SAMPLING_DISABLED });
  });
  rest.get(`${BASE}/accumulators`, (c) => {
    const { vertex } = place(c);
    return json(c, { id: vertex.id, "user-accumulators": [] });
  });
  subtaskRoutes(rest, context);
}

/** Source: Flink `VertexFlameGraph.disabled`. */
const SAMPLING_DISABLED = -2;

function subtaskRoutes(rest: Hono, context: ServerContext): void {
  const { platform } = context;
  rest.get(`${BASE}/subtasks/accumulators`, (c) => {
    const job = jobOf(c, context);
    const vertex = vertexOf(c, job);
    return json(c, {
      id: vertex.id,
      parallelism: vertex.parallelism,
      subtasks: job.tasksOf(vertex.id).map(({ timeline: { task } }) => ({
        subtask: task.subtaskIndex,
        attempt: task.attempt,
        endpoint: ENDPOINT,
        "user-accumulators": [],
      })),
    });
  });
  rest.get(`${BASE}/subtasks/:subtaskindex`, (c) => {
    const task = subtaskOf(c, context);
    return json(c, subtaskDetails(jobOf(c, context), task, platform.nowMs()));
  });
  rest.get(`${BASE}/subtasks/:subtaskindex/attempts/:attempt`, (c) => {
    const task = attemptOf(c, context);
    return json(c, subtaskDetails(jobOf(c, context), task, platform.nowMs()));
  });
  rest.get(`${BASE}/subtasks/:subtaskindex/attempts/:attempt/accumulators`, (c) => {
    const { timeline } = attemptOf(c, context);
    const { vertexId, subtaskIndex, attempt } = timeline.task;
    return json(c, {
      subtask: subtaskIndex,
      attempt,
      id: `${jobOf(c, context).jobId}_${vertexId}_${subtaskIndex}_${attempt}`,
      "user-accumulators": [],
    });
  });
}

function subtaskOf(c: Context, context: ServerContext): ServedTask {
  const job = jobOf(c, context);
  const vertex = vertexOf(c, job);
  const index = integerParameter(c, "subtaskindex");
  const task = job.tasksOf(vertex.id).find(({ timeline }) => timeline.task.subtaskIndex === index);
  if (task === undefined) throw new RestError(404, `Invalid subtask index for vertex ${vertex.id}`);
  return task;
}

/** Only the present attempt is known. */
function attemptOf(c: Context, context: ServerContext): ServedTask {
  const task = subtaskOf(c, context);
  const attempt = integerParameter(c, "attempt");
  if (task.timeline.task.attempt !== attempt)
    throw new RestError(404, `Invalid attempt num ${attempt}`);
  return task;
}

/** Of sources there is none: nothing comes in. */
function watermarks(job: ServedJob, vertex: JobVertex): readonly object[] {
  if (vertex.operators[0]?.logic.kind === "source") return [];
  return job.tasksOf(vertex.id).map(({ timeline, metrics }) => ({
    id: `${timeline.task.subtaskIndex}.currentInputWatermark`,
    value: watermarkText(metrics?.watermark),
  }));
}
