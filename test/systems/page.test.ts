import { existsSync } from "node:fs";
import { resolve } from "node:path";

import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";

import { chromiumPath } from "./chromium.ts";
import {
  axeViolations,
  excessOf,
  PageDriver,
  picture,
  SCHEMES,
  settled,
  walk,
  WIDTHS,
} from "./page-driver.ts";
import { ShopProcess } from "./shop-process.ts";

const TABS = ["graph", "checkpoints", "doctor", "exceptions", "configuration", "logs"] as const;

interface Checkpoints {
  readonly counts: { readonly restored: number };
  readonly history: readonly {
    readonly id: number;
    readonly status: string;
    readonly end_to_end_duration: number;
    readonly failure_message?: string;
  }[];
}

interface JobAnswer {
  readonly state: string;
  readonly vertices: readonly { readonly id: string; readonly name: string }[];
}

/** The newest checkpoint that is as wanted. */
async function checkpointOf(
  shop: ShopProcess,
  what: string,
  wanted: (checkpoint: Checkpoints["history"][number]) => boolean,
): Promise<Checkpoints["history"][number]> {
  const { history } = await shop.until<Checkpoints>(what, "/checkpoints", (answer) =>
    answer.history.some(wanted),
  );
  const found = history.find(wanted);
  if (found === undefined) throw new Error(`${what} is there`);
  return found;
}

async function vertexId(shop: ShopProcess, name: string): Promise<string> {
  const { vertices } = (await shop.get(`/jobs/${shop.jobId}`)) as JobAnswer;
  return vertices.find((vertex) => vertex.name === name)?.id ?? "";
}

/** Presses a button of the job and confirms. */
async function press(page: Page, action: string): Promise<void> {
  await page.locator(`[data-test=action-${action}]`).click();
  await page.locator("dialog[open]").waitFor();
  await page.locator("[data-test=confirm]").click();
}

const noticeIn = (page: Page) => page.locator(".notice").last();

describe.skipIf(chromiumPath() === undefined)(
  `our page in front of real jobs${chromiumPath() === undefined ? " (skipped: no Chromium here)" : ""}`,
  () => {
    let driver: PageDriver;
    let shop: ShopProcess;

    beforeAll(async () => {
      driver = await PageDriver.launch();
    });
    afterAll(() => driver.close());

    afterEach(() => driver.closePages());

    const urlOf = (view: string): string => `${shop.address}/#/jobs/${shop.jobId}/${view}`;

    async function close(page: Page): Promise<void> {
      await page.context().close();
      expect(driver.complaints.splice(0)).toEqual([]);
    }

    describe("a key that has nearly all records", () => {
      beforeAll(async () => {
        shop = new ShopProcess("skew", {});
        await shop.start();
      });
      afterAll(() => shop.close());

      /** The subtask of `totals` that gets most, counted from 1. */
      async function hotSubtask(): Promise<number> {
        const { subtasks } = (await shop.get(
          `/jobs/${shop.jobId}/vertices/${await vertexId(shop, "totals")}`,
        )) as { subtasks: readonly { metrics: { "read-records": number } }[] };
        const loads = subtasks.map(({ metrics }) => metrics["read-records"]);
        return loads.indexOf(Math.max(...loads)) + 1;
      }

      test("the waterfall names the subtask that has it, and marks the critical path", async () => {
        const slow = await checkpointOf(
          shop,
          "a slow checkpoint",
          ({ status, end_to_end_duration: ms }) => status === "COMPLETED" && ms > 2_000,
        );
        const page = await driver.open(urlOf(`checkpoints/${slow.id}`));
        const name = `totals (${await hotSubtask()}/4)`;
        await page.getByText(`${name} held it up: the barrier waited in its input`).waitFor();
        await page.getByText("most records have keys that belong to it").waitFor();
        const labels = await page.locator(".row-label.named").allTextContents();
        expect(labels).toEqual([name.replaceAll(/[()]/g, "")]);
        const path = await page.locator(".waterfall svg[role=img]").getAttribute("aria-label");
        expect(path).toMatch(/Critical path: Source: orders \(\d\/4\) .* → totals \(/);
        expect(path).toContain(name);
        const line = await page.locator(".critical-line").getAttribute("points");
        expect(line?.split(" ").length).toBeGreaterThan(3);
        await close(page);
      });

      test("the graph shows the skew, and each vertex's figures are those of REST", async () => {
        const page = await driver.open(urlOf("graph"));
        const totals = page.locator(".vertex").filter({ hasText: "totals" });
        await totals.getByText(/Skew \d/).waitFor();
        for (const name of ["Source: orders", "totals", "Sink: warehouse"]) {
          const row = page.locator("tr").filter({ has: page.getByText(name, { exact: true }) });
          const path = `/jobs/${shop.jobId}/vertices/${await vertexId(shop, name)}`;
          // The page asks every three seconds, and the rates change meanwhile.
          await expect
            .poll(
              async () => {
                const shown = await row.locator("td.number").allInnerTexts();
                const rates = (await shop.get(
                  `${path}/subtasks/metrics?get=numRecordsInPerSecond,numRecordsOutPerSecond&agg=sum`,
                )) as readonly { readonly sum: number }[];
                const { subtasks } = (await shop.get(`${path}/backpressure`)) as {
                  subtasks: readonly { readonly busyRatio: number; readonly ratio: number }[];
                };
                const wanted = [
                  ...rates.map(({ sum }) => sum),
                  Math.max(...subtasks.map(({ busyRatio }) => 100 * busyRatio)),
                  Math.max(...subtasks.map(({ ratio }) => 100 * ratio)),
                ];
                const found = shown.slice(1, 5).map(numberIn);
                return found.every((value, index) => isNear(value, wanted[index] ?? 0));
              },
              { timeout: 60_000, message: `the figures of ${name}` },
            )
            .toBe(true);
          const watermark = await row.locator("td").last().innerText();
          expect(watermark).toMatch(name === "Source: orders" ? /^–$/ : /behind/);
        }
        await totals.click();
        await page.getByText(new RegExp(`Subtask ${await hotSubtask()}/4 gets [23]`)).waitFor();
        await close(page);
      });

      test("a savepoint is taken from its button, after a confirmation", async () => {
        const page = await driver.open(urlOf("graph"));
        await press(page, "savepoint");
        await page.getByText("Savepoint: done, at").waitFor();
        const text = await noticeIn(page).innerText();
        const directory = /at (?:file:)?(\S+)/.exec(text)?.[1] ?? "";
        expect(directory).toMatch(/\bsavepoints\/savepoint-/);
        expect(existsSync(resolve(shop.folder, directory, "_metadata"))).toBe(true);
        await close(page);
      });

      test("axe finds nothing on any view, at any width, in both themes and languages", async () => {
        const found: string[] = [];
        for (const locale of ["en", "zh-CN"]) {
          for (const colorScheme of SCHEMES) {
            const page = await driver.open(shop.address, { locale, colorScheme });
            for (const width of WIDTHS) {
              await page.setViewportSize({ width, height: 900 });
              for (const tab of ["", ...TABS]) {
                const place = `${tab} ${width} ${colorScheme} ${locale}`;
                await page.goto(tab === "" ? `${shop.address}/#/` : urlOf(tab));
                await settled(page);
                found.push(...(await axeViolations(page)).map((text) => `${place}: ${text}`));
                if ((await excessOf(page)) > 0) found.push(`${place} sticks out`);
                const isShown = tab === "graph" || tab === "checkpoints";
                if (locale === "en" && isShown)
                  await picture(page, `${tab}-${width}-${colorScheme}`);
              }
            }
            await close(page);
          }
        }
        expect(found).toEqual([]);
      });

      test("all that can be operated is reached with the tabulator, and the focus is seen", async () => {
        const page = await driver.open(shop.address);
        const found: string[] = [];
        for (const tab of ["", ...TABS]) {
          await page.goto(tab === "" ? `${shop.address}/#/` : urlOf(tab));
          await settled(page);
          found.push(...(await walk(page)).map((problem) => `${tab}: ${problem}`));
        }
        expect(found).toEqual([]);
        await close(page);
      });

      test("a process that is killed and started again is found again, and says where it went on", async () => {
        const page = await driver.open(urlOf("checkpoints"));
        await page.locator(".strip-item").first().waitFor();
        await shop.kill();
        await page.locator(".banner.away").waitFor();
        expect(await page.locator(".strip-item").count()).toBeGreaterThan(1);
        await shop.start();
        await page.locator(".banner.away").waitFor({ state: "detached" });
        await page.getByText("Restored from checkpoint").waitFor();
        expect(await page.locator(".connection.reachable").count()).toBe(1);
      });

      test("the stop button ends the job with a savepoint, and says where it lies", async () => {
        await checkpointOf(shop, "a checkpoint", ({ status }) => status === "COMPLETED");
        const page = await driver.open(urlOf("graph"));
        await press(page, "stop");
        await page.getByText("Stop: done, at").waitFor({ timeout: 90_000 });
        expect(await shop.exitCode()).toBe(0);
      });
    });

    describe("a sink that is slow", () => {
      beforeAll(async () => {
        shop = new ShopProcess("slow-sink", {
          "execution.checkpointing.timeout": "3 s",
          "execution.checkpointing.tolerable-failed-checkpoints": "1000",
        });
        await shop.start();
      });
      afterAll(() => shop.close());

      test("the doctor's finding appears by itself, and its evidence leads to the checkpoint that it held up", async () => {
        const page = await driver.open(urlOf("doctor"));
        const finding = page.locator("[data-cause=backpressure-slow-sink]");
        await finding.waitFor({ timeout: 90_000 });
        expect(await finding.innerText()).toContain("Sink: warehouse");
        for (const [width, scheme] of [
          [360, "dark"],
          [768, "light"],
          [1_440, "light"],
        ] as const) {
          await page.emulateMedia({ colorScheme: scheme });
          await page.setViewportSize({ width, height: 900 });
          await picture(page, `doctor-${width}-${scheme}`);
        }
        await finding.getByRole("link", { name: /Open checkpoint \d+/ }).click();
        await page.locator(".verdict-headline", { hasText: /did not acknowledge/ }).waitFor();
        const named = await page.locator(".row-label.named").allTextContents();
        expect(named.length).toBeGreaterThan(0);
        expect(named.every((label) => /^(?:totals|Sink: warehouse) \d\/4$/.test(label))).toBe(true);
        await page
          .getByText(/Sink: warehouse/)
          .first()
          .waitFor();
        await close(page);
      });

      test("in Chinese the finding and what it speaks of are Chinese", async () => {
        const page = await driver.open(urlOf("doctor"), { locale: "zh-CN" });
        const finding = page.locator("[data-cause=backpressure-slow-sink]");
        await finding.getByText("算子", { exact: true }).waitFor();
        const texts = (
          await finding.locator("h2, h3, dt, .finding-text, a").allInnerTexts()
        ).join();
        expect(texts.match(/[A-Za-z]{3,}/g) ?? []).toEqual([]);
        await close(page);
      });
    });

    describe("a storage that fails", () => {
      beforeAll(async () => {
        shop = new ShopProcess("none", {
          "execution.checkpointing.data-inline-threshold": "0 b",
          "execution.checkpointing.tolerable-failed-checkpoints": "2",
        });
        await shop.start();
        await checkpointOf(shop, "a checkpoint", ({ status }) => status === "COMPLETED");
      });
      afterAll(() => shop.close());

      test("the page shows the failed checkpoint, its subtask and cause, the restart, and the recovery", async () => {
        const declined = /^Task name with subtask : (.+) \((\d)\/4\)/;
        const page = await driver.open(urlOf("doctor"));
        await settled(page);
        shop.set("disk-full", true);
        await page.locator("[data-cause=disk-full]").waitFor({ timeout: 90_000 });
        const failed = await checkpointOf(
          shop,
          "a checkpoint that a task declined",
          // The disk may become full when the tasks have written, and only `_metadata` is missing: that is not of a task.
          ({ failure_message }) => declined.test(failure_message ?? ""),
        );
        const [, name = "", index = ""] = declined.exec(failed.failure_message ?? "") ?? [];
        await page.getByText("The job is restarting.").waitFor({ timeout: 90_000 });
        shop.set("disk-full", false);
        await page.goto(urlOf(`checkpoints/${failed.id}`));
        await page.getByText(`${name} (${index}/4) declined the checkpoint`).waitFor();
        await page.getByText("ENOSPC: no space left on device").first().waitFor();
        expect(await page.locator(".row-label.named").allTextContents()).toEqual([
          `${name} ${index}/4`,
        ]);
        await page.locator("[data-test=tab-exceptions]").click();
        await page.getByText("Exceeded checkpoint tolerable failure threshold").first().waitFor();
        await page
          .getByText(/Cause: .*ENOSPC: no space left on device/)
          .first()
          .waitFor();
        await page.getByText("The job is restarting.").waitFor({ state: "detached" });
        await page.locator("[data-test=tab-checkpoints]").click();
        await page.getByText("Restored from checkpoint").waitFor();
        await close(page);
      });

      test("a function that throws is shown with its words, and the page outlives the restarts", async () => {
        const page = await driver.open(urlOf("exceptions"));
        shop.set("fail", true);
        await page
          .getByText(/no price for the order of customer-\d+/)
          .first()
          .waitFor();
        await page.getByText("The job is restarting.").waitFor();
        shop.set("fail", false);
        await page.getByText("The job is restarting.").waitFor({ state: "detached" });
        await shop.until<JobAnswer>("the job again", "", ({ state }) => state === "RUNNING");
        await close(page);
      });

      test("the cancel button ends the job", async () => {
        const page = await driver.open(urlOf("graph"));
        await press(page, "cancel");
        await page.getByText("Cancel: done.").waitFor();
        expect(await shop.exitCode()).not.toBe(null);
      });
    });
  },
);

/** Of `1.07 k/s` or `98 %`. */
function numberIn(text: string): number {
  const [, digits = "0", unit = ""] = /^([\d.]+) ?([kM]?)/.exec(text) ?? [];
  return Number(digits) * (unit === "k" ? 1_000 : unit === "M" ? 1_000_000 : 1);
}

/** Rates and shares of ten seconds, asked a moment apart. */
function isNear(found: number, wanted: number): boolean {
  return Math.abs(found - wanted) <= Math.max(5, 0.1 * Math.max(found, wanted));
}
