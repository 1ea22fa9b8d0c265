import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";

import { CutwaterProcess } from "../e2e/cutwater-process.ts";
import { chromiumPath } from "./chromium.ts";
import { flink, flinkHome, installFlink, missingForFlink } from "./flink-distribution.ts";
import { missingJava } from "./flink-java.ts";
import { axeViolations, excessOf, PageDriver, settled, WIDTHS } from "./page-driver.ts";
import { ShopProcess } from "./shop-process.ts";

/** A command that serves the page until it is told to end. */
class PageCommand {
  readonly #process: CutwaterProcess;
  url = "";

  private constructor(process: CutwaterProcess) {
    this.#process = process;
  }

  static async start(folder: string, ...inputs: readonly string[]): Promise<PageCommand> {
    const process = new CutwaterProcess(folder, inputs);
    const command = new PageCommand(process);
    await process.until((_, stderr) => /Open http/.test(stderr));
    command.url = /Open (\S+);/.exec(process.stderr)?.[1] ?? "";
    return command;
  }

  async end(): Promise<number | null> {
    this.#process.kill("SIGINT");
    return (await this.#process.result()).exitCode;
  }
}

describe.skipIf(chromiumPath() === undefined)(
  `our page without a job of ours${chromiumPath() === undefined ? " (skipped: no Chromium here)" : ""}`,
  () => {
    let driver: PageDriver;

    beforeAll(async () => {
      driver = await PageDriver.launch();
    });
    afterEach(() => driver.closePages());
    afterAll(() => driver.close());

    test("cutwater history shows the course of a job's checkpoints when the job is gone, along the edges that it had", async () => {
      const shop = new ShopProcess("skew", {});
      await shop.start();
      await shop.until<{ readonly counts: { readonly completed: number } }>(
        "three checkpoints",
        "/checkpoints",
        ({ counts }) => counts.completed >= 3,
      );
      await shop.kill();
      const command = await PageCommand.start(shop.folder, "history", "checkpoints");
      const page = await driver.open(command.url);
      await page.getByText(/totals \(\d\/4\) held it up/).waitFor();
      const path = await page.locator(".waterfall svg[role=img]").getAttribute("aria-label");
      // Along the edges: a source, its consumer, the sink; never a subtask of the same vertex twice.
      const names = (path ?? "").split("Critical path: ")[1] ?? "";
      expect(names).toMatch(/^Source: orders \(\d\/4\) [^→]+→ totals \(\d\/4\) /);
      const bars = page.locator(".strip-item");
      expect(await bars.count()).toBeGreaterThanOrEqual(3);
      await bars.first().click();
      await page.waitForURL(/history\/1/);
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 });
        expect(await axeViolations(page)).toEqual([]);
        expect(await excessOf(page)).toBe(0);
      }
      expect(driver.complaints).toEqual([]);
      expect(await command.end()).toBe(0);
      await shop.close();
    });

    const missing = missingForFlink() ?? missingJava();
    test.skipIf(missing !== undefined)(
      `cutwater ui shows the jobs of a real Flink, and acts on them${missing === undefined ? "" : ` (skipped: no ${missing} here)`}`,
      async () => {
        const folder = mkdtempSync(join(tmpdir(), "cutwater-ui-"));
        installFlink();
        const jar = referenceJar(folder);
        const cluster = { ...CLUSTER, FLINK_SETTINGS: join(folder, "settings") };
        writeFileSync(cluster.FLINK_SETTINGS, SETTINGS.join("\n"));
        flink(["start"], cluster);
        const ran = flink(["run", jar], cluster);
        const jobId = /JobID ([0-9a-f]{32})/.exec(ran)?.[1] ?? "";
        const address = `http://127.0.0.1:${CLUSTER.FLINK_REST_PORT}`;
        const command = await PageCommand.start(folder, "ui", "--flink", address);
        try {
          const page = await driver.open(command.url);
          await page.getByRole("link", { name: "reference" }).click();
          await page
            .locator(".vertex")
            .filter({ hasText: "counts" })
            .getByText(/\d\/s/)
            .first()
            .waitFor();
          for (const view of [
            "graph",
            "checkpoints",
            "doctor",
            "exceptions",
            "configuration",
            "logs",
          ]) {
            await page.locator(`[data-test=tab-${view}]`).click();
            await settled(page);
            expect((await axeViolations(page)).map((text) => `${view}: ${text}`)).toEqual([]);
          }
          // A vertex that starts has no figures yet: then Flink answers 500, and the page shows it without.
          const unexpected = driver.complaints.filter(
            (text) => !/ 500 .*\/backpressure$/.test(text),
          );
          expect(unexpected).toEqual([]);
          await page.locator("[data-test=tab-checkpoints]").click();
          await page.locator(".strip-item.COMPLETED").first().click();
          await page.locator(".verdict-headline").waitFor();
          await page.locator("[data-test=tab-exceptions]").click();
          await page.locator(".exception-cause", { hasText: "no snapshot" }).first().waitFor();
          await page.locator("[data-test=action-savepoint]").click();
          await page.locator("[data-test=target-directory]").fill(join(folder, "savepoints"));
          await page.locator("[data-test=confirm]").click();
          await page.getByText(/Savepoint: done, at .*savepoint-/).waitFor();
          await page.locator("[data-test=action-cancel]").click();
          await page.locator("[data-test=confirm]").click();
          await page.locator("h1").getByText("canceled").waitFor();
          expect(page.url()).toContain(jobId);
        } finally {
          await command.end();
          flink(["stop"], CLUSTER);
          rmSync(folder, { recursive: true, force: true });
        }
      },
    );
  },
);

/** A cluster of its own beside those of other tests. */
const CLUSTER = { FLINK_INSTANCE: "page", FLINK_REST_PORT: "18181", FLINK_RPC_PORT: "16223" };

/** As where the answers of a real Flink are recorded. */
const SETTINGS = [
  "execution.checkpointing.interval: 1 s",
  "execution.checkpointing.tolerable-failed-checkpoints: 10",
  "restart-strategy.type: fixed-delay",
  "restart-strategy.fixed-delay.attempts: 10",
  "restart-strategy.fixed-delay.delay: 1 s",
  "",
];

/** The job of `java/ReferenceJob.java`, compiled against the distribution. */
function referenceJar(folder: string): string {
  const library = join(flinkHome(), "lib");
  const jars = readdirSync(library).map((name) => join(library, name));
  const source = new URL("java/ReferenceJob.java", import.meta.url).pathname;
  const classes = join(folder, "classes");
  const jar = join(folder, "reference-job.jar");
  run("javac", ["-d", classes, "-cp", jars.join(":"), source]);
  run("jar", ["cfe", jar, "ReferenceJob", "-C", classes, "."]);
  return jar;
}

function run(command: string, parameters: readonly string[]): void {
  const { status, stderr } = spawnSync(command, parameters, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${command} failed: ${stderr}`);
}
