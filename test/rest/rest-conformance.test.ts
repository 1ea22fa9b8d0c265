import { readFileSync } from "node:fs";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { referenceJob } from "./reference-job.ts";
import { REQUESTS, type RestRequest } from "./rest-requests.ts";
import { serveJob, type ServedTestJob, until } from "./served-job.ts";
import { shapeDifferences, shapeOf } from "./shape.ts";

const RECORDED = new URL("../golden/rest/flink-2.3.0/", import.meta.url);

interface Answer {
  readonly status: number;
  readonly contentType: string | null;
  readonly body: unknown;
}

/**
 * Where an answer may differ from Flink's, and why. Everything else must be alike: status, content type, names and types of fields, and the text of
 * an error.
 */
const DIFFERENCES: Readonly<
  Record<string, { readonly why: string; readonly lines?: readonly string[] }>
> = {
  taskmanager: {
    why: "no garbage collectors to name",
    lines: [
      "lacks .metrics.garbageCollectors[]",
      "lacks .metrics.garbageCollectors[].name",
      "lacks .metrics.garbageCollectors[].count",
      "lacks .metrics.garbageCollectors[].time",
    ],
  },
  "vertex-flamegraph": { why: "sampling is disabled, there it waits" },
  "error-jar-run": { why: "every jar is refused, with what to do instead" },
  "error-jar-delete": { why: "every jar is refused, with what to do instead" },
  "error-jar-upload": { why: "every jar is refused, with what to do instead" },
  "error-requirements": { why: "no scheduler here rescales" },
  "job-resource-requirements": { why: "the reason is our own" },
  "error-aggregation": { why: "the same text" },
};

const recordedOf = (name: string): Answer =>
  JSON.parse(readFileSync(new URL(`${name}.json`, RECORDED), "utf8")) as Answer;

describe("REST answers are those of a real Flink", () => {
  let served: ServedTestJob;
  let ids = { jobId: "", completed: 0 };
  const answers = new Map<string, Answer>();

  beforeAll(async () => {
    served = await serveJob(referenceJob, { settings: { "web.checkpoints.history": 500 } });
    const job = `/jobs/${served.client.jobId}`;
    const places = await until("a restart and three checkpoints", async () => {
      const { latest } = (await served.get(`${job}/checkpoints`)) as Checkpoints;
      const isReady =
        latest.restored !== null &&
        latest.failed !== null &&
        (latest.completed?.id ?? 0) >= latest.restored.id + 3;
      return isReady && { completed: latest.completed?.id, failed: latest.failed.id };
    });
    const [source, counts] = served.client.job.graph.vertices;
    await askAll({
      jobid: served.client.jobId,
      sourcevertexid: source?.id ?? "",
      vertexid: counts?.id ?? "",
      completed: String(places.completed),
      failed: String(places.failed),
      taskmanagerid: "worker-0",
    });
    ids = { jobId: served.client.jobId, completed: places.completed ?? 0 };
  }, 120_000);
  afterAll(async () => {
    await served.close();
  });

  async function askAll(places: Record<string, string>): Promise<void> {
    for (const request of REQUESTS) {
      const path = request.path.replaceAll(
        /:([a-z]+)/g,
        (whole, name: string) => places[name] ?? whole,
      );
      const answer = await until(request.name, async () => {
        const found = await ask(path, request);
        const { status } = found.body as { readonly status?: { readonly id?: string } };
        return request.isPolled === true && status?.id === "IN_PROGRESS" ? false : found;
      });
      answers.set(request.name, answer);
      if (request.keep !== undefined) {
        places[request.keep] = (answer.body as { readonly "request-id": string })["request-id"];
      }
    }
  }

  async function ask(path: string, request: RestRequest): Promise<Answer> {
    const { body } = request;
    const response = await fetch(`${served.server.address}${path}`, {
      method: request.method,
      ...(body === undefined
        ? {}
        : {
            body: typeof body === "string" ? body : JSON.stringify(body),
            headers: { "Content-Type": "application/json" },
          }),
    });
    const contentType = response.headers.get("content-type");
    const content = await response.text();
    const isJson = contentType?.startsWith("application/json") === true;
    return { status: response.status, contentType, body: isJson ? JSON.parse(content) : content };
  }

  test.each(REQUESTS.map(({ name, method, path }) => [name, `${method} ${path}`]))(
    "%s: %s",
    (name) => {
      const ours = answers.get(name);
      const flinks = recordedOf(name);
      const allowed = DIFFERENCES[name];
      if (allowed !== undefined && allowed.lines === undefined) return;
      expect(differences(ours, flinks, ids)).toEqual(allowed?.lines ?? []);
    },
  );

  test("metrics of the user's functions have Flink's names", () => {
    const named = ({ body }: Answer): readonly string[] =>
      (body as readonly { readonly id: string }[])
        .map(({ id }) => id)
        .filter((id) => id.includes(".counts.shop."))
        .toSorted();
    const ours = answers.get("vertex-metrics");
    const wanted = named(recordedOf("vertex-metrics"));
    expect(wanted).toContain("0.counts.shop.amounts_p999");
    expect(ours && named(ours)).toEqual(wanted);
  });
});

interface Checkpoints {
  readonly latest: {
    readonly completed: { readonly id: number } | null;
    readonly failed: { readonly id: number } | null;
    readonly restored: { readonly id: number } | null;
  };
}

/** In what our answer is not Flink's, one line each. */
function differences(
  ours: Answer | undefined,
  flinks: Answer,
  ids: { readonly jobId: string; readonly completed: number },
): readonly string[] {
  const about = [
    ["status", ours?.status, flinks.status],
    ["content type", mediaType(ours?.contentType), mediaType(flinks.contentType)],
    ...(flinks.status >= 400
      ? [["text", errorText(ours?.body), renamed(errorText(flinks.body), ids)]]
      : []),
  ];
  const others = about
    .filter(([, own, flink]) => own !== flink)
    .map(([what, own, flink]) => `${what} is ${own}, in Flink ${flink}`);
  if (flinks.status >= 400 || typeof flinks.body === "string") return others;
  return [...others, ...shapeDifferences(shapeOf(ours?.body), shapeOf(flinks.body))];
}

function mediaType(contentType: string | null | undefined): string | undefined {
  return contentType?.split(";")[0]?.toLowerCase();
}

/** The first line, without the class of the exception. */
function errorText(body: unknown): string {
  const { errors } = body as { readonly errors: readonly string[] };
  const text =
    errors
      .join("\n")
      .split("\n")
      .slice(0, errors.length > 1 ? 1 : undefined)[0] ?? "";
  return text.replace(/^org\.apache\.flink\.[\w.$]+: /, "");
}

/** Flink's text with the ids of our run in the place of its own. */
function renamed(
  text: string,
  ids: { readonly jobId: string; readonly completed: number },
): string {
  const recorded = recordedOf("jobs").body as { readonly jobs: readonly { readonly id: string }[] };
  const completed = recordedOf("checkpoint-completed").body as { readonly id: number };
  return text
    .replaceAll(recorded.jobs[0]?.id ?? "", ids.jobId)
    .replace(`for checkpoint ${completed.id}.`, `for checkpoint ${ids.completed}.`);
}
