import type { Hono } from "hono";

import { disposeSavepoint } from "../../checkpoint/index.ts";
import { bodyOf, idParameter, json, textField } from "../http/rest-call.ts";
import { RestError } from "../http/rest-error.ts";
import type { ServerContext } from "../server-context.ts";

const FORMAT = "SavepointDisposalRequest";

/** Operations of this kind belong to no job. */
const NO_JOB = "";

/** Deletes savepoints; only what is one, as its `_metadata` says. */
export function savepointDisposalRoutes(rest: Hono, context: ServerContext): void {
  const { operations } = context;
  rest.post("/savepoint-disposal", async (c) => {
    const path = textField(await bodyOf(c, FORMAT), "savepoint-path", FORMAT);
    if (path === undefined)
      throw new RestError(400, `Request did not match expected format ${FORMAT}.`);
    const triggerId = operations.begin("savepoint disposal", NO_JOB, undefined, () =>
      dispose(context, path),
    );
    return json(c, { "request-id": triggerId });
  });
  rest.get("/savepoint-disposal/:triggerid", (c) => {
    const triggerId = idParameter(c, "triggerid");
    const answer = operations.find("savepoint disposal", NO_JOB, triggerId);
    if (answer === undefined) {
      throw new RestError(
        404,
        `There is no savepoint disposal operation for triggerId=${triggerId}.`,
      );
    }
    return json(c, answer);
  });
}

async function dispose({ platform }: ServerContext, path: string): Promise<object> {
  await disposeSavepoint(path, platform.files);
  return {};
}
