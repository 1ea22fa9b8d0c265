import { type ConfigDocument, readFlatDocument, readYamlDocument } from "./config-document.ts";

export { applyFixes } from "./apply-fixes.ts";
export type { ConfigDocument } from "./config-document.ts";
export { lintConfig } from "./lint-config.ts";
export type { LintCode, LintFinding, LintSeverity } from "./lint-finding.ts";
export { renderLint, renderLintJson } from "./render-lint.ts";

/**
 * Reads a configuration file in the form that its name says: `flink-conf.yaml` is the old flat one.
 *
 * @remarks
 * A file of another name is read as YAML.
 */
export function readConfigDocument(name: string, text: string): ConfigDocument {
  const isFlat = /(?:^|[/\\])flink-conf\.ya?ml$/u.test(name);
  return isFlat ? readFlatDocument(text) : readYamlDocument(text);
}
