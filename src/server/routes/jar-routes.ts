import type { Hono } from "hono";

import { json } from "../http/rest-call.ts";
import { RestError } from "../http/rest-error.ts";
import type { ServerContext } from "../server-context.ts";

/** Jobs are TypeScript here: whatever brings a jar is refused, with what to do instead. */
export function jarRoutes(rest: Hono, context: ServerContext): void {
  const refuse = (): never => {
    throw new RestError(
      400,
      "Jars cannot be run here: jobs are TypeScript files. Use `cutwater run job.ts`, or `cutwater submit job.ts`.",
    );
  };
  rest.get("/jars", (c) => json(c, { address: context.address(), files: [] }));
  rest.post("/jars/upload", refuse);
  rest.on(["GET", "POST"], "/jars/:jarid/plan", refuse);
  rest.post("/jars/:jarid/run", refuse);
  rest.post("/jars/:jarid/run-application", refuse);
  rest.delete("/jars/:jarid", refuse);
  rest.post("/jobs", refuse);
}
