import { isMap, isScalar, Pair, parseDocument, Scalar, type YAMLMap } from "yaml";

import type { ConfigDocument, ConfigEntry } from "./config-document.ts";
import type { LintFinding, LintFix } from "./lint-finding.ts";

interface Change {
  readonly entry: ConfigEntry;
  readonly fix: LintFix;
}

/**
 * The text of the file with every fix applied.
 *
 * @remarks
 * Words are replaced where they stand, so that comments and order stay. A nested key with another name goes to the top level of the file,
 * where it may stand flat; the YAML is written anew then, with its comments.
 */
export function applyFixes(document: ConfigDocument, findings: readonly LintFinding[]): string {
  const changes = changesOf(document, findings);
  if (changes.some(({ entry, fix }) => fix.kind === "rename" && entry.keyRange === undefined))
    return rewriteYaml(document, changes);
  const edits = changes.flatMap(({ entry, fix }): readonly Edit[] => {
    if (fix.kind === "value") return [{ range: entry.valueRange, text: fix.value }];
    return fix.kind === "rename" && entry.keyRange !== undefined
      ? [{ range: entry.keyRange, text: fix.key }]
      : [];
  });
  return replaceRanges(document.text, [...edits, ...separators(document, findings)]);
}

interface Edit {
  readonly range: readonly [from: number, to: number];
  readonly text: string;
}

function changesOf(document: ConfigDocument, findings: readonly LintFinding[]): readonly Change[] {
  const taken = new Set<string>();
  return findings.flatMap(({ key, line, fix }) => {
    const entry = document.entries.find(
      (candidate) =>
        candidate.key === key && (candidate.line === line || candidate.valueLine === line),
    );
    if (fix === undefined || entry === undefined) return [];
    // A name that is there already must not come twice.
    if (fix.kind === "rename") {
      if (taken.has(fix.key) || document.entries.some((other) => other.key === fix.key)) return [];
      taken.add(fix.key);
    }
    return [{ entry, fix }];
  });
}

function separators(document: ConfigDocument, findings: readonly LintFinding[]): readonly Edit[] {
  const lines = new Set(
    findings.filter(({ fix }) => fix?.kind === "separator").map(({ line }) => line),
  );
  const edits: Edit[] = [];
  let start = 0;
  document.text.split(/(?<=\n)/u).forEach((content, index) => {
    const colon = /^\s*[\w.$-]+:(?=\S)/u.exec(content);
    if (lines.has(index + 1) && colon !== null) {
      const at = start + colon[0].length;
      edits.push({ range: [at, at], text: " " });
    }
    start += content.length;
  });
  return edits;
}

function replaceRanges(text: string, edits: readonly Edit[]): string {
  let changed = text;
  for (const { range, text: word } of edits.toSorted((a, b) => b.range[0] - a.range[0]))
    changed = changed.slice(0, range[0]) + word + changed.slice(range[1]);
  return changed;
}

function rewriteYaml(document: ConfigDocument, changes: readonly Change[]): string {
  const yaml = parseDocument(document.text, { version: "1.2" });
  for (const { entry, fix } of changes) {
    if (fix.kind === "value") yaml.setIn(entry.path, fix.value);
  }
  for (const { entry, fix } of changes) {
    if (fix.kind === "rename" && isMap(yaml.contents))
      moveToTop(yaml.contents, entry.path, new Scalar(fix.key));
  }
  return yaml.toString({ lineWidth: 0 });
}

/** Moves a nested value to the top level, to where its outermost key stands, and takes the comments along. */
function moveToTop(top: YAMLMap, path: readonly string[], key: Scalar): void {
  const at = top.items.findIndex((pair) => wordOf(pair.key) === path[0]);
  const node = top.getIn(path, true);
  const comments: string[] = [];
  for (let depth = path.length; depth > 0; depth--) {
    const parent = depth === 1 ? top : top.getIn(path.slice(0, depth - 1), true);
    if (!isMap(parent)) break;
    const index = parent.items.findIndex((pair) => wordOf(pair.key) === path[depth - 1]);
    const removed = parent.items[index];
    if (removed === undefined) break;
    if (isScalar(removed.key) && removed.key.commentBefore != null)
      comments.unshift(removed.key.commentBefore);
    if (depth < path.length && isMap(removed.value) && removed.value.commentBefore != null)
      comments.push(removed.value.commentBefore);
    parent.items.splice(index, 1);
    if (parent.items.length > 0) break;
  }
  if (comments.length > 0) key.commentBefore = comments.join("\n");
  const isStillThere = wordOf(top.items[at]?.key) === path[0];
  top.items.splice(isStillThere ? at + 1 : at, 0, new Pair(key, node));
}

function wordOf(key: unknown): string {
  return isScalar(key) ? String(key.value) : "";
}
