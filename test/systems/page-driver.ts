import { mkdirSync } from "node:fs";
import { join } from "node:path";
import axe from "axe-core";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";

import { CHROMIUM_ARGUMENTS, chromiumPath } from "./chromium.ts";

export const WIDTHS = [360, 768, 1_440] as const;
export const SCHEMES = ["light", "dark"] as const;

/** Where pictures go, if they are wanted. */
const PICTURES = process.env["CUTWATER_SCREENSHOTS"];

/** A browser, and what its pages complained of. */
export class PageDriver {
  readonly #browser: Browser;
  /** Errors and warnings of pages, and requests to another server. */
  readonly complaints: string[] = [];

  private constructor(browser: Browser) {
    this.#browser = browser;
  }

  static async launch(): Promise<PageDriver> {
    const args = [...CHROMIUM_ARGUMENTS];
    return new PageDriver(await chromium.launch({ executablePath: chromiumPath() ?? "", args }));
  }

  async open(url: string, options: BrowserContextOptions = {}): Promise<Page> {
    const context = await this.#browser.newContext({
      viewport: { width: 1_440, height: 900 },
      locale: "en",
      ...options,
    });
    context.setDefaultTimeout(60_000);
    const page = await context.newPage();
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning")
        this.complaints.push(`${message.text()} ${message.location().url}`);
    });
    page.on("pageerror", (error) => this.complaints.push(error.message));
    const { origin } = new URL(url);
    page.on("request", (request) => {
      if (!request.url().startsWith(origin)) this.complaints.push(`asked for ${request.url()}`);
    });
    await page.goto(url);
    return page;
  }

  /** Leaves nothing of a test to the next. */
  async closePages(): Promise<void> {
    await Promise.all(this.#browser.contexts().map((context) => context.close()));
    this.complaints.length = 0;
  }

  close(): Promise<void> {
    return this.#browser.close();
  }
}

/** Waits until a view is there. */
export async function settled(page: Page): Promise<void> {
  await page.locator("h1").waitFor();
  await page.locator(".awaited").first().waitFor({ state: "detached" });
}

/** Takes a picture, if pictures are wanted; the page is as high as it must be, up to a limit. */
export async function picture(page: Page, name: string, maxHeight = 1_800): Promise<void> {
  if (PICTURES === undefined) return;
  mkdirSync(PICTURES, { recursive: true });
  const width = page.viewportSize()?.width ?? 1_440;
  const height = await page.evaluate<number>("document.documentElement.scrollHeight");
  await page.screenshot({
    path: join(PICTURES, `page-${name}.png`),
    fullPage: true,
    clip: { x: 0, y: 0, width, height: Math.min(height, maxHeight) },
  });
}

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
  }[];
}

/** What axe finds wrong with the page as it stands. */
export async function axeViolations(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<AxeResult>(
    "axe.run(document, { resultTypes: ['violations'] })",
  );
  return violations.map(
    ({ id, nodes }) =>
      `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join("; ")}`,
  );
}

/** How far the page sticks out to the side, in pixels. */
export function excessOf(page: Page): Promise<number> {
  return page.evaluate<number>(
    "document.documentElement.scrollWidth - document.documentElement.clientWidth",
  );
}

/** Unfolds all, marks what can be operated, and counts it. Rows that the arrows lead to are one stop together. */
const MARK = `(() => {
  for (const details of document.querySelectorAll("details")) details.open = true;
  const all = [...document.querySelectorAll("a[href], button, input, select, summary, [tabindex='0']")];
  const operable = all.filter((one) => one.tabIndex >= 0 && !one.disabled && one.getClientRects().length > 0);
  operable.forEach((one, index) => { one.dataset.walk = String(index); });
  document.activeElement?.blur();
  return operable.length;
})()`;

/** Where the focus is, and whether one sees it. */
const FOCUSED = `(() => {
  const one = document.activeElement;
  if (one === null || one === document.body) return undefined;
  const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(one);
  const isVisible = (outlineStyle !== "none" && parseFloat(outlineWidth) > 0) || boxShadow !== "none";
  return { index: one.dataset.walk, name: one.outerHTML.slice(0, 120), isVisible };
})()`;

interface Focused {
  readonly index: string | undefined;
  readonly name: string;
  readonly isVisible: boolean;
}

/** Goes through the page with the tabulator. @returns What cannot be reached, and where the focus is not seen. */
export async function walk(page: Page): Promise<readonly string[]> {
  const count = await page.evaluate<number>(MARK);
  const reached = new Set<string>();
  const problems: string[] = [];
  for (let step = 0; step < count * 2 + 10 && reached.size < count; step++) {
    await page.keyboard.press("Tab");
    const focused = await page.evaluate<Focused | undefined>(FOCUSED);
    if (focused?.index === undefined || reached.has(focused.index)) continue;
    reached.add(focused.index);
    if (!focused.isVisible) problems.push(`focus is not seen at ${focused.name}`);
  }
  for (let index = 0; index < count; index++) {
    if (reached.has(String(index))) continue;
    const html = await page
      .locator(`[data-walk='${index}']`)
      .first()
      .evaluate((one) => (one as { outerHTML: string }).outerHTML.slice(0, 120))
      .catch(() => undefined);
    // A view that was drawn anew while the walk went on has lost its marks.
    if (html !== undefined) problems.push(`not reached: ${html}`);
  }
  return problems;
}
