import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import axe from "axe-core";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";

import { FakeFlinkServer } from "./dashboard/fake-flink-server.ts";
import { buildPage, CHROMIUM_ARGUMENTS, findChromium } from "./dashboard/page-under-test.ts";
import { historyText } from "./dashboard/saved-history.ts";
import { JOB_ID, VERTICES } from "./dashboard/troubled-job.ts";

const MAX_PAGE_BYTES = 80 * 1_024;
const executablePath = findChromium();
const SCREENSHOTS =
  process.env["CUTWATER_SCREENSHOTS"] ?? join(tmpdir(), "cutwater-page-screenshots");
const TABS = ["graph", "checkpoints/8?compare=6", "doctor", "exceptions", "configuration", "logs"];

let pageFolder: string;

beforeAll(async () => {
  pageFolder = await buildPage();
  await mkdir(SCREENSHOTS, { recursive: true });
});

afterAll(() => rm(pageFolder, { recursive: true, force: true }));

test("the built page is small enough to ship", async () => {
  const names = await readdir(pageFolder);
  const sizes = await Promise.all(
    names.map(
      async (name) => gzipSync(await readFile(join(pageFolder, name)), { level: 9 }).length,
    ),
  );
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MAX_PAGE_BYTES);
});

test("the built page has no inline code or style, so that it runs under the strictest policy", async () => {
  const html = await readFile(join(pageFolder, "index.html"), "utf8");
  expect(html).not.toMatch(/<script(?![^>]*\bsrc=)/);
  expect(html).not.toMatch(/<style|\sstyle=|\son\w+=/);
});

describe.skipIf(executablePath === undefined)(
  "in Chromium (left out where none is found; CHROMIUM_PATH names one)",
  () => {
    let browser: Browser;
    let server: FakeFlinkServer;
    /** Whatever a page complained of, or asked of another server. */
    const complaints: string[] = [];

    beforeAll(async () => {
      server = new FakeFlinkServer({ pageFolder, hasExtras: true, history: historyText() });
      await server.start();
      browser = await chromium.launch({
        executablePath: executablePath ?? "",
        args: CHROMIUM_ARGUMENTS,
      });
    });

    afterAll(async () => {
      await browser.close();
      await server.stop();
    });

    beforeEach(() => {
      complaints.length = 0;
    });

    async function open(
      address: string,
      options: BrowserContextOptions = {},
      from = server,
    ): Promise<Page> {
      const context = await browser.newContext({
        viewport: { width: 1_440, height: 900 },
        locale: "en",
        ...options,
      });
      const page = await context.newPage();
      page.on("console", (message) => {
        if (message.type() === "error" || message.type() === "warning")
          complaints.push(message.text());
      });
      page.on("pageerror", (error) => complaints.push(error.message));
      page.on("request", (request) => {
        if (!request.url().startsWith(from.address)) complaints.push(`asked for ${request.url()}`);
      });
      await page.goto(from.address + address);
      return page;
    }

    const openTab = (tab: string, options?: BrowserContextOptions): Promise<Page> =>
      open(`#/jobs/${JOB_ID}/${tab}`, options);

    async function close(page: Page): Promise<void> {
      await page.context().close();
      expect(complaints.splice(0)).toEqual([]);
    }

    /** Waits until nothing is on its way any more. */
    async function settled(page: Page): Promise<void> {
      await page.locator("h1").waitFor();
      await page.locator(".awaited").first().waitFor({ state: "detached" });
      await page.waitForLoadState("load");
    }

    test.each([
      [
        7,
        "totals-per-customer (1/4) held it up: the barrier waited in its input",
        ["totals-per-customer 1/4"],
      ],
      [
        8,
        "totals-per-customer (1/4) did not acknowledge within 10 s.",
        ["totals-per-customer 1/4"],
      ],
      [
        9,
        "warehouse: Writer -> warehouse: Committer (1/2) did not acknowledge",
        ["warehouse: Writer -> warehouse: Committer 1/2"],
      ],
      [
        10,
        "All 4 subtasks of totals-per-customer did not acknowledge",
        [1, 2, 3, 4].map((index) => `totals-per-customer ${index}/4`),
      ],
    ])("the waterfall of checkpoint %i names who held it up", async (id, headline, named) => {
      const page = await openTab(`checkpoints/${id}`);
      await page.locator(".row-label.named").first().waitFor();
      expect(await page.locator(".verdict-headline").innerText()).toContain(headline);
      const labels = await page
        .locator(".row-label.named")
        .evaluateAll((rows) => rows.map((row) => row.textContent));
      expect(labels).toEqual(named);
      const picture = page.locator(".waterfall svg[role=img]");
      expect(await picture.getAttribute("aria-label")).toContain("Critical path: Source: orders");
      await close(page);
    });

    test("a quick checkpoint blames nobody", async () => {
      const page = await openTab("checkpoints/3");
      expect(await page.locator(".verdict-headline").innerText()).toContain("Nothing held it up");
      expect(await page.locator(".row-label.named").count()).toBe(0);
      await close(page);
    });

    test("two checkpoints are compared by the subtask that made the difference", async () => {
      const page = await openTab("checkpoints/7");
      await page.locator("[data-test=compare]").selectOption("6");
      const comparison = page.locator("[data-test=comparison]");
      await comparison.waitFor();
      expect(await comparison.innerText()).toContain(
        "totals-per-customer (1/4), Start delay, +6.77 s",
      );
      expect(await page.locator("[data-test=waterfall]").count()).toBe(2);
      await close(page);
    });

    test("a checkpoint is chosen with the keyboard alone", async () => {
      const page = await openTab("checkpoints/8");
      const eighth = page.locator("[data-checkpoint='8']");
      await eighth.focus();
      await page.keyboard.press("Tab");
      await page.keyboard.press("Enter");
      await page.waitForURL(/checkpoints\/9/);
      expect(await page.locator("[data-checkpoint='9']").getAttribute("aria-pressed")).toBe("true");
      await page.getByText("Committer (1/2) did not acknowledge").waitFor();
      await page.locator(".row-label.named").focus();
      await page.keyboard.press("ArrowDown");
      expect(await page.locator(".readout").innerText()).toContain("warehouse: Committer (2/2)");
      await close(page);
    });

    test("the buttons ask first and call Flink's paths", async () => {
      const page = await openTab("graph");
      const press = async (action: string, before?: () => Promise<void>): Promise<void> => {
        await page.locator(`[data-test=action-${action}]`).click();
        await page.locator("dialog[open]").waitFor();
        await before?.();
        await page.locator("[data-test=confirm]").click();
      };
      await page.locator("[data-test=action-cancel]").click();
      await page.locator("dialog[open]").waitFor();
      await page.keyboard.press("Escape");
      await page.locator("dialog").waitFor({ state: "detached" });
      expect(server.calls).toEqual([]);

      await press("savepoint");
      await page
        .getByText("Savepoint: done, at file:/data/savepoints/savepoint-5f1d7a-12")
        .waitFor();
      await press("stop", async () => {
        await page.locator("[data-test=target-directory]").fill("file:/data/mine");
        await page.locator("[data-test=drain]").check();
      });
      await page.getByText("Stop: done").waitFor();
      await press("checkpoint");
      await page.getByText("Checkpoint: done").waitFor();
      await press("cancel");
      await page.getByText("Cancel: done.").waitFor();
      const job = `jobs/${JOB_ID}`;
      expect(server.calls).toEqual([
        {
          method: "POST",
          path: `${job}/savepoints`,
          body: { "cancel-job": false, formatType: "CANONICAL" },
        },
        {
          method: "POST",
          path: `${job}/stop`,
          body: { drain: true, formatType: "CANONICAL", targetDirectory: "file:/data/mine" },
        },
        { method: "POST", path: `${job}/checkpoints`, body: { checkpointType: "CONFIGURED" } },
        { method: "PATCH", path: `${job}?mode=cancel`, body: undefined },
      ]);
      await close(page);
    });

    test("the graph shows the flow, the pressure and the skew, and opens a vertex", async () => {
      const page = await openTab("graph");
      const totals = page.locator(".vertex").filter({ hasText: "totals-per-customer" });
      await totals.getByText("Skew 3.7×").waitFor();
      expect(await totals.innerText()).toMatch(/Busy\s+99 %[\s\S]*10\.9 k\/s/);
      await totals.click();
      await page.getByText("Subtask 1/4 gets 3.7× the mean").waitFor();
      await close(page);
    });

    test("the doctor's evidence leads to the checkpoint, and what is in one can be seen", async () => {
      const page = await openTab("doctor");
      await page.getByRole("link", { name: "Open checkpoint 8" }).click();
      await page.getByText("did not acknowledge within 10 s").waitFor();
      await page.locator("[data-checkpoint='11']").click();
      await page.locator("[data-test=inspect]").click();
      await page.getByText("struct<count: long, sum: double>").waitFor();
      await close(page);
    });

    test("the configuration says where each value came from", async () => {
      const page = await openTab("configuration");
      await page.getByText("cutwater.yaml:4").waitFor();
      await page.getByRole("searchbox").fill("parallelism");
      expect(await page.locator("tbody tr").allInnerTexts()).toEqual([
        expect.stringContaining("CUTWATER_PARALLELISM"),
      ]);
      await close(page);
    });

    test("while the server is away the page says so and keeps what it knows, then goes on", async () => {
      const page = await openTab("graph");
      await settled(page);
      await server.stop();
      await page.locator(".banner.away").waitFor();
      expect(await page.locator("h1").innerText()).toContain("orders");
      server.job.state = "RESTARTING";
      await server.start();
      await page.getByText("The job is restarting.").waitFor({ timeout: 30_000 });
      expect(await page.locator(".connection.reachable").count()).toBe(1);
      server.job.state = "RUNNING";
      await page
        .getByText("The job is restarting.")
        .waitFor({ state: "detached", timeout: 30_000 });
      complaints.length = 0;
      await close(page);
    });

    test("a job that came back under another id is found again", async () => {
      const page = await open(`#/jobs/${"0".repeat(32)}/graph`);
      await page.getByText("This job is not known to the server any more").waitFor();
      await page.getByRole("link", { name: "Open the running job orders" }).click();
      await page.locator(".vertex").first().waitFor();
      // The browser itself writes down each 404.
      complaints.length = 0;
      await close(page);
    });

    test("in Chinese no English is left", async () => {
      const page = await open("#/", { locale: "zh-CN" });
      const data = [
        ...VERTICES.map(({ name }) => name),
        "orders",
        "Cutwater",
        "English",
        "FORWARD",
        "HASH",
        "REBALANCE",
        "exactly_once",
      ];
      const left = new Set<string>();
      for (const tab of ["", ...TABS]) {
        await page.goto(`${server.address}#/${tab === "" ? "" : `jobs/${JOB_ID}/${tab}`}`);
        await settled(page);
        for (const text of await page.evaluate<readonly string[]>(VISIBLE_TEXTS)) {
          const own = data.reduce((rest, word) => rest.replaceAll(word, ""), text);
          for (const [word] of own.matchAll(/[A-Za-z]{3,}/g))
            left.add(`${tab}: ${word} in “${text}”`);
        }
      }
      const isFromServer = /Checkpoint expired|npx cutwater|min\b/;
      expect([...left].filter((line) => !isFromServer.test(line))).toEqual([]);
      expect(await page.evaluate("document.documentElement.lang")).toBe("zh-Hans");
      await page.locator("[data-test=language]").click();
      await page.getByRole("heading", { name: "Logs" }).waitFor();
      await close(page);
    });

    test("dark is dark, by the system and by choice", async () => {
      const page = await openTab("graph", { colorScheme: "dark" });
      const ground = (): Promise<string> =>
        page.evaluate("getComputedStyle(document.documentElement).backgroundColor");
      expect(await ground()).toBe("rgb(14, 21, 28)");
      await page.locator(".theme-choice select").selectOption("light");
      expect(await ground()).toBe("rgb(244, 246, 248)");
      await page.reload();
      await settled(page);
      expect(await ground()).toBe("rgb(244, 246, 248)");
      await close(page);
    });

    test.each([
      ["light", "en"],
      ["dark", "zh-CN"],
    ] as const)(
      "axe finds nothing, %s, %s",
      async (colorScheme, locale) => {
        const page = await open("#/", { colorScheme, locale });
        const found: unknown[] = [];
        for (const route of [
          "#/",
          ...TABS.map((tab) => `#/jobs/${JOB_ID}/${tab}`),
          `#/jobs/${JOB_ID}/graph/${VERTICES[2]?.id}`,
        ]) {
          await page.goto(server.address + route);
          await settled(page);
          await page
            .locator(".as-table summary")
            .evaluateAll((all) => all.forEach((one) => one.click()));
          found.push(...(await axeViolations(page)).map((violation) => `${route}: ${violation}`));
        }
        await page.locator("[data-test=action-stop]").click();
        found.push(...(await axeViolations(page)));
        expect(found).toEqual([]);
        await close(page);
      },
      240_000,
    );

    test.each([360, 768, 1_440])(
      "at %i px nothing sticks out sideways",
      async (width) => {
        for (const colorScheme of ["light", "dark"] as const) {
          const page = await open("#/", { viewport: { width, height: 900 }, colorScheme });
          for (const tab of ["", ...TABS]) {
            await page.goto(`${server.address}#/${tab === "" ? "" : `jobs/${JOB_ID}/${tab}`}`);
            await settled(page);
            const excess = await page.evaluate<number>(
              "document.documentElement.scrollWidth - document.documentElement.clientWidth",
            );
            expect(`${tab}: ${excess}`).toBe(`${tab}: 0`);
            const name = `${tab.split(/\W/)[0] || "jobs"}-${width}-${colorScheme}.png`;
            await page.screenshot({ path: join(SCREENSHOTS, name), fullPage: true });
          }
          await close(page);
        }
      },
      240_000,
    );

    test("a saved history opens without any job, and unreadable lines are named", async () => {
      const page = await open("?history=history.jsonl");
      await page.getByText("totals (2/2) declined the checkpoint after 400 ms.").waitFor();
      await page.getByText("Reason given: IOException: No space left on device").first().waitFor();
      await page.getByText("Lines that could not be read: 3 (not JSON)").waitFor();
      expect(await page.locator(".strip-item").count()).toBe(2);
      await page.locator("[data-test=history-file]").setInputFiles({
        name: "history.jsonl",
        mimeType: "application/json",
        buffer: Buffer.from(historyText().split("\n")[0] ?? ""),
      });
      await page.getByText("Nothing held it up").waitFor();
      await close(page);
    });

    test("an address on another server is refused", async () => {
      const page = await open("?rest=//elsewhere.example/");
      await page.getByText("is not on this server").waitFor();
      await page.getByRole("link", { name: "orders" }).waitFor();
      await close(page);
    });

    test("a Flink, which has no extras, is shown without a complaint", async () => {
      const flink = new FakeFlinkServer({ pageFolder, hasExtras: false });
      await flink.start();
      const page = await open(`#/jobs/${JOB_ID}/doctor`, {}, flink);
      await page.getByText("This server has no doctor").waitFor();
      await page.locator("[data-test=tab-configuration]").click();
      await page.getByText("This server does not say where a value comes from.").waitFor();
      await page.getByText("state.backend.type").waitFor();
      await page.locator("[data-test=tab-checkpoints]").click();
      await page.locator(".verdict-headline").waitFor();
      await close(page);
      await flink.stop();
    });
  },
);

/** Runs in the page: the texts that a reader sees, without what is data. */
const VISIBLE_TEXTS = `(() => {
  const data = ".mono, code, pre, noscript, script, .finding, .other-findings, .log-file, .verdict, .is-named";
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const texts = [];
  while (walker.nextNode()) {
    if (!walker.currentNode.parentElement.closest(data)) texts.push(walker.currentNode.textContent);
  }
  return texts;
})()`;

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
  }[];
}

async function axeViolations(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<AxeResult>(
    "axe.run(document, { resultTypes: ['violations'] })",
  );
  return violations.map(
    ({ id, nodes }) =>
      `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join("; ")}`,
  );
}
