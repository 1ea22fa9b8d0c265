import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { nodePlatform } from "../../src/base/index.ts";
import { runCli } from "../../src/cli/cli-harness.ts";
import { startPageServer, startServer } from "../../src/server/index.ts";
import { referenceJob } from "./reference-job.ts";
import { serveJob, type ServedTestJob, until } from "./served-job.ts";

describe("commands against a server", () => {
  let served: ServedTestJob;

  beforeEach(async () => {
    served = await serveJob(referenceJob);
    await until("a checkpoint after the restart", async () => {
      const { latestCompleted, latestRestored } = served.client.job.statistics;
      return (latestCompleted?.checkpointId ?? 0) > (latestRestored?.checkpointId ?? Infinity);
    });
  }, 60_000);
  afterEach(async () => {
    await served.close();
  });

  const cli = (command: string, ...inputs: readonly string[]): ReturnType<typeof runCli> =>
    runCli(command, "-m", served.server.address.replace("http://", ""), ...inputs);

  test("list, info and exceptions show the job", async () => {
    const { jobId } = served.client;
    expect((await cli("list")).stdout).toContain(` : ${jobId} : reference (RUNNING)`);
    expect(JSON.parse((await cli("list", "--json")).stdout)).toMatchObject({ jid: jobId });
    const info = await cli("info", "reference");
    expect(info.stdout).toContain(`reference ${jobId} RUNNING`);
    expect(info.stdout).toMatch(/counts -> Sink: nowhere \(2\) RUNNING, records: \d+ in, 0 out/);
    expect(info.stdout).toContain("last failed: 2 ");
    const exceptions = await cli("exceptions", jobId.slice(0, 6));
    expect(exceptions.stdout).toContain("Caused by: Error: no snapshot");
    expect([info.exitCode, exceptions.exitCode]).toEqual([0, 0]);
  });

  test("checkpoint and savepoint take one, and stop ends the job with one", async () => {
    expect((await cli("checkpoint")).stdout).toMatch(/^Checkpoint \d+ completed\.\n$/);
    const target = join(served.directory, "mine");
    const savepoint = await cli("savepoint", "reference", target);
    const path = /Savepoint completed\. Path: (\S+)/.exec(savepoint.stdout)?.[1] ?? "";
    expect(path.startsWith(target)).toBe(true);
    expect(existsSync(join(path, "_metadata"))).toBe(true);
    const stop = await cli("stop", "--drain", "--json");
    expect(JSON.parse(stop.stdout)).toEqual({ location: expect.stringContaining("savepoint-") });
    expect((await served.client.result).status).toBe("FINISHED");
    expect((await cli("list")).stdout).toBe("No job is running.\n");
    expect((await cli("list", "--all")).stdout).toContain("(FINISHED)");
  });

  test("cancel -s takes a savepoint first, and savepoint -d deletes one, by itself or through the server", async () => {
    const target = join(served.directory, "mine");
    const take = async (command: string, ...inputs: string[]): Promise<string> => {
      const { stdout } = await cli(command, ...inputs);
      const path = /Savepoint completed\. Path: (\S+)/.exec(stdout)?.[1] ?? "";
      expect(existsSync(join(path, "_metadata"))).toBe(true);
      return path;
    };
    const first = await take("savepoint", "reference", target);
    const second = await take("cancel", "reference", "-s", target);
    expect((await served.client.result).status).toBe("CANCELED");
    expect((await cli("savepoint", "-d", first)).stdout).toContain(`${first} disposed.`);
    const local = await runCli("savepoint", "-d", second);
    expect(local).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("disposed: ") });
    expect([existsSync(first), existsSync(second)]).toEqual([false, false]);
    const refused = await runCli("savepoint", "-d", served.directory);
    expect(refused.exitCode).toBe(1);
    expect(existsSync(served.directory)).toBe(true);
  });

  test("cancel cancels", async () => {
    expect((await cli("cancel", "reference")).stdout).toContain("Cancelled reference");
    expect((await served.client.result).status).toBe("CANCELED");
  });

  test("what fails is told with its cause: OPERATION_FAILED", async () => {
    writeFileSync(join(served.directory, "file"), "");
    const { stderr, exitCode } = await cli("savepoint", "reference", `${served.directory}/file/x`);
    expect(stderr).toMatch(/^Error: The savepoint failed: .*IO-problem detected/s);
    expect(exitCode).toBe(1);
  });

  test("rescale changes the parallelism, and the job goes on", async () => {
    const { stdout, exitCode } = await cli("rescale", "3");
    expect([stdout, exitCode]).toEqual([`${served.client.jobId} goes on with parallelism 3.\n`, 0]);
    expect((await cli("info")).stdout).toContain("counts -> Sink: nowhere (3) RUNNING");
  });

  test("a parallelism that cannot be is refused: SERVER_REFUSED", async () => {
    const { stderr, exitCode } = await cli("rescale", "0");
    expect(stderr).toContain("not a whole number of at least 1");
    expect(exitCode).toBe(1);
  });

  test("a job that is not there is refused, naming those that are: JOB_NOT_CHOSEN", async () => {
    const { stderr, exitCode } = await cli("info", "others");
    expect(stderr).toContain(`No one job is others. The server has: ${served.client.jobId}`);
    expect(exitCode).toBe(3);
  });

  test("a savepoint of a job that is not there fails as an operation: JOB_NOT_FOUND", async () => {
    const base = `${served.server.address}/jobs/${"0".repeat(32)}/savepoints`;
    const begun = (await (await fetch(base, { method: "POST" })).json()) as {
      readonly "request-id": string;
    };
    const answer = (await (await fetch(`${base}/${begun["request-id"]}`)).json()) as object;
    expect(JSON.stringify(answer)).toContain("There is no job 0000");
  });

  test("a port in use is refused if it was asked for: SERVER_NOT_STARTED", async () => {
    const { port } = new URL(served.server.address);
    await expect(
      startServer({
        platform: nodePlatform(),
        logMemory: { text: "" } as never,
        version: "0.0.0",
        bindAddress: "127.0.0.1",
        port: Number(port),
        isPortFlexible: false,
        token: undefined,
        pageDirectory: undefined,
      }),
    ).rejects.toMatchObject({ code: "SERVER_NOT_STARTED" });
  });

  test("the page stands in front of another server", async () => {
    const page = await startPageServer({
      platform: nodePlatform(),
      port: 0,
      source: { kind: "rest", address: served.server.address },
    });
    const jobs = await (await fetch(`${page.address}/jobs`)).json();
    const missing = await fetch(`${page.address}/jobs/${"0".repeat(32)}`);
    await page.close();
    expect(jobs).toEqual({ jobs: [{ id: served.client.jobId, status: "RUNNING" }] });
    expect(missing.status).toBe(404);
  });

  test("events tell of checkpoints, and end with the client", async () => {
    const abort = new AbortController();
    const response = await fetch(`${served.server.address}/cutwater/events`, {
      signal: abort.signal,
    });
    expect(response.headers.get("content-type")).toContain("text/event-stream");
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let seen = "";
    while (!seen.includes("event: checkpoint")) seen += (await reader?.read())?.value ?? "";
    expect(seen).toContain(`data: {"jobId":"${served.client.jobId}"}`);
    abort.abort();
  });

  test("the doctor's findings name what failed the checkpoint", async () => {
    const answer = (await served.get(`/cutwater/findings/${served.client.jobId}?language=zh`)) as {
      readonly verdict: string;
      readonly findings: readonly { readonly cause: string }[];
    };
    expect([answer.verdict, answer.findings[0]?.cause]).toEqual([
      "cause",
      "user-exception-in-snapshotstate",
    ]);
  });

  test("a checkpoint's content, and where settings come from, are shown", async () => {
    const { jobId } = served.client;
    const savepoint = await cli("savepoint", "reference", "--json");
    expect(savepoint.exitCode).toBe(0);
    const id = served.client.job.statistics.latestSavepoint?.checkpointId;
    const content = JSON.stringify(await served.get(`/cutwater/inspect/${jobId}/${id}`));
    expect(content).toContain('"uid":"counts"');
    const { options } = (await served.get(`/cutwater/config/${jobId}`)) as {
      readonly options: readonly { readonly key: string; readonly origin: string }[];
    };
    const origins = new Map(options.map(({ key, origin }) => [key, origin]));
    expect(origins.get("execution.checkpointing.interval")).toBe("file");
    expect(origins.get("execution.checkpointing.timeout")).toBe("default");
  });
});

test("no server is told as that: SERVER_UNREACHABLE", async () => {
  const { stderr, exitCode } = await runCli("list", "-m", "127.0.0.1:9");
  expect(stderr).toContain("No server answers at http://127.0.0.1:9");
  expect(exitCode).toBe(3);
});

describe("cutwater history", () => {
  test("serves the history of a job that does not run", async () => {
    const directory = mkdtempSync(join(tmpdir(), "cutwater-history-"));
    writeFileSync(join(directory, "history.jsonl"), '{"format":1}\n');
    const page = await startPageServer({
      platform: nodePlatform(),
      port: 0,
      source: { kind: "history", file: join(directory, "history.jsonl") },
    });
    const text = await (await fetch(`${page.address}/history.jsonl`)).text();
    await page.close();
    rmSync(directory, { recursive: true });
    expect(text).toBe('{"format":1}\n');
  });

  test("refuses a directory without one: HISTORY_UNREADABLE", async () => {
    const { stderr, exitCode } = await runCli("history", tmpdir());
    expect(stderr).toContain("There is no checkpoint history at");
    expect(exitCode).toBe(3);
  });
});
