import type { CauseCode, Phase } from "../cause-codes.ts";
import { type OptionId, spell } from "../analysis/option-names.ts";
import type { Clue, Facts, Match } from "../analysis/facts.ts";
import type { Role } from "../analysis/statements.ts";
import type { Place } from "../evidence/evidence.ts";

/** A change that would help, in the spelling of the Flink version at hand. */
export interface Remedy {
  readonly key: string;
  readonly current: string | undefined;
  readonly proposed: string | undefined;
}

/** Where a conclusion comes from. */
export interface EvidenceLine extends Place {
  readonly text: string;
  /** The text in Chinese, if it is the doctor's own and not quoted. */
  readonly zh?: string;
}

/** What a rule concludes. */
export interface Finding {
  readonly code: CauseCode;
  /** 0 to 1. From 0.8 on the doctor calls it the cause. */
  readonly confidence: number;
  readonly atMs: number | undefined;
  readonly role: Role;
  readonly evidence: readonly EvidenceLine[];
  /** Names and numbers: checkpointIds, operator, subtask, path and the like. */
  readonly subjects: Readonly<Record<string, string | number>>;
  readonly remedies: readonly Remedy[];
  /** Where in a checkpoint's life it happened, if the records tell more exactly than the cause does. */
  readonly phase?: Phase;
}

/** One cause and how it is recognised. A rule is a pure function of the facts. */
export interface Rule {
  readonly code: CauseCode;
  /** What evidence it needs, to say what was not assessed. */
  readonly needs: readonly EvidenceNeed[];
  examine(facts: Facts): Finding | undefined;
}

export type EvidenceNeed = "logs" | "rest" | "settings" | "listing" | "stacks" | "gc" | "metadata";

/** For causes that are named because nothing more special was found: likely, and never called sure. */
export const BY_ELIMINATION = 0.78;

/** What the user's own classes log may quote another job: it is a guess at most, whatever a rule makes of it. */
const HEARSAY = 0.5;

/** How much a record's role supports what it says. */
const ROLE_WEIGHT: Readonly<Record<Role, number>> = {
  checkpoint: 1,
  task: 1,
  job: 1,
  restore: 1,
  report: 0.98,
  trouble: 0.88,
  note: 0.8,
  foreign: 0.45,
};

export function roleWeight(role: Role): number {
  return ROLE_WEIGHT[role];
}

/** A remedy for an option that this version has; undefined if it has not. */
export function option(facts: Facts, id: OptionId, proposed?: string): Remedy | undefined {
  const key = spell(id, facts.version);
  if (key === undefined) return undefined;
  const current = facts.setting(id);
  // What is set already is no proposal, but stays in view.
  return {
    key,
    current: current?.value,
    proposed: current?.value === proposed ? undefined : proposed,
  };
}

/** The remedies that this version has. */
export function options(
  facts: Facts,
  ...wanted: readonly (OptionId | readonly [OptionId, string | undefined])[]
): readonly Remedy[] {
  return wanted
    .map((entry) =>
      typeof entry === "string" ? option(facts, entry) : option(facts, entry[0], entry[1]),
    )
    .filter((remedy) => remedy !== undefined);
}

export interface SignatureOptions {
  readonly code: CauseCode;
  /** Any of these shows the cause; the strongest counts. */
  readonly clues: readonly Clue[];
  readonly remedies?: readonly (OptionId | readonly [OptionId, string | undefined])[];
  readonly remediesOf?: (facts: Facts, match: Match) => readonly (Remedy | undefined)[];
  readonly subjects?: (
    match: Match,
    facts: Facts,
  ) => Readonly<Record<string, string | number | undefined>>;
  /** Raises or lowers the confidence from the rest of the facts; undefined rejects. */
  readonly judge?: (confidence: number, facts: Facts, match: Match) => number | undefined;
}

/** A rule that recognises what was said. Most causes announce themselves in one record. */
export function signature(given: SignatureOptions): Rule {
  return {
    code: given.code,
    needs: ["logs"],
    examine(facts) {
      const best = strongest(facts, given.clues);
      if (best === undefined) return undefined;
      const judged =
        given.judge === undefined
          ? best.confidence
          : given.judge(best.confidence, facts, best.match);
      if (judged === undefined) return undefined;
      const remedies =
        given.remediesOf === undefined
          ? options(facts, ...(given.remedies ?? []))
          : given.remediesOf(facts, best.match).filter((remedy) => remedy !== undefined);
      return finding(
        facts,
        given.code,
        judged,
        best.match,
        { ...given.subjects?.(best.match, facts) },
        remedies,
      );
    },
  };
}

/** The match with the greatest weight; among equals the first said. */
export function strongest(
  facts: Facts,
  clues: readonly Clue[],
): { match: Match; confidence: number } | undefined {
  let best: { match: Match; confidence: number } | undefined;
  for (const clue of clues) {
    for (const match of facts.matches(clue)) {
      const confidence = (clue.confidence ?? 0.92) * roleWeight(match.statement.role);
      const earlier =
        best !== undefined &&
        confidence === best.confidence &&
        (match.statement.event.atMs ?? Infinity) < (best.match.statement.event.atMs ?? Infinity);
      if (best === undefined || confidence > best.confidence || earlier)
        best = { match, confidence };
    }
  }
  return best;
}

/** A finding that rests on one record, with what the record itself names. */
export function finding(
  facts: Facts,
  code: CauseCode,
  confidence: number,
  match: Match,
  subjects: Readonly<Record<string, string | number | undefined>>,
  remedies: readonly Remedy[],
): Finding {
  const { statement } = match;
  const lines: EvidenceLine[] = [line(statement.place, statement.text)];
  if (statement.thrown !== undefined && statement.event.message !== "") {
    lines.unshift(line(statement.event.place, statement.event.message));
  }
  return {
    code,
    confidence: Math.min(statement.role === "foreign" ? HEARSAY : 0.99, confidence),
    atMs: statement.event.atMs,
    role: statement.role,
    evidence: lines,
    subjects: defined({ ...namedIn(facts.textOf(statement.event)), ...subjects }),
    remedies,
    ...phaseIn(facts.textOf(statement.event), statement.role),
  };
}

/** The phase that a record's own words give. */
function phaseIn(text: string, role: Role): { readonly phase?: Phase } {
  if (role === "restore")
    return {
      phase: /checkpoint storage at checkpoint coordinator/u.test(text) ? "trigger" : "restore",
    };
  if (
    /Could not (?:materialize checkpoint|flush)|asynchronous part of checkpoint|Asynchronous task checkpoint failed/u.test(
      text,
    )
  )
    return { phase: "async" };
  if (/[Cc]ould not finalize|Failure to finalize|Could not complete the pending/u.test(text))
    return { phase: "finalize" };
  if (/Could not (?:complete snapshot|perform checkpoint|write timer service)/u.test(text))
    return { phase: "sync" };
  return {};
}

export function line(place: Place, text: string, zh?: string): EvidenceLine {
  return {
    file: place.file,
    line: place.line,
    text: text.split("\n", 1)[0]?.slice(0, 300) ?? "",
    ...(zh === undefined ? {} : { zh }),
  };
}

function defined(
  subjects: Readonly<Record<string, string | number | undefined>>,
): Readonly<Record<string, string | number>> {
  const kept: Record<string, string | number> = {};
  for (const [name, value] of Object.entries(subjects))
    if (value !== undefined && value !== "") kept[name] = value;
  return kept;
}

/** Checkpoint, operator, subtask and path, where a record names them. */
export function namedIn(text: string): Readonly<Record<string, string | number | undefined>> {
  const checkpoint = /\b(?:checkpoint|snapshot|Checkpoint|chk-)\s?(\d+)\b/u.exec(text);
  const operator =
    /(?:for operator|Could not write timer service of) (.+?) \((\d+)\/(\d+)\)/u.exec(text) ??
    /^(.+?) \((\d+)\/(\d+)\)(?:#\d+)? (?:\([^()]*\) )?switched from/u.exec(text);
  const path =
    /((?:hdfs|viewfs|s3|s3a|s3n|s3p|oss|gs|abfs|abfss|wasb|wasbs|cos|obs|nas|file|alluxio|ofs|o3fs):\/{0,3}[^\s,'"()\]]+|(?<=create |path |directory ')\/[^\s,'"()\]]+)/u.exec(
      text,
    );
  return {
    checkpointId: checkpoint === null ? undefined : Number(checkpoint[1]),
    operator: operator?.[1],
    subtask: operator === null ? undefined : `${operator[2]}/${operator[3]}`,
    path: path?.[1]?.replace(/[.:;]+$/u, ""),
  };
}

/** A finding that rests on measurements rather than on one record. */
export function measured(
  code: CauseCode,
  confidence: number,
  evidence: readonly EvidenceLine[],
  subjects: Readonly<Record<string, string | number | undefined>>,
  remedies: readonly Remedy[],
  atMs?: number,
): Finding {
  return {
    code,
    confidence,
    atMs,
    role: "checkpoint",
    evidence,
    subjects: defined(subjects),
    remedies,
  };
}

/** True if a setting of this name is known and is a number. */
export function parseable(facts: Facts, name: string): boolean {
  return /^\d+$/u.test(facts.settingNamed(name)?.value ?? "");
}
