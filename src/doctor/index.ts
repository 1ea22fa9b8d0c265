export {
  type CauseCode,
  causeFact,
  CAUSES,
  isCauseCode,
  type TrianglePlace,
} from "./cause-codes.ts";
export { type Diagnosis, diagnoseEvidence, type Verdict } from "./diagnosis.ts";
export { diagnose, type DiagnoseOptions } from "./diagnose.ts";
export { type DoctorInput, readEvidence } from "./evidence/input-reader.ts";
export { isReadBy, sameOption } from "./analysis/option-names.ts";
export { parseRelease } from "./analysis/flink-version.ts";
export { shownPath } from "./evidence/clean-text.ts";
export { loadComparison, loadLint } from "./lazy-parts.ts";
export type { LintFinding } from "./lint/lint-finding.ts";
export type { Article, Language } from "./report/article.ts";
export { articleOn } from "./report/articles/index.ts";
export {
  exitCodeOf,
  explainCause,
  listCauses,
  nothingRead,
  renderHtml,
  renderJson,
  renderText,
  whereText,
} from "./report/render.ts";
export type { TextOptions } from "./report/render-text.ts";
export { type Report, reportOf } from "./report/report.ts";
export { type News, newsIn, renderNews } from "./report/report-news.ts";
export { subjectNamesIn } from "./report/texts.ts";
export { RULES } from "./rules/index.ts";
export type { Finding, Remedy, Rule } from "./rules/rule.ts";
