import type { Language } from "../article.ts";
import { articleOn } from "../articles/index.ts";
import type { ReportFinding, ReportLine } from "../report.ts";
import type { Texts } from "../texts.ts";
import { type Markup, markup } from "./markup.ts";
import type { PageTexts } from "./page-texts.ts";

/** The words of a page. */
export interface PageContext {
  readonly texts: Texts;
  readonly page: PageTexts;
  readonly language: Language;
}

/** One finding: where, why, on what evidence, and what to change. */
export function findingSection(
  finding: ReportFinding,
  { texts, page, language }: PageContext,
): Markup {
  const article = articleOn(finding.cause, language);
  const sure = finding.confidence >= 0.8 ? texts.sure : texts.likely;
  const subjects = Object.entries(finding.subjects).map(
    ([name, value]) =>
      markup`<tr>
        <th>${texts.subjects[name] ?? name}</th>
        <td><code>${value}</code></td>
      </tr> `,
  );
  const remedies = finding.remedies.map(
    ({ key, current, proposed }) =>
      markup`<tr>
        <td><code>${key}</code></td>
        <td><code>${current ?? texts.unset}</code></td>
        <td><code>${proposed ?? ""}</code></td>
      </tr> `,
  );
  return markup`<section class="finding">
    <h2>${article.title}</h2>
    <p>
      <code>${finding.cause}</code>
      <span class="dim">(${sure}, ${texts.confidence} ${finding.confidence.toFixed(2)})</span><br />
      <span class="place"
        >${texts.where}: ${texts.place[finding.place]} / ${texts.phase[finding.phase]}</span
      >
    </p>
    ${
      subjects.length === 0
        ? undefined
        : markup`<table>
            ${subjects}
          </table>`
    }
    <h3>${texts.why}</h3>
    <p>${article.why}</p>
    ${
      finding.evidence.length === 0
        ? undefined
        : markup`<h3>${texts.evidence}</h3>
            ${quotes(finding.evidence, language)}`
    }
    <h3>${texts.fix}</h3>
    <p>${article.fix}</p>
    ${
      remedies.length === 0
        ? undefined
        : markup`<h3>${texts.change}</h3>
            <table>
              <thead>
                <tr>
                  <th>${page.option}</th>
                  <th>${page.current}</th>
                  <th>${page.proposed}</th>
                </tr>
              </thead>
              <tbody>
                ${remedies}
              </tbody>
            </table>`
    }
  </section> `;
}

/** Quoted lines, each under its file and line. */
export function quotes(lines: readonly ReportLine[], language: Language): readonly Markup[] {
  return lines.map(
    (entry) =>
      markup`<div>
        <code class="dim">${entry.file}${entry.line > 0 ? `:${entry.line}` : ""}</code>
        <div class="quote">${language === "zh" ? (entry.zh ?? entry.text) : entry.text}</div>
      </div> `,
  );
}
