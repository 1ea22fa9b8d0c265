import { type Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";

import { checkpointRoutes } from "../routes/checkpoint-routes.ts";
import { clusterRoutes } from "../routes/cluster-routes.ts";
import { cutwaterRoutes } from "../routes/cutwater-routes.ts";
import { jarRoutes } from "../routes/jar-routes.ts";
import { jobRoutes } from "../routes/job-routes.ts";
import { metricRoutes, prometheusRoute } from "../routes/metric-routes.ts";
import { operationRoutes } from "../routes/operation-routes.ts";
import { savepointDisposalRoutes } from "../routes/savepoint-disposal-routes.ts";
import { vertexRoutes } from "../routes/vertex-routes.ts";
import type { ServerContext } from "../server-context.ts";
import { PageFiles, type PageOptions } from "./page-files.ts";
import { errorAnswer, type GuardOptions, requestGuard } from "./request-guard.ts";
import { json } from "./rest-call.ts";

/** No request here needs more. */
const MAX_BODY_BYTES = 64 * 1024;

export interface AppOptions {
  readonly guard: GuardOptions;
  /** The page at `/`; undefined for REST alone. */
  readonly page: PageOptions | undefined;
}

/** Puts the whole server together, but for listening. */
export function createApp(context: ServerContext, { guard, page }: AppOptions): Hono {
  const app = new Hono();
  const pageFiles = page === undefined ? undefined : new PageFiles(page);
  const pageAnswers = new WeakMap<Request, Response>();
  app.onError((error, c) => errorAnswer(c, error));
  app.notFound((c) => notFound(c));
  app.use(async (c, next) => {
    const isRead = c.req.method === "GET" || c.req.method === "HEAD";
    const answer = isRead ? await pageFiles?.answer(c) : undefined;
    if (answer !== undefined) pageAnswers.set(c.req.raw, answer);
    await next();
  });
  app.use(requestGuard(guard, (c) => pageAnswers.has(c.req.raw)));
  app.use(async (c, next) => pageAnswers.get(c.req.raw) ?? (await next()));
  const limit = bodyLimit({
    maxSize: MAX_BODY_BYTES,
    onError: (c) => json(c, { errors: ["HTTP Message is too large."] }, 413),
  });
  // To look at a body costs, and a GET has none that is read.
  app.use(async (c, next) => await (c.req.method === "GET" ? next() : limit(c, next)));
  const rest = restRoutes(context);
  prometheusRoute(app, context);
  cutwaterRoutes(app, context);
  app.route("/", rest);
  app.route("/v1", rest);
  return app;
}

/** Static paths come before those with names in them. */
function restRoutes(context: ServerContext): Hono {
  const rest = new Hono();
  metricRoutes(rest, context);
  clusterRoutes(rest, context);
  jarRoutes(rest, context);
  jobRoutes(rest, context);
  checkpointRoutes(rest, context);
  operationRoutes(rest, context);
  savepointDisposalRoutes(rest, context);
  vertexRoutes(rest, context);
  return rest;
}

/** Flink looks for a file where no handler is. */
function notFound(c: Context): Response {
  const { path, method } = c.req;
  const text = method === "GET" ? `Unable to load requested file ${path}.` : `Not found: ${path}`;
  return json(c, { errors: [text] }, 404);
}
