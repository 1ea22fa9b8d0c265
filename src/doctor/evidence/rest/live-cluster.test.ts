import { createServer } from "node:http";
import { afterEach, expect, test } from "vitest";

import { nodePlatform } from "../../../base/index.ts";
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

const opened: { close(): unknown }[] = [];
afterEach(() => {
  for (const server of opened.splice(0)) server.close();
});

function serve(answer: (url: string) => { status: number; body: string }): Promise<string> {
  return new Promise((resolve) => {
    const server = createServer((request, response) => {
      const { status, body } = answer(request.url ?? "");
      response.writeHead(status).end(body);
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
