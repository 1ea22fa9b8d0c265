import type { Context, Hono } from "hono";

import { StreamError } from "../../base/index.ts";
import { CHECKPOINTING_OPTIONS } from "../../checkpoint/index.ts";
import {
  bodyOf,
  booleanField,
  idParameter,
  json,
  textField,
  triggerIdField,
  wordField,
} from "../http/rest-call.ts";
import { RestError } from "../http/rest-error.ts";
import type { OperationKind } from "../operations/asynchronous-operations.ts";
import type { ServedJob } from "../served-job.ts";
import type { ServerContext } from "../server-context.ts";
import { stopJob, takeCheckpoint, takeSavepoint } from "./job-operations.ts";

const FORMATS = ["CANONICAL", "NATIVE"] as const;

/** What takes its time: begun by a POST, asked for by its trigger id. */
export function operationRoutes(rest: Hono, context: ServerContext): void {
  savepointRoutes(rest, context);
  const { operations } = context;
  rest.post("/jobs/:jobid/checkpoints", async (c) => {
    const format = "CheckpointTriggerRequestBody";
    const jobId = idParameter(c, "jobid");
    const body = await bodyOf(c, format);
    wordField(body, "checkpointType", format, ["FULL", "CONFIGURED", "INCREMENTAL"]);
    const triggerId = operations.begin(
      "checkpoint",
      jobId,
      triggerIdField(body, format),
      async () => ({ checkpointId: await takeCheckpoint(found(context, jobId)) }),
      "failureCause",
    );
    return json(c, { "request-id": triggerId }, 202);
  });
  rest.get("/jobs/:jobid/checkpoints/:triggerid", (c) => statusAnswer(c, context, "checkpoint"));
  rest.get("/jobs/:jobid/rescaling/:triggerid", (c) => statusAnswer(c, context, "rescaling"));
}

function savepointRoutes(rest: Hono, context: ServerContext): void {
  const { operations } = context;
  rest.post("/jobs/:jobid/savepoints", async (c) => {
    const name = "SavepointTriggerRequestBody";
    const jobId = idParameter(c, "jobid");
    const body = await bodyOf(c, name);
    const target = textField(body, "target-directory", name);
    const format = wordField(body, "formatType", name, FORMATS);
    const isCancelling = booleanField(body, "cancel-job", name);
    checkTarget(context.registry.find(jobId), target, "target-directory");
    const triggerId = operations.begin("savepoint", jobId, triggerIdField(body, name), async () => {
      const job = found(context, jobId);
      const location = await takeSavepoint(job, target, format);
      if (isCancelling) job.client.cancel();
      return { location };
    });
    return json(c, { "request-id": triggerId }, 202);
  });
  rest.post("/jobs/:jobid/stop", async (c) => {
    const name = "StopWithSavepointRequestBody";
    const jobId = idParameter(c, "jobid");
    const body = await bodyOf(c, name);
    const targetDirectory = textField(body, "targetDirectory", name);
    const format = wordField(body, "formatType", name, FORMATS);
    const drain = booleanField(body, "drain", name);
    checkTarget(context.registry.find(jobId), targetDirectory, "targetDirectory");
    const triggerId = operations.begin(
      "savepoint",
      jobId,
      triggerIdField(body, name),
      async () => ({
        location: await stopJob(found(context, jobId), { targetDirectory, format, drain }),
      }),
    );
    return json(c, { "request-id": triggerId }, 202);
  });
  rest.get("/jobs/:jobid/savepoints/:triggerid", (c) => statusAnswer(c, context, "savepoint"));
}

/** A savepoint must have a place before anything is begun: a stop without one would only make the job start again. Source: Flink `SavepointHandlers`. */
function checkTarget(job: ServedJob | undefined, target: string | undefined, field: string): void {
  if (job === undefined || target !== undefined) return;
  const { key } = CHECKPOINTING_OPTIONS.savepointDirectory;
  if (job.client.job.options.checkpointing.savepointDirectory !== undefined) return;
  throw new RestError(400, `Config key [${key}] is not set. Property [${field}] must be provided.`);
}

/** An unknown job is an operation that fails, as in Flink. */
function found({ registry }: ServerContext, jobId: string): ServedJob {
  const job = registry.find(jobId);
  if (job !== undefined) return job;
  throw new StreamError("JOB_NOT_FOUND", { jobId });
}

function statusAnswer(c: Context, { operations }: ServerContext, kind: OperationKind): Response {
  const jobId = idParameter(c, "jobid");
  const triggerId = idParameter(c, "triggerid");
  const answer = operations.find(kind, jobId, triggerId);
  if (answer !== undefined) return json(c, answer);
  throw new RestError(
    404,
    `There is no ${kind} operation with triggerId=${triggerId} for job ${jobId}.`,
  );
}
