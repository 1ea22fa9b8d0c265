import { createServer, type Server } from "node:http";
import { afterEach, expect, test } from "vitest";

import { nodePlatform, type Platform } from "../../../base/index.ts";
import { diagnose } from "../../diagnose.ts";

const VERTEX = "ab".repeat(16);
const ANSWERS: Readonly<Record<string, string>> = {
  "/overview": '{"taskmanagers":1,"flink-version":"1.20.5"}',
  "/jobs/overview": '{"jobs":[{"jid":"j1","name":"orders","state":"RUNNING"}]}',
  "/jobs/j1": `{"jid":"j1","name":"orders","state":"RUNNING","vertices":[{"id":"${VERTEX}","name":"totals","parallelism":1,"status":"RUNNING"}]}`,
  "/jobs/j1/checkpoints":
    '{"counts":{"completed":0,"failed":1,"in_progress":0,"restored":0},"latest":{},"history":[{"id":3,"status":"FAILED","failure_message":"Checkpoint expired before completing."}]}',
  [`/jobs/j1/checkpoints/details/3/subtasks/${VERTEX}`]:
    '{"id":3,"status":"FAILED","subtasks":[{"index":0,"status":"completed","end_to_end_duration":9000,"checkpoint":{"sync":8900,"async":3},"alignment":{"duration":1},"start_delay":4}]}',
};

const opened: Server[] = [];
afterEach(() => {
  for (const server of opened.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

type Answer = { status: number; body: string } | undefined;

/** Serves until the test ends. No answer at all is undefined. */
function serve(answer: (url: string, authorization?: string) => Answer): Promise<string> {
  return new Promise((resolve) => {
    const server = createServer((request, response) => {
      const given = answer(request.url ?? "", request.headers.authorization);
      if (given !== undefined) response.writeHead(given.status).end(given.body);
    });
    opened.push(server);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      resolve(`http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`);
    });
  });
}

test("a live cluster is asked for what a diagnosis needs", async () => {
  const address = await serve((url) => {
    const body = ANSWERS[url];
    return body === undefined
      ? { status: 404, body: '{"errors":["Not found."]}' }
      : { status: 200, body };
  });
  const diagnosis = await diagnose([{ kind: "path", path: address }], nodePlatform());
  expect(diagnosis.facts.version.stated).toBe("1.20.5");
  expect(diagnosis.findings[0]?.code).toBe("snapshot-sync-slow-user-code");
});

test("an address that answers with a page, or not at all, is named", async () => {
  const page = await serve(() => ({ status: 200, body: "<!DOCTYPE html><html></html>" }));
  const diagnosis = await diagnose(
    [
      { kind: "path", path: page },
      { kind: "path", path: "http://127.0.0.1:1" },
    ],
    nodePlatform(),
  );
  expect(diagnosis.facts.evidence.sources.map((source) => source.problem !== undefined)).toEqual([
    true,
    true,
  ]);
});

/** A platform on which every time-out has come as soon as it is set. */
function impatient(): Platform {
  const platform = nodePlatform();
  return {
    nowMs: () => platform.nowMs(),
    monotonicMs: () => platform.monotonicMs(),
    random: () => platform.random(),
    soon: (callback) => platform.soon(callback),
    files: platform.files,
    after: (_delayMs, callback) => platform.after(0, callback),
  };
}

test("an address that hangs is given up, and what else there is is read", async () => {
  const address = await serve(() => undefined);
  const log =
    "2024-06-15 02:17:23,882 INFO  org.apache.flink.runtime.checkpoint.CheckpointCoordinator [] - Completed checkpoint 7 for job ab (1 bytes, checkpointDuration=2 ms, finalizationTime=3 ms).\n";
  const { verdict, facts } = await diagnose(
    [
      { kind: "path", path: address },
      { kind: "bytes", name: "jm.log", bytes: new TextEncoder().encode(log) },
    ],
    impatient(),
  );
  expect(verdict).toBe("healthy");
  expect(facts.evidence.sources[0]?.problem).toContain("did not answer within");
});

test("an answer without end is not read to its end", async () => {
  const address = await serve(() => ({ status: 200, body: `[${"1,".repeat(17 * 1024 * 1024)}1]` }));
  const { facts } = await diagnose([{ kind: "path", path: address }], nodePlatform());
  expect(facts.evidence.sources[0]?.problem).toContain("more than");
});

test("name and password of an address are sent, and not repeated", async () => {
  const seen: (string | undefined)[] = [];
  const address = await serve((url, authorization) => {
    seen.push(authorization);
    return { status: 200, body: ANSWERS[url] ?? "{}" };
  });
  const { facts } = await diagnose(
    [{ kind: "path", path: address.replace("http://", "http://ada:hunter2@") }],
    nodePlatform(),
  );
  expect(seen[0]).toBe(`Basic ${Buffer.from("ada:hunter2").toString("base64")}`);
  expect(JSON.stringify(facts.evidence)).not.toContain("hunter2");
});
