import type { Language } from "../report/article.ts";
import { cleanText, shownPath } from "../evidence/clean-text.ts";
import type { LintFinding } from "./lint-finding.ts";
import { lintMessage, lintSummary, severityText } from "./lint-texts.ts";

/** Version of the JSON form. A change that breaks readers raises it. */
const LINT_VERSION = 1;

/** One line a finding, as compilers write them: `file:line:column: severity: key: message`. */
export function renderLint(
  file: string,
  findings: readonly LintFinding[],
  language: Language,
): string {
  const lines = findings.map((finding) => {
    const { key, line, column, severity, code } = finding;
    const subject = key === "" ? "" : `${cleanText(key)}: `;
    return `${shownPath(file)}:${line}:${column}: ${severityText(severity, language)}: ${subject}${lintMessage(finding, language)} [${code}]`;
  });
  return `${[...lines, lintSummary(findings, language)].join("\n")}\n`;
}

/** The findings for another program. */
export function renderLintJson(file: string, findings: readonly LintFinding[]): string {
  const report = {
    version: LINT_VERSION,
    file,
    findings: findings.map(({ fix, ...finding }) => ({
      ...finding,
      message: lintMessage({ ...finding, fix }, "en"),
      fix: fix ?? null,
    })),
  };
  return `${JSON.stringify(report, undefined, 2)}\n`;
}
