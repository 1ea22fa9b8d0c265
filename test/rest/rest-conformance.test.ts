import { afterAll, beforeAll, describe, expect, test } from "vitest";

import {
  type Answer,
  answerDifferences,
  idsOf,
  RECORDED_VERSIONS,
  recordedOf,
} from "./recorded-answers.ts";
import { referenceJob } from "./reference-job.ts";
import { REQUESTS, type RestRequest } from "./rest-requests.ts";
import { serveJob, type ServedTestJob, until } from "./served-job.ts";

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

const [NEWEST, OLDER] = RECORDED_VERSIONS;

/** In what the newest recorded Flink answers otherwise than an older one. */
function changesSince(version: typeof OLDER, name: string): readonly string[] {
  return answerDifferences(recordedOf(NEWEST, name), idsOf(NEWEST), version, name);
}

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
      const allowed = DIFFERENCES[name];
      if (allowed !== undefined && allowed.lines === undefined) return;
      const found = answerDifferences(answers.get(name), ids, NEWEST, name);
      expect(found).toEqual(allowed?.lines ?? []);
    },
  );

  test.each(REQUESTS.map(({ name }) => name))(
    "%s differs from that of Flink 1.20 in nothing but what Flink itself has changed since",
    (name) => {
      const allowed = DIFFERENCES[name];
      if (allowed !== undefined && allowed.lines === undefined) return;
      const changed = new Set([...changesSince(OLDER, name), ...(allowed?.lines ?? [])]);
      const found = answerDifferences(answers.get(name), ids, OLDER, name);
      expect(found.filter((line) => !changed.has(line))).toEqual([]);
    },
  );

  test("metrics of the user's functions have Flink's names", () => {
    const named = ({ body }: Answer): readonly string[] =>
      (body as readonly { readonly id: string }[])
        .map(({ id }) => id)
        .filter((id) => id.includes(".counts.shop."))
        .toSorted();
    const ours = answers.get("vertex-metrics");
    const wanted = named(recordedOf(NEWEST, "vertex-metrics"));
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

test("what Flink changed between the two versions is as the document says", async () => {
  const rows = REQUESTS.flatMap(({ name, method, path }) => {
    const changes = changesSince(OLDER, name);
    const text = changes.map((line) => `\`${line}\``).join("<br>");
    return changes.length === 0 ? [] : [`| \`${method} ${path}\` (${name}) | ${text} |`];
  });
  const lines = [
    `# Flink's REST: ${NEWEST} against ${OLDER}`,
    "",
    `Both were recorded with the same job (\`scripts/record-flink-rest.mjs\`). "lacks" and "adds" say what ${NEWEST} does against ${OLDER};`,
    `Cutwater answers like ${NEWEST}. A request that is not in the table is answered alike.`,
    "",
    `| request | ${NEWEST} |`,
    "| --- | --- |",
    ...rows,
    "",
  ];
  await expect(lines.join("\n")).toMatchFileSnapshot("../../docs/reference/flink-rest-versions.md");
});
