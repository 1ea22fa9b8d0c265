import { sizeText } from "../../analysis/quantities.ts";
import type { Language } from "../article.ts";
import { articleOn } from "../articles/index.ts";
import type { Report } from "../report.ts";
import { textsIn } from "../texts.ts";
import { findingSection, type PageContext, quotes } from "./finding-section.ts";
import { Markup, markup } from "./markup.ts";
import { PAGE_STYLE, PAGE_STYLE_SHA256 } from "./page-style.ts";
import { pageTextsIn } from "./page-texts.ts";
import { durationText, timelineChart } from "./timeline-chart.ts";

const MAX_ROWS = 100;

/**
 * The report as one page that needs nothing else: no script, no network, one style sheet.
 *
 * @remarks
 * Its own content security policy forbids everything but that style sheet, so that text of a forged log could do nothing even if it
 * were not escaped.
 */
export function htmlReport(report: Report, language: Language): string {
  const context: PageContext = { texts: textsIn(language), page: pageTextsIn(language), language };
  const first = report.findings[0];
  const isNamed = first !== undefined && report.verdict !== "undetermined";
  const headline = articleOn(isNamed ? first.cause : "undetermined", language).title;
  const policy = `default-src 'none'; style-src 'sha256-${PAGE_STYLE_SHA256}'`;
  const page = markup`<!doctype html>
    <html lang="${language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="referrer" content="no-referrer" />
        <meta http-equiv="Content-Security-Policy" content="${policy}" />
        <title>${context.page.title}: ${headline}</title>
        <style>${new Markup(PAGE_STYLE)}</style>
      </head>
      <body>
        <header class="verdict ${report.verdict}">
          <h1>${context.texts.verdict[report.verdict]}: ${headline}</h1>
          <p class="dim">${summaryOf(report, context)}</p>
        </header>
        <main>
          ${isNamed ? chainSection(report, context) : undefined}
          ${report.findings.map((finding) => findingSection(finding, context))}
          ${settleSection(report, context)} ${wayOutSection(report, context)}
          ${timelineSection(report, context)} ${ruledOutSection(report, context)}
          ${notReadSection(report, context)}
        </main>
      </body>
    </html> `;
  return page.text;
}

function summaryOf(report: Report, { texts }: PageContext): string {
  const { completed, failed, open } = report.checkpoints;
  const { stated, min, max } = report.flinkVersion;
  const parts = [texts.completed(completed), texts.failed(failed)];
  if (open > 0) parts.push(texts.open(open));
  return `${texts.timeline}: ${parts.join(", ")}; ${texts.version} ${stated ?? (min === max ? min : `${min}-${max}`)}`;
}

/** The symptoms that were folded into the first finding, the cause last. */
function chainSection(report: Report, context: PageContext): Markup | undefined {
  const root = report.findings[0];
  const symptoms = report.symptoms.filter((symptom) => symptom.of === root?.cause);
  if (root === undefined || symptoms.length === 0) return undefined;
  const steps = [...symptoms, { cause: root.cause, evidence: root.evidence }].map(
    ({ cause, evidence }) =>
      markup`<li>
        <code>${cause}</code>
        ${articleOn(cause, context.language).title}${quotes(evidence.slice(0, 1), context.language)}
      </li> `,
  );
  return markup`<section>
    <h2>${context.page.chain}</h2>
    <ol class="chain">
      ${steps}
    </ol>
  </section>`;
}

function settleSection(report: Report, { texts }: PageContext): Markup | undefined {
  if (report.wouldSettle.length === 0) return undefined;
  const open = report.checkpoints.openIds;
  return markup`<section>
    <h2>${texts.missing}</h2>
    ${open.length === 0 ? undefined : markup`<p>${texts.withoutEnd(open.join(", "))}</p>`}
    <ul>
      ${report.wouldSettle.map((need) => markup`<li>${texts.settle[need]}</li>`)}
    </ul>
  </section>`;
}

function wayOutSection(report: Report, { texts }: PageContext): Markup | undefined {
  if (report.waysOut.length === 0 || report.verdict === "healthy") return undefined;
  const ways = report.waysOut.map((way) =>
    way.command === null
      ? markup`<li><code>${way.path}</code>: ${texts.unusable}</li>`
      : markup`<li>
          <code>${way.path}</code>: ${texts.restoreWith}
          <pre class="quote">${way.command}</pre>
        </li>`,
  );
  return markup`<section>
    <h2>${texts.wayOut}</h2>
    <ul>
      ${ways}
    </ul>
  </section>`;
}

function timelineSection(report: Report, { texts, page }: PageContext): Markup | undefined {
  if (report.timeline.length === 0) return undefined;
  const shown = report.timeline.slice(-MAX_ROWS);
  const rows = shown.map((checkpoint) => {
    const missing =
      checkpoint.notAcknowledged.length === 0
        ? undefined
        : markup`<br />${page.notAcknowledged}: ${checkpoint.notAcknowledged.join(", ")}`;
    const reason =
      checkpoint.reason === null
        ? undefined
        : markup`<br /><span class="dim">${checkpoint.reason.slice(0, 400)}</span>`;
    return markup`<tr>
      <td class="number">
        ${checkpoint.checkpointId}${checkpoint.isSavepoint ? ` (${page.savepoint})` : ""}
      </td>
      <td>${momentText(checkpoint.triggeredAtMs)}</td>
      <td class="number">
        ${checkpoint.durationMs === null ? "" : durationText(checkpoint.durationMs)}
      </td>
      <td class="number">
        ${checkpoint.sizeBytes === null ? "" : sizeText(checkpoint.sizeBytes)}
      </td>
      <td>
        <span class="${checkpoint.outcome}">${page.outcome[checkpoint.outcome]}</span
        >${missing}${reason}
      </td>
      <td><code>${checkpoint.file}${checkpoint.line > 0 ? `:${checkpoint.line}` : ""}</code></td>
    </tr> `;
  });
  const left = report.timeline.length - shown.length;
  return markup`<section>
    <h2>${page.timeline}</h2>
    <p class="dim">${page.timelineNote}</p>
    <div class="scroll">
      ${timelineChart(report.timeline, page.timeline, (outcome) => page.outcome[outcome])}
    </div>
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th>${texts.checkpoint}</th>
            <th>${page.started}</th>
            <th>${page.took}</th>
            <th>${page.size}</th>
            <th>${page.end}</th>
            <th>${texts.evidence}</th>
          </tr>
        </thead>
        <tbody>
          ${rows}
        </tbody>
      </table>
    </div>
    ${left > 0 ? markup`<p class="dim">${page.older(left)}</p>` : undefined}
  </section>`;
}

function momentText(atMs: number | null): string {
  return atMs === null ? "" : new Date(atMs).toISOString().slice(0, 23).replace("T", " ");
}

function ruledOutSection(report: Report, { texts, language }: PageContext): Markup {
  const ruled = report.ruledOut.map(
    ({ cause, because }) =>
      markup`<li>
        <code>${cause}</code> ${articleOn(cause, language).title}:
        ${because === "symptom" ? texts.becauseSymptom : texts.becauseWeak}
      </li> `,
  );
  const open = report.notAssessed.map(
    ({ cause, needs }) =>
      markup`<li><code>${cause}</code>: ${needs.map((need) => texts.needs[need]).join(", ")}</li> `,
  );
  return markup`<section>
    ${
      ruled.length === 0
        ? undefined
        : markup`<h2>${texts.ruledOut}</h2>
            <ul>
              ${ruled}
            </ul>`
    }
    ${
      open.length === 0
        ? undefined
        : markup`<details>
            <summary>${texts.notAssessed} (${open.length})</summary>
            <ul>
              ${open}
            </ul>
          </details>`
    }
  </section>`;
}

function notReadSection(report: Report, { texts }: PageContext): Markup | undefined {
  if (report.notRead.length === 0) return undefined;
  const rows = report.notRead.map(
    ({ file, problem }) => markup`<li><code>${file}</code>: ${problem}</li>`,
  );
  return markup`<section>
    <h2>${texts.notRead}</h2>
    <ul>
      ${rows}
    </ul>
  </section>`;
}
