import type { Hono } from "hono";

import {
  exceptionHistory,
  executionResult,
  jobConfig,
  jobDetails,
  jobLine,
  planAnswer,
} from "../answers/job-answers.ts";
import { integerQuery, json, jobOf, parameter, wordQuery, unresolved } from "../http/rest-call.ts";
import { internalError, RestError } from "../http/rest-error.ts";
import type { ServerContext } from "../server-context.ts";
import { cancelJob } from "./job-operations.ts";

/** How many exceptions are shown if the client does not say. Source: Flink `JobExceptionsHandler`. */
const MAX_EXCEPTIONS = 20;

const NO_REQUIREMENTS =
  "A job here has one parallelism, not one for each vertex: PATCH /jobs/:jobid/rescaling?parallelism=N, or `cutwater rescale`.";

/** Of the jobs themselves. */
export function jobRoutes(rest: Hono, context: ServerContext): void {
  const { registry, platform } = context;
  rest.get("/jobs", (c) =>
    json(c, { jobs: registry.jobs.map(({ jobId, status }) => ({ id: jobId, status })) }),
  );
  rest.get("/jobs/overview", (c) => json(c, { jobs: registry.jobs.map(jobLine) }));
  rest.get("/jobs/:jobid", (c) => json(c, jobDetails(jobOf(c, context), platform.nowMs())));
  rest.get("/jobs/:jobid/status", (c) => json(c, { status: jobOf(c, context).status }));
  rest.get("/jobs/:jobid/plan", (c) => json(c, { plan: planAnswer(jobOf(c, context)) }));
  rest.get("/jobs/:jobid/config", (c) => json(c, jobConfig(jobOf(c, context))));
  rest.get("/jobs/:jobid/accumulators", (c) => {
    jobOf(c, context);
    return json(c, {
      "job-accumulators": [],
      "user-task-accumulators": [],
      "serialized-user-task-accumulators": {},
    });
  });
  rest.get("/jobs/:jobid/exceptions", (c) => {
    const maxCount = integerQuery(c, "maxExceptions") ?? MAX_EXCEPTIONS;
    return json(c, exceptionHistory(jobOf(c, context), maxCount));
  });
  rest.get("/jobs/:jobid/execution-result", (c) => json(c, executionResult(jobOf(c, context))));
  rest.patch("/jobs/:jobid", (c) => {
    wordQuery(c, "mode", ["cancel"]);
    cancelJob(jobToCancel(c, context));
    return json(c, {}, 202);
  });
  // What Flink's web UI calls, by a GET because of YARN's proxy.
  rest.get("/jobs/:jobid/yarn-cancel", (c) => {
    cancelJob(jobToCancel(c, context));
    return json(c, {}, 202);
  });
  rest.patch("/jobs/:jobid/clientHeartbeat", (c) => {
    jobOf(c, context);
    return json(c, {}, 202);
  });
  rescalingRoutes(rest, context);
}

function jobToCancel(
  c: Parameters<typeof jobOf>[0],
  context: ServerContext,
): ReturnType<typeof jobOf> {
  try {
    return jobOf(c, context);
  } catch (error) {
    if (error instanceof RestError && error.status === 404)
      throw new RestError(404, "Job could not be found.");
    throw error;
  }
}

/**
 * The parallelism of a running job is changed by the path that Flink had for it before 1.9. What belongs to its adaptive scheduler answers as a
 * Flink without that scheduler does.
 */
function rescalingRoutes(rest: Hono, context: ServerContext): void {
  rest.get("/jobs/:jobid/resource-requirements", (c) => {
    jobOf(c, context);
    throw internalError(NO_REQUIREMENTS);
  });
  rest.put("/jobs/:jobid/resource-requirements", (c) => {
    jobOf(c, context);
    throw internalError(NO_REQUIREMENTS);
  });
  rest.patch("/jobs/:jobid/rescaling", (c) => {
    const job = jobOf(c, context);
    const parallelism = integerQuery(c, "parallelism");
    if (parallelism === undefined) throw unresolved("query", "parallelism", "");
    const triggerId = context.operations.begin("rescaling", job.jobId, undefined, async () => {
      await job.client.rescale(parallelism);
      return {};
    });
    return json(c, { "request-id": triggerId });
  });
  for (const what of ["overview", "history", "summary"]) {
    rest.get(`/jobs/:jobid/rescales/${what}`, (c) => {
      const { jobId } = jobOf(c, context);
      throw new RestError(
        404,
        `The job \`${jobId}\` has not enabled the \`Adaptive\` scheduler, or it has been enabled but the value of configuration ` +
          "option `web.adaptive-scheduler.rescale-history.size` has not been set to greater than `0`.",
      );
    });
  }
  rest.get("/jobs/:jobid/rescales/config", (c) => {
    const { jobId } = jobOf(c, context);
    throw new RestError(404, `AdaptiveScheduler is not enabled for this job (${jobId}).`);
  });
  rest.get("/jobs/:jobid/rescales/details/:uuid", (c) => {
    jobOf(c, context);
    throw new RestError(404, `Rescale ${parameter(c, "uuid")} not found.`);
  });
}
