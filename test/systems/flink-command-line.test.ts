import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";

import { referenceJob } from "../rest/reference-job.ts";
import { serveJob, type ServedTestJob, until } from "../rest/served-job.ts";
import { flinkHome, installFlink, missingForFlink } from "./flink-distribution.ts";

const missing = missingForFlink();

interface Ran {
  readonly code: number | null;
  readonly output: string;
}

/** Java's modules that Flink opens for itself on Java 17. */
const JAVA_OPTIONS = "--add-opens=java.base/java.util=ALL-UNNAMED";

describe.skipIf(missing !== undefined)(
  `Flink's own command line${missing === undefined ? "" : ` (skipped: no ${missing} here)`}`,
  () => {
    const configuration = mkdtempSync(join(tmpdir(), "flink-client-"));
    let served: ServedTestJob;

    beforeAll(() => {
      installFlink();
      mkdirSync(join(configuration, "log"));
      writeFileSync(join(configuration, "config.yaml"), `env.java.opts.all: "${JAVA_OPTIONS}"\n`);
    }, 600_000);
    afterAll(() => rmSync(configuration, { recursive: true, force: true }));

    beforeEach(async () => {
      served = await serveJob(referenceJob);
      await until("a checkpoint after the restart", async () => {
        const { latestCompleted, latestRestored } = served.client.job.statistics;
        return (latestCompleted?.checkpointId ?? 0) > (latestRestored?.checkpointId ?? Infinity);
      });
    }, 120_000);
    afterEach(async () => {
      await served.close();
    });

    /** Not synchronously: the server that answers is in this process. */
    async function flinkCli(action: string, ...parameters: readonly string[]): Promise<Ran> {
      const address = served.server.address.replace("http://", "");
      const child = spawn(join(flinkHome(), "bin/flink"), [action, "-m", address, ...parameters], {
        env: {
          ...process.env,
          FLINK_CONF_DIR: configuration,
          FLINK_LOG_DIR: join(configuration, "log"),
        },
      });
      let output = "";
      child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
      child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()));
      const [code] = (await once(child, "close")) as [number | null];
      return { code, output };
    }

    test("lists the job", async () => {
      const { code, output } = await flinkCli("list");
      expect(output).toContain(`${served.client.jobId} : reference (RUNNING)`);
      expect(code).toBe(0);
    });

    test("takes a savepoint, and says where", async () => {
      const target = join(served.directory, "here");
      const { code, output } = await flinkCli("savepoint", served.client.jobId, target);
      const path = /Savepoint completed\. Path: (?:file:)?(\S+)/.exec(output)?.[1];
      expect([code, path], output).toEqual([0, expect.stringContaining(target)]);
      expect(existsSync(join(path ?? "", "_metadata"))).toBe(true);
      expect(served.client.status).toBe("RUNNING");
    });

    test("takes a checkpoint", async () => {
      const { code, output } = await flinkCli("checkpoint", served.client.jobId);
      expect([code, output]).toEqual([0, expect.stringMatching(/Checkpoint \d+ for job/)]);
    });

    test("says why a savepoint failed", async () => {
      writeFileSync(join(served.directory, "file"), "");
      const target = join(served.directory, "file/below");
      const { code, output } = await flinkCli("savepoint", served.client.jobId, target);
      expect(code).toBe(1);
      expect(output).toMatch(/StreamError: The savepoint failed:.*\s+Caused by: .*ENOTDIR/);
    });

    test("stops the job with a savepoint", async () => {
      const { code, output } = await flinkCli("stop", served.client.jobId);
      expect([code, output]).toEqual([0, expect.stringContaining("Savepoint completed. Path:")]);
      const { status, savepointDirectory } = await served.client.result;
      expect([status, output]).toEqual([
        "FINISHED",
        expect.stringContaining(savepointDirectory ?? "-"),
      ]);
    });

    test("cancels the job", async () => {
      const { code, output } = await flinkCli("cancel", served.client.jobId);
      expect([code, output]).toEqual([0, expect.stringContaining("Cancelled job")]);
      expect((await served.client.result).status).toBe("CANCELED");
    });

    test("is told that there is no such job", async () => {
      const { code, output } = await flinkCli("cancel", "0".repeat(32));
      expect(code).toBe(1);
      expect(output).toContain("Job could not be found.");
    });
  },
);
