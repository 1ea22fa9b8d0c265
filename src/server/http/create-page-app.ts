import { type Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";

import { errorText } from "../../base/index.ts";
import type { PageSource } from "../start-page-server.ts";
import { PageFiles, type PageOptions } from "./page-files.ts";
import { errorAnswer, type GuardOptions, requestGuard } from "./request-guard.ts";
import { json, text } from "./rest-call.ts";
import { RestError } from "./rest-error.ts";

/** As large as Flink's own answers of many subtasks. */
const PROXY_TIMEOUT_MS = 30_000;
const MAX_BODY_BYTES = 64 * 1024;

export interface PageAppOptions {
  readonly source: PageSource;
  readonly guard: GuardOptions;
  readonly page: PageOptions;
}

/** The page, and behind it a saved history or another server's REST. */
export function createPageApp({ source, guard, page }: PageAppOptions): Hono {
  const app = new Hono();
  const pageFiles = new PageFiles(page);
  app.onError((error, c) => errorAnswer(c, error));
  app.use(requestGuard(guard, () => false));
  app.use(
    bodyLimit({
      maxSize: MAX_BODY_BYTES,
      onError: (c) => json(c, { errors: ["HTTP Message is too large."] }, 413),
    }),
  );
  app.get("*", async (c, next) => (await pageFiles.answer(c)) ?? (await next()));
  if (source.kind === "history") {
    const { file } = source;
    app.get("/history.jsonl", async (c) =>
      text(c, new TextDecoder().decode(await page.files.read(file))),
    );
  } else app.all("*", (c) => passOn(c, source.address));
  app.notFound((c) => json(c, { errors: [`Not found: ${c.req.path}`] }, 404));
  return app;
}

/** Asks the other server the same, and gives back what it says. */
async function passOn(c: Context, address: string): Promise<Response> {
  const { pathname, search } = new URL(c.req.url);
  const hasBody = c.req.method !== "GET" && c.req.method !== "HEAD";
  const authorization = c.req.header("authorization");
  let answer: Response;
  try {
    answer = await fetch(`${address}${pathname}${search}`, {
      method: c.req.method,
      redirect: "manual",
      signal: AbortSignal.timeout(PROXY_TIMEOUT_MS),
      headers: {
        "Content-Type": c.req.header("content-type") ?? "application/json",
        ...(authorization === undefined ? {} : { Authorization: authorization }),
      },
      ...(hasBody ? { body: await c.req.text() } : {}),
    });
  } catch (error) {
    throw new RestError(502, `${address} does not answer: ${errorText(error)}`);
  }
  const extras = answer.headers.get("cutwater-extras");
  return new Response(answer.body, {
    status: answer.status,
    headers: {
      ...(extras === null ? {} : { "Cutwater-Extras": extras }),
      "Content-Type": answer.headers.get("content-type") ?? "application/octet-stream",
    },
  });
}
