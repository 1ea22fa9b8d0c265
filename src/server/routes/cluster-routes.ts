import type { Hono } from "hono";

import { FLINK_VERSION, revisionOf } from "../flink-version.ts";
import { applicationDetails, applicationLine, exceptionHistory } from "../answers/job-answers.ts";
import {
  type ServedWorker,
  slotCount,
  workerDetails,
  workerLine,
  workersOf,
} from "../answers/worker-answers.ts";
import { threadDump, workerDump } from "../answers/thread-dump.ts";
import { configEntries, environmentAnswer } from "../answers/configuration-answers.ts";
import { RestError, internalError } from "../http/rest-error.ts";
import { integerQuery, json, jobOf, parameter, text } from "../http/rest-call.ts";
import type { ServedJob } from "../served-job.ts";
import type { ServerContext } from "../server-context.ts";
import { LOG_FILE_NAME } from "../log/log-file-name.ts";
import { cancelJob } from "./job-operations.ts";

/** How often Flink's web UI asks anew. */
const REFRESH_INTERVAL_MS = 3_000;

/** Of the cluster as a whole: overview, JobManager, TaskManagers, applications. */
export function clusterRoutes(rest: Hono, context: ServerContext): void {
  const { registry } = context;
  const revision = revisionOf(context.version);
  rest.get("/config", (c) => {
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
    return json(c, {
      "refresh-interval": REFRESH_INTERVAL_MS,
      "timezone-name": timeZone,
      "timezone-offset": 0 - new Date(context.platform.nowMs()).getTimezoneOffset() * 60_000,
      "flink-version": FLINK_VERSION,
      "flink-revision": revision,
      features: {
        "web-submit": false,
        "web-cancel": true,
        "web-rescale": false,
        "web-history": false,
      },
    });
  });
  rest.get("/overview", (c) => {
    const count = (...statuses: readonly ServedJob["status"][]): number =>
      registry.jobs.filter(({ status }) => statuses.includes(status)).length;
    return json(c, {
      taskmanagers: workersOf(registry.jobs).length,
      "slots-total": slotCount(registry.jobs),
      "slots-available": 0,
      "jobs-running": registry.jobs.filter(({ isOver }) => !isOver).length,
      "jobs-finished": count("FINISHED"),
      "jobs-cancelled": count("CANCELED"),
      "jobs-failed": count("FAILED"),
      "flink-version": FLINK_VERSION,
      "flink-commit": revision,
    });
  });
  applicationRoutes(rest, context);
  jobManagerRoutes(rest, context);
  taskManagerRoutes(rest, context);
  rest.get("/datasets", (c) => json(c, { dataSets: [] }));
}

function applicationRoutes(rest: Hono, context: ServerContext): void {
  const { registry } = context;
  const find = (id: string): ServedJob => {
    const job = registry.find(id);
    if (job === undefined) throw new RestError(404, `Application ${id} not found`);
    return job;
  };
  rest.get("/applications/overview", (c) =>
    json(c, { applications: registry.jobs.map(applicationLine) }),
  );
  rest.get("/applications/:id", (c) => json(c, applicationDetails(find(parameter(c, "id")))));
  rest.get("/applications/:id/exceptions", (c) =>
    json(c, exceptionHistory(find(parameter(c, "id")), integerQuery(c, "maxExceptions") ?? 20)),
  );
  rest.get("/applications/:id/jobmanager/config", (c) =>
    json(c, configEntries([find(parameter(c, "id"))])),
  );
  rest.post("/applications/:id/cancel", (c) => {
    cancelJob(find(parameter(c, "id")));
    return json(c, {}, 202);
  });
}

function jobManagerRoutes(rest: Hono, context: ServerContext): void {
  const { registry, log, platform } = context;
  rest.get("/jobmanager/config", (c) => json(c, configEntries(registry.jobs)));
  rest.get("/jobs/:jobid/jobmanager/config", (c) => json(c, configEntries([jobOf(c, context)])));
  for (const path of ["/jobmanager/environment", "/jobs/:jobid/jobmanager/environment"]) {
    rest.get(path, (c) => json(c, environmentAnswer()));
  }
  rest.get("/jobs/:jobid/jobmanager/log-url", (c) =>
    json(c, { url: `${context.address()}/#/job-manager/logs` }),
  );
  rest.get("/jobmanager/logs", (c) => json(c, logList(context)));
  rest.get("/jobmanager/log", (c) => text(c, log.text));
  rest.get("/jobmanager/stdout", (c) => text(c, ""));
  rest.get("/jobmanager/logs/:name", (c) => {
    if (parameter(c, "name") === LOG_FILE_NAME) return text(c, log.text);
    throw new RestError(404, "This file does not exist in JobManager log dir.");
  });
  rest.get("/jobmanager/thread-dump", (c) => json(c, threadDump(registry.jobs, platform.nowMs())));
}

function taskManagerRoutes(rest: Hono, context: ServerContext): void {
  const { registry, log, platform } = context;
  const find = (id: string): ServedWorker => {
    const worker = workersOf(registry.jobs).find((candidate) => candidate.id === id);
    if (worker === undefined) throw internalError(`No TaskExecutor registered under ${id}.`);
    return worker;
  };
  rest.get("/taskmanagers", (c) =>
    json(c, {
      taskmanagers: workersOf(registry.jobs).map((worker) => workerLine(worker, platform.nowMs())),
    }),
  );
  rest.get("/taskmanagers/:id", (c) => {
    return json(c, workerDetails(find(parameter(c, "id")), platform.nowMs()));
  });
  rest.get("/taskmanagers/:id/logs", (c) => {
    find(parameter(c, "id"));
    return json(c, logList(context));
  });
  for (const file of ["log", "stdout"] as const) {
    rest.get(`/taskmanagers/:id/${file}`, (c) => {
      find(parameter(c, "id"));
      return text(c, file === "log" ? log.text : "");
    });
  }
  rest.get("/taskmanagers/:id/logs/:name", (c) => {
    find(parameter(c, "id"));
    if (parameter(c, "name") === LOG_FILE_NAME) return text(c, log.text);
    throw new RestError(404, "This file does not exist in TaskManager log dir.");
  });
  rest.get("/taskmanagers/:id/thread-dump", (c) => {
    return json(c, workerDump(find(parameter(c, "id")), platform.nowMs()));
  });
  rest.get("/jobs/:jobid/taskmanagers/:id/log-url", (c) =>
    json(c, { url: `${context.address()}/#/task-manager/${parameter(c, "id")}/logs` }),
  );
}

function logList({ log }: ServerContext): object {
  const size = new TextEncoder().encode(log.text).length;
  return { logs: [{ name: LOG_FILE_NAME, size, mtime: log.changedAtMs }] };
}
