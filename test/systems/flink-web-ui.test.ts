import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { referenceJob } from "../rest/reference-job.ts";
import { serveJob, type ServedTestJob, until } from "../rest/served-job.ts";
import { CHROMIUM_ARGUMENTS, chromiumPath } from "./chromium.ts";
import { flink, installFlink, missingForFlink } from "./flink-distribution.ts";

const missing = missingForFlink() ?? (chromiumPath() === undefined ? "chromium" : undefined);

/** Where pictures go, if they are wanted. */
const PICTURES = process.env["CUTWATER_SCREENSHOTS"];

describe.skipIf(missing !== undefined)(
  `Flink's own web UI${missing === undefined ? "" : ` (skipped: no ${missing} here)`}`,
  () => {
    const directory = mkdtempSync(join(tmpdir(), "flink-web-ui-"));
    const problems: string[] = [];
    let served: ServedTestJob;
    let browser: Browser;
    let page: Page;

    beforeAll(async () => {
      installFlink();
      flink(["ui", directory]);
      served = await serveJob(referenceJob, {
        pageDirectory: directory,
        settings: { "web.checkpoints.history": 50 },
      });
      await until("checkpoints after a restart", async () => {
        const { latestCompleted, latestRestored, latestFailed } = served.client.job.statistics;
        return (
          latestRestored !== undefined &&
          latestFailed !== undefined &&
          (latestCompleted?.checkpointId ?? 0) > latestRestored.checkpointId + 3
        );
      });
      browser = await chromium.launch({
        executablePath: chromiumPath() ?? "",
        args: [...CHROMIUM_ARGUMENTS],
      });
      page = await browser.newPage({ viewport: { width: 1400, height: 950 } });
      page.on("console", (message) => {
        if (message.type() === "error") problems.push(`console: ${message.text()}`);
      });
      page.on("pageerror", (error) => problems.push(`page: ${error.message}`));
      page.on("response", (response) => {
        if (response.status() >= 400) problems.push(`${response.status()} ${response.url()}`);
      });
    }, 600_000);
    afterAll(async () => {
      await browser?.close();
      await served?.close();
      rmSync(directory, { recursive: true, force: true });
    });

    /** Goes to a place of the UI and waits for what must stand there. */
    async function open(hash: string, wanted: string | RegExp): Promise<void> {
      await page.goto(`${served.server.address}/#${hash}`);
      await page.getByText(wanted).first().waitFor({ timeout: 60_000 });
    }

    /** A place with a text in an editor, which must be there before the next one is opened. */
    async function openEditor(hash: string, wanted: string): Promise<void> {
      await page.goto(`${served.server.address}/#${hash}`);
      await page.locator(".monaco-editor .view-line", { hasText: wanted }).first().waitFor();
    }

    async function picture(name: string): Promise<void> {
      if (PICTURES === undefined) return;
      mkdirSync(PICTURES, { recursive: true });
      // What moves comes to rest.
      await page.waitForTimeout(700);
      await page.screenshot({ path: join(PICTURES, `flink-web-ui-${name}.png`) });
    }

    /**
     * What the browser complained about since the last time.
     *
     * @remarks
     * One complaint is the web UI's own: a page with an editor that gets its text before the editor is made lays out nothing. It comes and goes with
     * the speed of the machine, whatever the server answers.
     */
    function newProblems(): readonly string[] {
      const isOfEditor = (problem: string): boolean => problem.includes("(reading 'layout')");
      return problems.splice(0).filter((problem) => !isOfEditor(problem));
    }

    const job = (): string => `/job/running/${served.client.jobId}`;

    test("shows the overview", async () => {
      await open("/overview", "reference");
      await picture("overview");
      expect(newProblems()).toEqual([]);
    });

    test("draws the job graph, with what each vertex is doing", async () => {
      await open(`${job()}/overview`, /failing-once/);
      await page
        .getByText(/Busy \(max\): \d+%/)
        .first()
        .waitFor();
      await picture("graph");
      expect(newProblems()).toEqual([]);
    });

    test("shows a vertex: subtasks, watermarks, backpressure, metrics", async () => {
      const vertex = served.client.job.graph.vertices[1]?.id ?? "";
      await open(`${job()}/overview/${vertex}/detail`, /Parallelism/);
      await open(`${job()}/overview/${vertex}/subtasks`, /Bytes received/i);
      await picture("subtasks");
      await open(`${job()}/overview/${vertex}/taskmanagers`, /localhost/);
      await open(`${job()}/overview/${vertex}/watermarks`, /Watermark/);
      await open(`${job()}/overview/${vertex}/accumulators`, /Accumulators/i);
      await open(`${job()}/overview/${vertex}/backpressure`, /Back Pressure Status/i);
      await page.getByText("OK").first().waitFor();
      await picture("backpressure");
      await open(`${job()}/overview/${vertex}/metrics`, /metric/i);
      expect(newProblems()).toEqual([]);
    });

    test("shows checkpoints: overview, history with subtasks, summary, configuration", async () => {
      await open(`${job()}/checkpoints`, /Latest Completed Checkpoint/);
      await page.getByText("History", { exact: true }).click();
      await page.locator("td:visible").getByText("COMPLETED").first().waitFor();
      await page.locator("button.ant-table-row-expand-icon:visible").first().click();
      await page.locator("td:visible").getByText("counts -> Sink: nowhere").first().waitFor();
      await picture("checkpoint-history");
      await page.getByText("Summary", { exact: true }).click();
      await page.getByText("Checkpointed Data Size").last().waitFor();
      await page.getByText("Configuration", { exact: true }).last().click();
      await page.getByText("Checkpointing Mode").waitFor();
      await picture("checkpoint-configuration");
      expect(newProblems()).toEqual([]);
    });

    test("shows exceptions, timeline and configuration of the job", async () => {
      await open(`${job()}/exceptions`, "StreamError");
      await picture("exceptions");
      await open(`${job()}/timeline`, /reference/);
      await open(`${job()}/configuration`, /Execution Configuration/i);
      await picture("configuration");
      expect(newProblems()).toEqual([]);
    });

    test("shows TaskManager and JobManager", async () => {
      await open("/task-manager", /worker-0/);
      await open("/task-manager/worker-0/metrics", /Memory/);
      await openEditor("/task-manager/worker-0/logs", "Checkpoint");
      await openEditor("/task-manager/worker-0/thread-dump", "counts");
      await open("/job-manager/config", /execution.checkpointing.interval/);
      await open("/job-manager/metrics", /Heap/);
      await openEditor("/job-manager/logs", "Checkpoint");
      await picture("job-manager");
      expect(newProblems()).toEqual([]);
    });

    test("cancels the job from its button", async () => {
      await open(`${job()}/overview`, /Cancel Job/);
      await page.getByText("Cancel Job").first().click();
      await page
        .getByRole("button", { name: /yes|ok/i })
        .first()
        .click();
      await until("the end of the job", async () => served.client.status === "CANCELED");
      expect(newProblems()).toEqual([]);
    });
  },
);
