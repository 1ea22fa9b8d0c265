import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { connect } from "node:net";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { LogMemory, nodePlatform, silentLogger } from "../../src/base/index.ts";
import { startServer } from "../../src/server/index.ts";
import { referenceJob } from "./reference-job.ts";
import { serveJob, type ServedTestJob } from "./served-job.ts";

const TOKEN = "0123456789abcdef-token";

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly text: string;
}

interface Given {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** As a client that may set any header and any path, which `fetch` does not let through. */
async function ask(address: string, given: Given): Promise<Answer> {
  const { hostname, port } = new URL(address);
  const request = httpRequest({
    host: hostname,
    port,
    method: given.method ?? "GET",
    path: given.path ?? "/overview",
    headers: { ...given.headers },
  });
  request.end(given.body);
  const [response] = (await once(request, "response")) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    text: Buffer.concat(chunks).toString(),
  };
}

describe("a server on this machine alone", () => {
  let served: ServedTestJob;
  let job = "";

  beforeAll(async () => {
    served = await serveJob(referenceJob, { settings: { "s3.secret-key": "swordfish" } });
    job = `/jobs/${served.client.jobId}`;
  }, 60_000);
  afterAll(async () => {
    await served.close();
  });

  const at = (given: Given): Promise<Answer> => ask(served.server.address, given);

  test("answers to its own names", async () => {
    const { port } = new URL(served.server.address);
    for (const name of ["127.0.0.1", "localhost", "LOCALHOST", "[::1]"]) {
      expect([name, (await at({ headers: { Host: `${name}:${port}` } })).status]).toEqual([
        name,
        200,
      ]);
    }
  });

  test.each(["evil.example", "evil.example:8081", "127.0.0.1.evil.example", "localhost."])(
    "refuses the foreign host %j",
    async (host) => {
      const { status } = await at({ headers: { Host: host } });
      expect([400, 421]).toContain(status);
    },
  );

  test("refuses what another site's page sends, and changes nothing", async () => {
    const before = served.client.job.statistics.counts.total;
    for (const headers of [
      { Origin: "http://evil.example" },
      { Origin: "null" },
      { "Sec-Fetch-Site": "cross-site" },
      { "Sec-Fetch-Site": "same-site" },
    ] as const) {
      const cancel = await at({ method: "PATCH", path: `${job}?mode=cancel`, headers });
      const yarn = await at({ path: `${job}/yarn-cancel`, headers });
      const post = await at({
        method: "POST",
        path: `${job}/savepoints`,
        headers: { ...headers, "Content-Type": "text/plain" },
        body: "{}",
      });
      expect([cancel.status, yarn.status, post.status]).toEqual([403, 403, 403]);
    }
    expect(served.client.status).toBe("RUNNING");
    expect(served.client.job.statistics.latestSavepoint).toBeUndefined();
    expect(served.client.job.statistics.counts.total).toBeGreaterThanOrEqual(before);
  });

  test("lets its own page send", async () => {
    const own = served.server.address;
    const { status } = await at({
      method: "POST",
      path: `${job}/checkpoints`,
      headers: { Origin: own, "Sec-Fetch-Site": "same-origin" },
      body: "{}",
    });
    expect(status).toBe(202);
  });

  test("offers no answer to other origins", async () => {
    const preflight = await at({
      method: "OPTIONS",
      path: `${job}/savepoints`,
      headers: { Origin: "http://evil.example", "Access-Control-Request-Method": "POST" },
    });
    const { headers } = await at({});
    expect(preflight.status).toBe(403);
    expect(preflight.headers["access-control-allow-origin"]).toBeUndefined();
    expect(headers["access-control-allow-origin"]).toBeUndefined();
    expect(headers["x-content-type-options"]).toBe("nosniff");
    expect(headers["x-frame-options"]).toBe("DENY");
  });

  test.each([
    "/jobmanager/logs/..%2f..%2f..%2fetc%2fpasswd",
    "/jobmanager/logs/../../../../etc/passwd",
    "/jobmanager/logs/%2e%2e%2f%2e%2e%2fetc%2fpasswd",
    "/taskmanagers/worker-0/logs/..%2f..%2fpackage.json",
    "/../package.json",
    "/..%2f..%2fpackage.json",
    "/%2e%2e/%2e%2e/package.json",
    "//etc/passwd",
    "/assets/../../package.json",
  ])("leads to no file outside: %s", async (path) => {
    const { status, text } = await at({ path });
    expect(status).toBeGreaterThanOrEqual(400);
    expect(text).not.toMatch(/root:|"devDependencies"/);
  });

  test("refuses a body that is too large, told or untold", async () => {
    const body = JSON.stringify({ "target-directory": "x".repeat(100_000) });
    const told = await at({
      method: "POST",
      path: `${job}/savepoints`,
      body,
      headers: { "Content-Length": String(body.length) },
    });
    const untold = await at({
      method: "POST",
      path: `${job}/savepoints`,
      body,
      headers: { "Transfer-Encoding": "chunked" },
    });
    expect([told.status, untold.status]).toEqual([413, 413]);
  });

  test("refuses headers that are too large", async () => {
    // Above Node's limit of 16 KiB, but read at one go: a server that closes with bytes unread resets the connection, and the answer may be lost.
    const { status } = await at({ headers: { "X-Long": "x".repeat(20_000) } });
    expect(status).toBe(431);
  });

  test("hides secrets", async () => {
    for (const path of ["/jobmanager/config", `/cutwater/config/${served.client.jobId}`]) {
      expect((await at({ path })).text).not.toContain("swordfish");
    }
  });

  test("cuts off a client that never ends its request", async () => {
    const { hostname, port } = new URL(served.server.address);
    const socket = connect(Number(port), hostname);
    await once(socket, "connect");
    socket.write("POST /jobs HTTP/1.1\r\nHost: localhost\r\nX-Slow: ");
    const begunMs = performance.now();
    socket.on("error", () => undefined);
    socket.resume();
    await once(socket, "close");
    // Node looks at its connections each 30 s.
    expect(performance.now() - begunMs).toBeLessThan(50_000);
  }, 60_000);
});

describe("a server that others can reach", () => {
  const platform = nodePlatform();
  const options = {
    platform,
    logMemory: new LogMemory(platform, silentLogger),
    version: "0.0.0",
    port: 0,
    isPortFlexible: true,
    pageDirectory: undefined,
  };

  test.each([undefined, "", "short"])("does not start with the token %j", async (token) => {
    await expect(startServer({ ...options, bindAddress: "0.0.0.0", token })).rejects.toMatchObject({
      code: "SERVER_UNPROTECTED",
    });
  });

  test("asks for its token, for everything but the page's files", async () => {
    const server = await startServer({ ...options, bindAddress: "0.0.0.0", token: TOKEN });
    const address = server.address.replace("0.0.0.0", "127.0.0.1");
    const status = async (headers: Record<string, string>, path = "/overview"): Promise<number> =>
      (await ask(address, { path, headers })).status;
    expect(await status({})).toBe(401);
    expect(await status({ Authorization: TOKEN })).toBe(401);
    expect(await status({ Authorization: `Bearer ${TOKEN}x` })).toBe(401);
    expect(await status({ Authorization: `Bearer ${TOKEN.slice(0, -1)}` })).toBe(401);
    expect(await status({}, "/metrics")).toBe(401);
    expect(await status({}, "/v1/jobs")).toBe(401);
    expect(await status({}, "/cutwater/events")).toBe(401);
    expect(await status({ Authorization: `Bearer ${TOKEN}` })).toBe(200);
    expect(await status({ Authorization: `Bearer ${TOKEN}`, Host: "any.example" })).toBe(200);
    await server.close();
  });
});
