import { articleOn } from "./articles/index.ts";
import type { Language } from "./article.ts";
import type { Report, ReportFinding } from "./report.ts";
import { type Texts, textsIn } from "./texts.ts";
import { wrapText } from "./wrap-text.ts";

export interface TextOptions {
  readonly language: Language;
  readonly colour: boolean;
  /** Columns of the terminal. */
  readonly width: number;
}

/** How many further possibilities are shown in full. */
const MAX_OTHERS = 3;
const MAX_EVIDENCE = 6;

/** The report for a terminal. */
export function renderReport(report: Report, options: TextOptions): string {
  const texts = textsIn(options.language);
  const paint = painter(options.colour);
  const width = Math.max(40, Math.min(options.width, 120));
  const lines: string[] = [];
  const add = (text: string, indent = 0): void => void lines.push(...wrapText(text, width, indent));
  const verdictColour =
    report.verdict === "healthy" ? "green" : report.verdict === "cause" ? "red" : "yellow";
  const first = report.findings[0];
  const headline =
    first === undefined || report.verdict === "undetermined"
      ? articleOn("undetermined", options.language).title
      : articleOn(first.cause, options.language).title;
  lines.push(paint(`${texts.verdict[report.verdict]}: ${headline}`, verdictColour));
  lines.push(paint(summary(report, texts), "dim"));
  if (first !== undefined && report.verdict !== "undetermined")
    addFinding(lines, add, first, texts, options, paint);
  addOthers(lines, add, report, texts, options, paint);
  addOpenQuestions(lines, add, report, texts, options, paint);
  addWaysOut(lines, add, report, texts, paint);
  for (const source of report.notRead) {
    add(`${texts.notRead}: ${source.file}: ${source.problem}`);
  }
  return `${lines.join("\n")}\n`;
}

type Paint = (text: string, style: "red" | "green" | "yellow" | "bold" | "dim") => string;

function painter(colour: boolean): Paint {
  const codes = { red: "31;1", green: "32;1", yellow: "33;1", bold: "1", dim: "2" } as const;
  return (text, style) => (colour ? `\u001B[${codes[style]}m${text}\u001B[0m` : text);
}

function summary(report: Report, texts: Texts): string {
  const { completed, failed, open } = report.checkpoints;
  const parts = [
    texts.completed(completed),
    texts.failed(failed),
    ...(open > 0 ? [texts.open(open)] : []),
  ];
  const { stated, min, max } = report.flinkVersion;
  const version = stated ?? (min === max ? min : `${min}-${max}`);
  return `${texts.timeline}: ${parts.join(", ")}; ${texts.version} ${version}`;
}

function addFinding(
  lines: string[],
  add: (text: string, indent?: number) => void,
  finding: ReportFinding,
  texts: Texts,
  options: TextOptions,
  paint: Paint,
): void {
  const article = articleOn(finding.cause, options.language);
  const sure = finding.confidence >= 0.8 ? texts.sure : texts.likely;
  lines.push("");
  add(`${finding.cause} (${sure}, ${texts.confidence} ${finding.confidence.toFixed(2)})`);
  add(`${texts.where}: ${texts.place[finding.place]} / ${texts.phase[finding.phase]}`);
  for (const [name, value] of Object.entries(finding.subjects)) {
    add(`${texts.subjects[name] ?? name}: ${value}`, 2);
  }
  lines.push("", paint(texts.why, "bold"));
  add(article.why, 2);
  lines.push("", paint(texts.evidence, "bold"));
  for (const entry of finding.evidence.slice(0, MAX_EVIDENCE)) {
    add(`${entry.file}${entry.line > 0 ? `:${entry.line}` : ""}`, 2);
    add(options.language === "zh" ? (entry.zh ?? entry.text) : entry.text, 4);
  }
  lines.push("", paint(texts.fix, "bold"));
  add(article.fix, 2);
  if (finding.remedies.length > 0) {
    lines.push("", paint(texts.change, "bold"));
    for (const remedy of finding.remedies) {
      const proposed = remedy.proposed === null ? "" : ` ${texts.to} ${remedy.proposed}`;
      add(`${remedy.key}: ${remedy.current ?? texts.unset}${proposed}`, 2);
    }
  }
}

function addOthers(
  lines: string[],
  add: (text: string, indent?: number) => void,
  report: Report,
  texts: Texts,
  options: TextOptions,
  paint: Paint,
): void {
  const others = report.findings.slice(report.verdict === "undetermined" ? 0 : 1, MAX_OTHERS + 1);
  if (others.length > 0) {
    lines.push("", paint(texts.alsoFound, "bold"));
    for (const other of others) {
      add(
        `${other.cause} (${other.confidence.toFixed(2)}): ${articleOn(other.cause, options.language).title}`,
        2,
      );
    }
  }
  if (report.ruledOut.length > 0) {
    lines.push("", paint(texts.ruledOut, "bold"));
    for (const { cause, because } of report.ruledOut.slice(0, 8)) {
      add(`${cause}: ${because === "symptom" ? texts.becauseSymptom : texts.becauseWeak}`, 2);
    }
  }
}

function addOpenQuestions(
  lines: string[],
  add: (text: string, indent?: number) => void,
  report: Report,
  texts: Texts,
  _options: TextOptions,
  paint: Paint,
): void {
  if (report.wouldSettle.length === 0) return;
  if (report.checkpoints.openIds.length > 0) {
    lines.push("");
    add(texts.withoutEnd(report.checkpoints.openIds.join(", ")));
  }
  lines.push("", paint(texts.missing, "bold"));
  for (const need of report.wouldSettle) add(texts.settle[need], 2);
}

function addWaysOut(
  lines: string[],
  add: (text: string, indent?: number) => void,
  report: Report,
  texts: Texts,
  paint: Paint,
): void {
  if (report.waysOut.length === 0 || report.verdict === "healthy") return;
  lines.push("", paint(texts.wayOut, "bold"));
  for (const way of report.waysOut) {
    add(
      way.command === null ? `${way.path}: ${texts.unusable}` : `${way.path}: ${texts.restoreWith}`,
      2,
    );
    if (way.command !== null) add(way.command, 4);
  }
}
