import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";

import type { JobVertex } from "../../graph/index.ts";
import type { ServedJob } from "../served-job.ts";
import type { ServerContext } from "../server-context.ts";
import { RestError } from "./rest-error.ts";

/** Flink's content type of every answer in JSON. */
const JSON_TYPE = "application/json; charset=UTF-8";

/** Ids of jobs, vertices and triggers. */
const ID = /^[0-9a-f]{32}$/;

export function json(c: Context, body: unknown, status: ContentfulStatusCode = 200): Response {
  return c.body(JSON.stringify(body), status, { "Content-Type": JSON_TYPE });
}

export function text(c: Context, body: string): Response {
  return c.body(body, 200, { "Content-Type": "text/plain; charset=UTF-8" });
}

/** An id in the path. @throws RestError 400 if it is none. */
export function idParameter(c: Context, name: string): string {
  const value = parameter(c, name);
  if (!ID.test(value)) throw unresolved("path", name, value);
  return value;
}

/** A whole number in the path. @throws RestError 400. */
export function integerParameter(c: Context, name: string): number {
  const value = parameter(c, name);
  if (!/^\d{1,15}$/.test(value)) throw unresolved("path", name, value);
  return Number(value);
}

export function parameter(c: Context, name: string): string {
  return c.req.param(name) ?? "";
}

/** A comma-separated list in the query; undefined if it is not there. */
export function listQuery(c: Context, name: string): readonly string[] | undefined {
  const value = c.req.query(name);
  return value === undefined ? undefined : value.split(",").filter((part) => part !== "");
}

/** One of some words in the query. @throws RestError 400. */
export function wordQuery<W extends string>(
  c: Context,
  name: string,
  words: readonly W[],
): W | undefined {
  const value = c.req.query(name);
  if (value === undefined) return undefined;
  const word = words.find((candidate) => candidate === value.toLowerCase());
  if (word === undefined) throw unresolved("query", name, value);
  return word;
}

/** @throws RestError 400. */
export function integerQuery(c: Context, name: string): number | undefined {
  const value = c.req.query(name);
  if (value === undefined) return undefined;
  if (!/^\d{1,9}$/.test(value)) throw unresolved("query", name, value);
  return Number(value);
}

export function unresolved(where: "path" | "query", name: string, value: string): RestError {
  return new RestError(
    400,
    `Bad request, could not parse parameters: Cannot resolve ${where} parameter (${name}) from value "${value}".`,
  );
}

/** The job that the path names. @throws RestError 400 or 404. */
export function jobOf(c: Context, { registry }: ServerContext): ServedJob {
  const jobId = idParameter(c, "jobid");
  const job = registry.find(jobId);
  if (job === undefined) throw new RestError(404, `Job ${jobId} not found`);
  return job;
}

/** The vertex that the path names. @throws RestError 400 or 404. */
export function vertexOf(
  c: Context,
  job: ServedJob,
  missing: (vertexId: string) => string = (vertexId) => `No vertex with ID '${vertexId}' exists.`,
): JobVertex {
  const vertexId = idParameter(c, "vertexid");
  const vertex = job.vertex(vertexId);
  if (vertex === undefined) throw new RestError(404, missing(vertexId));
  return vertex;
}

/** A request's body; an empty one has no fields. @throws RestError 400 naming what was expected. */
export async function bodyOf(
  c: Context,
  format: string,
): Promise<Readonly<Record<string, unknown>>> {
  const problem = new RestError(400, `Request did not match expected format ${format}.`);
  const content = await c.req.text();
  if (content.trim() === "") return {};
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch {
    throw problem;
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw problem;
  return value as Readonly<Record<string, unknown>>;
}

/** A text field; null and absence are the same. @throws RestError 400. */
export function textField(
  body: Readonly<Record<string, unknown>>,
  name: string,
  format: string,
): string | undefined {
  const value = body[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "string")
    throw new RestError(400, `Request did not match expected format ${format}.`);
  return value;
}

/** A field that is true or false, false if absent. @throws RestError 400. */
export function booleanField(
  body: Readonly<Record<string, unknown>>,
  name: string,
  format: string,
): boolean {
  const value = body[name] ?? false;
  if (typeof value !== "boolean")
    throw new RestError(400, `Request did not match expected format ${format}.`);
  return value;
}

/** One of some words. @throws RestError 400. */
export function wordField<W extends string>(
  body: Readonly<Record<string, unknown>>,
  name: string,
  format: string,
  words: readonly [W, ...W[]],
): W {
  const value = textField(body, name, format) ?? words[0];
  const word = words.find((candidate) => candidate === value);
  if (word === undefined)
    throw new RestError(400, `Request did not match expected format ${format}.`);
  return word;
}

/** The trigger id that a client may choose. @throws RestError 400. */
export function triggerIdField(
  body: Readonly<Record<string, unknown>>,
  format: string,
): string | undefined {
  const id = textField(body, "triggerId", format);
  if (id !== undefined && !ID.test(id))
    throw new RestError(400, `Request did not match expected format ${format}.`);
  return id;
}
