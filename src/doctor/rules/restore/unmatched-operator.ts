import type { Clue, Facts } from "../../analysis/facts.ts";

export const OPERATOR_MISSING: Clue = {
  text: /Cannot map (?:old|checkpoint\/savepoint) state for operator|There is no operator for the state|state .* cannot be mapped to (?:the|any) (?:new )?(?:program|operator)/u,
  confidence: 0.97,
};

/**
 * Tells three stories with one message apart: the operator is gone, its derived id moved, or its uid was renamed.
 *
 * @remarks
 * `unstable` needs a sign that ids are derived: the program's operators before and after are known and none was
 * removed, or the text says that no uid is set. `renamed` needs the uid of both sides.
 */
export function unmatchedOperator(facts: Facts): "missing" | "unstable" | "renamed" {
  const before = operatorsOf(facts, /^(?:before|old|savepoint|from|previous)\b/iu);
  const after = operatorsOf(facts, /^(?:after|new|program|to|current)\b/iu);
  if (uidsRenamed(facts) || isOnlySource(facts)) return "renamed";
  if (hasDerivedId(facts)) return "unstable";
  if (before.length > 0 && after.length > 0) {
    const lost = before.filter((name) => !after.includes(name));
    if (lost.length === 0) return "unstable";
    return "missing";
  }
  if (
    facts.has(
      /\b(?:no|without|missing|never set(?: a)?|not set(?: a)?|didn't set|forgot(?: the)?) ?`?\.?uid(?:\(\))?|uid\(?\)? (?:is|was|were) (?:not|never) set|(?:没有|未)(?:设置|指定|配置) ?uid|auto-?generated (?:operator )?(?:uid|id)s?/iu,
    )
  ) {
    return "unstable";
  }
  return "missing";
}

/** The stored operator that finds no place, with what the snapshot or the earlier job's log says of it. */
export function unmatched(
  facts: Facts,
): { id: string; name: string | undefined; uid: string | undefined } | undefined {
  const match = facts.first({
    text: /Cannot map (?:old|checkpoint\/savepoint) state for operator ([0-9a-f]{32})/u,
  });
  const id = match?.groups?.[1];
  if (id === undefined) return undefined;
  const stored = facts.evidence.metadata
    .flatMap((fact) => fact.operators)
    .find((operator) => operator.id === id);
  const logged = facts.timeline.tasks.find((change) => change.attempt?.includes(id) === true)?.task;
  return { id, name: stored?.name ?? logged, uid: stored?.uid };
}

/** True if the snapshot names the operator and knows no uid of it: its id was derived from the program's shape. */
export function hasDerivedId(facts: Facts): boolean {
  const found = unmatched(facts);
  return (
    found !== undefined &&
    facts.evidence.metadata.some((fact) =>
      fact.operators.some(
        (operator) =>
          operator.id === found.id && operator.name !== undefined && operator.uid === undefined,
      ),
    )
  );
}

/**
 * True if the operator is the only source that the snapshot knows, and has a uid.
 *
 * @remarks
 * No program runs without a source. So the source is still there, and its uid is another one.
 */
function isOnlySource(facts: Facts): boolean {
  const found = unmatched(facts);
  if (found?.uid === undefined || found.name?.startsWith("Source") !== true) return false;
  const sources = facts.evidence.metadata
    .flatMap((fact) => fact.operators)
    .filter((operator) => operator.name?.startsWith("Source") === true);
  return new Set(sources.map((operator) => operator.id)).size === 1;
}

/** Lists such as `before: [Source, Map, Sink]`. */
function operatorsOf(facts: Facts, key: RegExp): readonly string[] {
  const setting = facts.evidence.settings.find(
    (candidate) => key.test(candidate.key) && candidate.value.startsWith("["),
  );
  if (setting === undefined) return [];
  return setting.value
    .replace(/^\[|\]$/gu, "")
    .split(/,(?![^(]*\))/u)
    .map((name) => name.trim());
}

/** Two different uids for one operator name, as code or lists show them. */
function uidsRenamed(facts: Facts): boolean {
  const uids = new Map<string, Set<string>>();
  for (const statement of facts.statements) {
    for (const match of statement.text.matchAll(
      /\.uid\("([^"]+)"\)\s*\.name\("([^"]+)"\)|\.name\("([^"]+)"\)\s*\.uid\("([^"]+)"\)/gu,
    )) {
      const name = match[2] ?? match[3] ?? "";
      const set = uids.get(name) ?? new Set<string>();
      set.add(match[1] ?? match[4] ?? "");
      uids.set(name, set);
    }
  }
  if ([...uids.values()].some((set) => set.size > 1)) return true;
  return facts.has(
    /uid (?:was |has been )?(?:changed|renamed) from|(?:renamed|changed) (?:the )?uid/iu,
  );
}
