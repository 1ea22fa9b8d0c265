import { type Release, releaseText } from "../analysis/flink-version.ts";
import { isSecretKey, shownText } from "../evidence/clean-text.ts";
import { checkValue, type ValueProblem } from "./check-value.ts";
import { checkCombinations, EffectiveSettings } from "./combinations.ts";
import type { ConfigDocument, ConfigEntry } from "./config-document.ts";
import { isReadIn, type KnownOption, nameIn, nearestKey, optionNamed } from "./known-options.ts";
import type { LintCode, LintFinding, LintFix, LintSeverity } from "./lint-finding.ts";

/** First release that reads `config.yaml`, and first that reads nothing else. */
const YAML_SINCE: Release = 119;
const FLAT_GONE: Release = 200;

/** Keys that many guides have, and no release of Flink; with the option that was meant. */
const NEVER_KEYS: Readonly<Record<string, string>> = {
  "execution.checkpointing.max-aligned-checkpoint-size":
    "execution.checkpointing.aligned-checkpoint-timeout",
  "execution.checkpointing.unaligned.compression.enabled": "",
  "min-pause-between-checkpoints": "execution.checkpointing.min-pause",
  "execution.checkpointing.min-pause-between-checkpoints": "execution.checkpointing.min-pause",
};

/** Namespaces in which Flink, a plugin or the user makes up names. */
const OPEN =
  /^(?:s3|s3a|fs|hadoop|flink\.hadoop|presto|gs|dfs|oss|abfs|azure|metrics|traces|events|external-resource|containerized|security|table|sql|user|env|kubernetes|yarn|zookeeper|pipeline\.global-job-parameters|job|python|state\.backend\.(?:rocksdb|forst)\.metrics|state\.backend\.(?:rocksdb|forst)\.options|mesos|historyserver)\./u;
const FLINK =
  /^(?:akka|blob|classloader|client|cluster|dstl|execution|heartbeat|high-availability|io|jobmanager|jobstore|parallelism|pekko|pipeline|queryable-state|recovery|resourcemanager|rest|restart-strategy|slot|slotmanager|state|task|taskmanager|web)[.-]/u;

/**
 * What is wrong with a configuration for one release of Flink, in the order of the file.
 *
 * @remarks
 * Pure. Only what the file says is judged: code and `-D` flags may say otherwise.
 */
export function lintConfig(document: ConfigDocument, release: Release): readonly LintFinding[] {
  const effective = new Map<string, ConfigEntry>();
  const findings = [
    ...fileFindings(document, release),
    ...document.entries.flatMap((entry) => entryFindings(entry, document, release)),
    ...namesakes(document, release, effective),
    ...checkCombinations(new EffectiveSettings(effective, release)),
  ];
  return findings.toSorted((a, b) => a.line - b.line || a.column - b.column);
}

function fileFindings(document: ConfigDocument, release: Release): readonly LintFinding[] {
  const at = (line: number, column: number, code: LintCode, detail: string): LintFinding => ({
    code,
    severity: "error",
    key: "",
    line,
    column,
    details: { value: shownText(detail), release: releaseText(release) },
    fix:
      code === "line-dropped" && /^[\w.$-]+:\S/u.test(detail) ? { kind: "separator" } : undefined,
  });
  const isRead = document.form === "flat" ? release < FLAT_GONE : release >= YAML_SINCE;
  return [
    ...(isRead
      ? []
      : [at(1, 1, "file-not-read", document.form === "flat" ? "flink-conf.yaml" : "config.yaml")]),
    ...document.faults.map((fault) =>
      at(
        fault.line,
        fault.column,
        fault.kind === "dropped" ? "line-dropped" : "unreadable",
        fault.detail,
      ),
    ),
  ];
}

function entryFindings(
  entry: ConfigEntry,
  document: ConfigDocument,
  release: Release,
): readonly LintFinding[] {
  const option = optionNamed(entry.key);
  if (option === undefined) return unknownKey(entry, release);
  const found: LintFinding[] = [];
  const name = nameIn(option, release);
  if (!isReadIn(option, entry.key, release)) found.push(notRead(entry, option, release));
  else if (name !== entry.key)
    found.push(
      finding(entry, "key-renamed", "warning", { to: name }, { kind: "rename", key: name }),
    );
  const problem = checkValue(option, entry.value, release);
  if (problem !== undefined) found.push(valueFinding(entry, problem, release));
  else if (document.form === "flat" && /^(["']).*\1$/u.test(entry.value))
    found.push(
      finding(
        entry,
        "quotes-are-kept",
        "warning",
        {},
        { kind: "value", value: entry.value.slice(1, -1) },
      ),
    );
  return found;
}

function unknownKey(entry: ConfigEntry, release: Release): readonly LintFinding[] {
  const meant = NEVER_KEYS[entry.key];
  if (meant !== undefined)
    return [finding(entry, "never-a-key", "error", { to: meant }, undefined)];
  if (OPEN.test(entry.key) || !FLINK.test(entry.key)) return [];
  const to = nearestKey(entry.key, release) ?? "";
  return [finding(entry, "unknown-key", to === "" ? "warning" : "error", { to }, undefined)];
}

/** A key of another release: not there yet, or there no more. */
function notRead(entry: ConfigEntry, option: KnownOption, release: Release): LintFinding {
  if (option.goneIn !== undefined && release >= option.goneIn)
    return finding(entry, "key-removed", "error", { since: releaseText(option.goneIn) }, undefined);
  const own = option.names.find(({ name }) => name === entry.key);
  const older = option.names.find(({ since }) => since <= release)?.name;
  return finding(
    entry,
    "key-not-yet",
    "error",
    { since: releaseText(own?.since ?? option.since), to: older ?? "" },
    older === undefined ? undefined : { kind: "rename", key: older },
  );
}

function valueFinding(entry: ConfigEntry, problem: ValueProblem, release: Release): LintFinding {
  const place = { line: entry.valueLine, column: entry.valueColumn };
  const fix: LintFix | undefined =
    problem.kind === "unit-missing" || problem.proposed === undefined
      ? undefined
      : { kind: "value", value: problem.proposed };
  switch (problem.kind) {
    case "wrong":
      return {
        ...finding(
          entry,
          "wrong-value",
          "error",
          { expected: problem.expected, to: problem.proposed ?? "" },
          fix,
        ),
        ...place,
      };
    case "removed":
      return {
        ...finding(
          entry,
          "value-removed",
          "error",
          { release: releaseText(release), to: problem.proposed ?? "" },
          fix,
        ),
        ...place,
      };
    case "unit-missing":
      return {
        ...finding(entry, "unit-missing", "warning", { readAs: problem.readAs }, fix),
        ...place,
      };
  }
}

/**
 * Keys that stand twice, and options that stand under two names; gathers what is in force on the way.
 *
 * @remarks
 * The newer name wins wherever it stands; of one name the last line wins.
 */
function namesakes(
  document: ConfigDocument,
  release: Release,
  effective: Map<string, ConfigEntry>,
): readonly LintFinding[] {
  const found: LintFinding[] = [];
  const rank = (entry: ConfigEntry): number =>
    optionNamed(entry.key)?.names.findIndex(({ name }) => name === entry.key) ?? 0;
  for (const entry of document.entries) {
    const option = optionNamed(entry.key);
    if (option !== undefined && !isReadIn(option, entry.key, release)) continue;
    const id = option?.id ?? entry.key;
    const before = effective.get(id);
    const wins = before === undefined || rank(entry) <= rank(before);
    if (wins) effective.set(id, entry);
    if (before === undefined) continue;
    const loser = wins ? before : entry;
    const winner = wins ? entry : before;
    const code = loser.key === winner.key ? "duplicate-key" : "key-overridden";
    found.push(
      finding(loser, code, "error", { to: winner.key, at: String(winner.line) }, undefined),
    );
  }
  return found;
}

function finding(
  entry: ConfigEntry,
  code: LintCode,
  severity: LintSeverity,
  details: Readonly<Record<string, string>>,
  fix: LintFix | undefined,
): LintFinding {
  const value = isSecretKey(entry.key) ? "******" : shownText(entry.value);
  const { key, line, column } = entry;
  return { code, severity, key, line, column, details: { value, ...details }, fix };
}
