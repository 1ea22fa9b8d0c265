import type { Hono } from "hono";

import type { Language } from "../../doctor/index.ts";
import { optionsAnswer } from "../answers/configuration-answers.ts";
import { findingsAnswer } from "../answers/findings-answer.ts";
import { inspectionAnswer } from "../answers/inspection-answer.ts";
import { bodyOf, integerParameter, json, jobOf, text, textField } from "../http/rest-call.ts";
import { RestError } from "../http/rest-error.ts";
import type { ServerContext } from "../server-context.ts";
import { eventStream } from "./event-stream.ts";

/** Paths below `/cutwater`. */
export function cutwaterRoutes(app: Hono, context: ServerContext): void {
  app.get("/cutwater/events", (c) => eventStream(c, context));
  app.get("/cutwater/config/:jobid", (c) => json(c, optionsAnswer(jobOf(c, context))));
  app.get("/cutwater/findings/:jobid", async (c) => {
    const language: Language = c.req.query("language")?.startsWith("zh") === true ? "zh" : "en";
    return json(c, await findingsAnswer(jobOf(c, context), context, language));
  });
  app.get("/cutwater/inspect/:jobid/:checkpointid", async (c) => {
    const job = jobOf(c, context);
    const checkpointId = integerParameter(c, "checkpointid");
    const path = job.statistics.find(checkpointId)?.externalPath ?? null;
    if (path === null || job.statistics.isDiscarded(checkpointId)) {
      throw new RestError(404, `There are no files of checkpoint ${checkpointId}.`);
    }
    return json(c, await inspectionAnswer(path, context.platform));
  });
  app.get("/cutwater/history/:jobid", (c) => {
    const records = jobOf(c, context).statistics.history();
    return text(c, records.map((record) => `${JSON.stringify(record)}\n`).join(""));
  });
  app.post("/cutwater/jobs", async (c) => {
    const format = "JobSubmissionRequestBody";
    if (context.submit === undefined) {
      throw new RestError(
        400,
        "This server runs one job. Start `cutwater serve <directory>` for more.",
      );
    }
    const body = await bodyOf(c, format);
    const path = textField(body, "path", format);
    if (path === undefined)
      throw new RestError(400, `Request did not match expected format ${format}.`);
    const jobId = await context.submit({
      path,
      arguments: texts(body["arguments"]),
      settings: settingsOf(body["settings"]),
    });
    return json(c, { jobid: jobId }, 202);
  });
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}

function settingsOf(value: unknown): Readonly<Record<string, string>> {
  if (typeof value !== "object" || value === null) return {};
  return Object.fromEntries(
    Object.entries(value).filter(
      (entry): entry is [string, string] => typeof entry[1] === "string",
    ),
  );
}
