import { get, type IncomingMessage } from "node:http";

import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { referenceJob } from "./reference-job.ts";
import { serveJob, type ServedTestJob, until } from "./served-job.ts";

describe("event streams", () => {
  let served: ServedTestJob;

  beforeEach(async () => {
    served = await serveJob(referenceJob);
  });
  afterEach(async () => {
    await served.close();
  });

  function open(): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      get(`${served.server.address}/cutwater/events`, resolve).on("error", reject);
    });
  }

  test("tell all who listen, also beside one that does not read", async () => {
    const [first, second, deaf] = await Promise.all([open(), open(), open()]);
    const heard = ["", ""];
    for (const [index, stream] of [first, second].entries())
      stream?.on("data", (data: Buffer) => (heard[index] += String(data)));
    deaf?.pause();
    const checkpoints = (text: string | undefined): number =>
      text?.split("event: checkpoint").length ?? 0;
    await until("several checkpoints", async () => heard.every((text) => checkpoints(text) > 4));
    expect(heard[0]?.startsWith("event: open\ndata: {}\n\n")).toBe(true);
    expect(first?.headers).toMatchObject({
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
    });
    for (const stream of [first, second, deaf]) stream?.destroy();
  }, 60_000);

  test("more than five hundred are refused, until others have gone", async () => {
    const streams = await Promise.all(Array.from({ length: 500 }, () => open()));
    const refused = await open();
    expect(refused.statusCode).toBe(503);
    refused.resume();
    streams[0]?.destroy();
    await until("room again", async () => {
      const stream = await open();
      stream.resume();
      return stream.statusCode === 200;
    });
    for (const stream of streams) stream.destroy();
  }, 60_000);

  test("HEAD ends at once", async () => {
    const response = await fetch(`${served.server.address}/cutwater/events`, { method: "HEAD" });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toContain("text/event-stream");
  });
});
