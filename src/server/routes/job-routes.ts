import type { Hono } from "hono";

import {
  exceptionHistory,
  executionResult,
  jobConfig,
  jobDetails,
  jobLine,
  planAnswer,
} from "../answers/job-answers.ts";
import { integerQuery, json, jobOf, parameter, wordQuery } from "../http/rest-call.ts";
import { internalError, RestError } from "../http/rest-error.ts";
import type { ServerContext } from "../server-context.ts";
import { cancelJob } from "./job-operations.ts";

/** How many exceptions are shown if the client does not say. Source: Flink `JobExceptionsHandler`. */
const MAX_EXCEPTIONS = 20;

const NO_RESCALING =
  "Changing the parallelism of a running job is not supported: stop it with a savepoint and start it from there with another one.";

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

/** A job's parallelism is fixed for its life. These answer as a Flink does whose scheduler cannot rescale. */
function rescalingRoutes(rest: Hono, context: ServerContext): void {
  rest.get("/jobs/:jobid/resource-requirements", (c) => {
    jobOf(c, context);
    throw internalError(NO_RESCALING);
  });
  rest.put("/jobs/:jobid/resource-requirements", (c) => {
    jobOf(c, context);
    throw internalError(NO_RESCALING);
  });
  rest.patch("/jobs/:jobid/rescaling", (c) => {
    jobOf(c, context);
    throw new RestError(503, "Rescaling is temporarily disabled. See FLINK-12312.", NO_RESCALING);
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
