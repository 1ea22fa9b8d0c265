import type { Context, Hono } from "hono";

import type { CheckpointRecord } from "../../checkpoint/index.ts";
import {
  checkpointDetails,
  checkpointsAnswer,
  checkpointsConfig,
  checkpointSubtasks,
} from "../answers/checkpoint-answers.ts";
import { idParameter, integerParameter, json, jobOf } from "../http/rest-call.ts";
import { RestError } from "../http/rest-error.ts";
import type { ServedJob } from "../served-job.ts";
import type { ServerContext } from "../server-context.ts";

const BASE = "/jobs/:jobid/checkpoints";

/** What became of a job's checkpoints. */
export function checkpointRoutes(rest: Hono, context: ServerContext): void {
  rest.get(BASE, (c) => json(c, checkpointsAnswer(checkpointed(c, context).statistics)));
  rest.get(`${BASE}/config`, (c) => {
    const { client } = checkpointed(c, context);
    return json(c, checkpointsConfig(client.job.options.checkpointing));
  });
  rest.get(`${BASE}/details/:checkpointid`, (c) => {
    const job = checkpointed(c, context);
    return json(c, checkpointDetails(recordOf(c, job), job.statistics));
  });
  rest.get(`${BASE}/details/:checkpointid/subtasks/:vertexid`, (c) => {
    const job = checkpointed(c, context);
    const vertexId = idParameter(c, "vertexid");
    const record = recordOf(c, job);
    const vertex = record.vertices.find((candidate) => candidate.vertexId === vertexId);
    if (vertex === undefined) {
      throw new RestError(404, `There is no checkpoint statistics for task ${vertexId}.`);
    }
    return json(c, checkpointSubtasks(record, vertex));
  });
}

/** A job that takes checkpoints. @throws RestError 404 if it does not. */
function checkpointed(c: Context, context: ServerContext): ServedJob {
  const job = jobOf(c, context);
  if (job.client.job.options.checkpointing.intervalMs === undefined) {
    throw new RestError(404, "Checkpointing has not been enabled.");
  }
  return job;
}

function recordOf(c: Context, job: ServedJob): CheckpointRecord {
  const checkpointId = integerParameter(c, "checkpointid");
  const record = job.statistics.find(checkpointId);
  if (record === undefined) throw missing(checkpointId);
  return record;
}

function missing(checkpointId: number): RestError {
  return new RestError(
    404,
    `Could not find checkpointing statistics for checkpoint ${checkpointId}.`,
  );
}
