import type { Diagnosis, Verdict } from "../diagnosis.ts";
import { type CauseCode, CAUSES, causeFact } from "../cause-codes.ts";
import type { Language } from "./article.ts";
import { articleOn } from "./articles/index.ts";
import { renderReport, type TextOptions } from "./render-text.ts";
import { reportOf } from "./report.ts";
import { textsIn } from "./texts.ts";
import { wrapText } from "./wrap-text.ts";

/** The diagnosis for a terminal. */
export function renderText(diagnosis: Diagnosis, options: TextOptions): string {
  return renderReport(reportOf(diagnosis), options);
}

/** The diagnosis for another program. */
export function renderJson(diagnosis: Diagnosis): string {
  return `${JSON.stringify(reportOf(diagnosis), undefined, 2)}\n`;
}

/** The diagnosis as one self-contained page. What makes it is loaded only here. */
export async function renderHtml(diagnosis: Diagnosis, language: Language): Promise<string> {
  const { htmlReport } = await import("./html/render-html.ts");
  return htmlReport(reportOf(diagnosis), language);
}

/** The exit code for CI. Bad usage is 3, as are inputs none of which could be read. */
export function exitCodeOf(verdict: Verdict): 0 | 1 | 2 {
  if (verdict === "healthy") return 0;
  return verdict === "cause" ? 1 : 2;
}

/** True if not one of the inputs could be read. */
export function nothingRead(diagnosis: Diagnosis): boolean {
  return diagnosis.facts.evidence.sources.every((source) => source.problem !== undefined);
}

/** The article on a cause, for `explain`. */
export function explainCause(code: CauseCode, options: TextOptions): string {
  const article = articleOn(code, options.language);
  const texts = textsIn(options.language);
  const width = Math.max(40, Math.min(options.width, 120));
  return `${[
    `${code}: ${article.title}`,
    "",
    ...wrapText(`${texts.where}: ${whereText(code, options.language)}`, width, 0),
    "",
    texts.why,
    ...wrapText(article.why, width, 2),
    "",
    texts.fix,
    ...wrapText(article.fix, width, 2),
  ].join("\n")}\n`;
}

/** In which part of a checkpoint, and in which phase of its life, a cause lies. */
export function whereText(code: CauseCode, language: Language): string {
  const texts = textsIn(language);
  const { place, phase } = causeFact(code);
  return `${texts.place[place]} / ${texts.phase[phase]}`;
}

/** Codes and titles, for completion and for the list that `explain` prints. */
export function listCauses(
  language: Language,
): readonly { readonly code: CauseCode; readonly title: string }[] {
  return Object.keys(CAUSES).map((code) => ({
    code: code as CauseCode,
    title: articleOn(code as CauseCode, language).title,
  }));
}
