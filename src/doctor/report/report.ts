import { type CauseCode, causeFact, type Phase, type TrianglePlace } from "../cause-codes.ts";
import type { Diagnosis, Verdict } from "../diagnosis.ts";
import { isSecretKey, shownText, shownPath } from "../evidence/clean-text.ts";
import { releaseText } from "../analysis/flink-version.ts";
import type { EvidenceLine, EvidenceNeed, Finding } from "../rules/rule.ts";
import { type WayOut, waysOut } from "../analysis/way-out.ts";
import { checkpointTrack, type TrackedCheckpoint } from "./checkpoint-track.ts";

/** Version of the JSON form. A change that breaks readers raises it. */
export const REPORT_VERSION = 1 as const;

/** The answer as data: what `--json` prints. Secrets are masked. */
export interface Report {
  readonly version: typeof REPORT_VERSION;
  readonly verdict: Verdict;
  readonly flinkVersion: {
    readonly stated: string | null;
    readonly min: string;
    readonly max: string;
  };
  /** Surest first. */
  readonly findings: readonly ReportFinding[];
  readonly symptoms: readonly {
    readonly cause: CauseCode;
    readonly of: CauseCode;
    readonly evidence: readonly ReportLine[];
  }[];
  readonly ruledOut: readonly { readonly cause: CauseCode; readonly because: "weak" | "symptom" }[];
  readonly notAssessed: readonly {
    readonly cause: CauseCode;
    readonly needs: readonly EvidenceNeed[];
  }[];
  /** Evidence that would settle an open question. */
  readonly wouldSettle: readonly EvidenceNeed[];
  readonly waysOut: readonly WayOut[];
  readonly checkpoints: {
    readonly completed: number;
    readonly failed: number;
    readonly open: number;
    /** The newest checkpoints whose end the input does not show. */
    readonly openIds: readonly number[];
  };
  /** Every checkpoint that the input shows, in the order of their triggers; the newest if there are very many. */
  readonly timeline: readonly TrackedCheckpoint[];
  readonly notRead: readonly { readonly file: string; readonly problem: string }[];
}

/** A quoted line, or a sentence of the doctor's own, and where it comes from. Line 0 is the file as a whole. */
export interface ReportLine {
  readonly file: string;
  readonly line: number;
  readonly text: string;
  /** The sentence in Chinese, if it is the doctor's own. */
  readonly zh?: string;
}

export interface ReportFinding {
  readonly cause: CauseCode;
  readonly confidence: number;
  readonly category: string;
  readonly phase: Phase;
  readonly place: TrianglePlace;
  readonly subjects: Readonly<Record<string, string | number>>;
  readonly evidence: readonly ReportLine[];
  readonly remedies: readonly {
    readonly key: string;
    readonly current: string | null;
    readonly proposed: string | null;
  }[];
}

/** Puts a diagnosis into the form that is printed and written. */
export function reportOf(diagnosis: Diagnosis): Report {
  const { facts } = diagnosis;
  const rest = facts.evidence.rest.checkpointCounts.at(-1);
  const open = facts.timeline.checkpoints
    .filter((life) => life.outcome === "open")
    .map((life) => life.checkpointId);
  return {
    version: REPORT_VERSION,
    verdict: diagnosis.verdict,
    flinkVersion: {
      stated: facts.version.stated ?? null,
      min: releaseText(facts.version.min),
      max: releaseText(facts.version.max),
    },
    findings: diagnosis.findings.map((finding) => reportFinding(finding)),
    symptoms: diagnosis.folded.map(({ symptom, cause }) => ({
      cause: symptom.code,
      of: cause,
      evidence: symptom.evidence.map((entry) => reportLine(entry)),
    })),
    ruledOut: diagnosis.ruledOut.map(({ code, because }) => ({ cause: code, because })),
    notAssessed: diagnosis.notAssessed.map(({ code, needs }) => ({ cause: code, needs })),
    wouldSettle: wouldSettle(diagnosis),
    waysOut: waysOut(facts).map((way) => ({
      ...way,
      path: shownPath(way.path),
      command: way.command === null ? null : shownPath(way.command),
    })),
    checkpoints: {
      completed: Math.max(facts.completedIds.size, rest?.completed ?? 0),
      failed: facts.failedCheckpoints.length,
      open: open.length,
      openIds: open.slice(-5),
    },
    timeline: checkpointTrack(facts),
    notRead: facts.evidence.sources.flatMap((source) =>
      source.problem === undefined || source.kind === "empty"
        ? []
        : [{ file: shownPath(source.path), problem: shownPath(source.problem) }],
    ),
  };
}

function reportLine(entry: EvidenceLine): ReportLine {
  return {
    file: shownPath(entry.file),
    line: entry.line,
    text: shownText(entry.text),
    ...(entry.zh === undefined ? {} : { zh: entry.zh }),
  };
}

function reportFinding(finding: Finding): ReportFinding {
  const fact = causeFact(finding.code);
  return {
    cause: finding.code,
    confidence: Math.round(finding.confidence * 100) / 100,
    category: fact.category,
    phase: finding.phase ?? fact.phase,
    place: fact.place,
    subjects: Object.fromEntries(
      Object.entries(finding.subjects).map(([name, value]) => [
        name,
        typeof value === "string" ? shownText(value) : value,
      ]),
    ),
    evidence: finding.evidence.map((entry) => reportLine(entry)),
    remedies: finding.remedies.map((remedy) => ({
      key: remedy.key,
      current:
        remedy.current === undefined
          ? null
          : isSecretKey(remedy.key)
            ? "******"
            : shownText(remedy.current),
      proposed: remedy.proposed ?? null,
    })),
  };
}

/** The one or two kinds of evidence that are missing and would tell most. */
function wouldSettle(diagnosis: Diagnosis): readonly EvidenceNeed[] {
  const { facts } = diagnosis;
  const first = diagnosis.findings[0];
  if (diagnosis.verdict === "healthy" || (first !== undefined && first.confidence >= 0.8))
    return [];
  const has = (need: EvidenceNeed): boolean => diagnosis.present.has(need);
  const wanted: EvidenceNeed[] = [];
  const restoring = facts.statements.some((statement) => statement.role === "restore");
  if (!has("logs")) wanted.push("logs");
  if (facts.hasExpired) {
    if (!has("rest")) wanted.push("rest");
    if (!has("stacks")) wanted.push("stacks");
    wanted.push("logs");
  } else if (restoring) {
    if (!has("listing")) wanted.push("listing");
    if (!has("metadata")) wanted.push("metadata");
  } else {
    wanted.push("logs");
    if (!has("rest")) wanted.push("rest");
    if (!has("settings")) wanted.push("settings");
  }
  return [...new Set(wanted)].slice(0, 2);
}
