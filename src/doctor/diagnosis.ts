import { type CauseCode, causeFact } from "./cause-codes.ts";
import { type Ranked, rankFindings } from "./causality.ts";
import { Facts } from "./analysis/facts.ts";
import { type Health, healthOf } from "./analysis/health.ts";
import { isReadBy } from "./analysis/option-names.ts";
import type { Evidence } from "./evidence/evidence.ts";
import type { EvidenceNeed, Finding, Rule } from "./rules/rule.ts";

export type Verdict = "cause" | "healthy" | "undetermined";

/** The answer, before it is put into words. */
export interface Diagnosis {
  readonly verdict: Verdict;
  /** Surest first. With verdict `cause` the first is the answer. */
  readonly findings: readonly Finding[];
  readonly folded: Ranked["folded"];
  /** Causes that were looked for with the evidence they need, and not found or found too weak. */
  readonly ruledOut: readonly { readonly code: CauseCode; readonly because: "weak" | "symptom" }[];
  /** Causes that could not be looked for, and what is missing for it. */
  readonly notAssessed: readonly {
    readonly code: CauseCode;
    readonly needs: readonly EvidenceNeed[];
  }[];
  /** Kinds of evidence that were there. */
  readonly present: ReadonlySet<EvidenceNeed>;
  readonly facts: Facts;
  readonly health: Health;
}

/** A finding less sure than this is a guess, and is not called the cause. */
const NAMED = 0.6;

/** Reasons from evidence to an answer. Pure: the same evidence gives the same answer. */
export function diagnoseEvidence(evidence: Evidence, rules: readonly Rule[]): Diagnosis {
  const facts = new Facts(evidence);
  const health = healthOf(facts);
  const found = rules
    .flatMap((rule) => rule.examine(facts) ?? [])
    .map((finding) => readable(finding, facts));
  const ranked = rankFindings(found);
  const verdict = decide(ranked.findings, facts, health);
  const shown = shownFindings(ranked.findings, verdict, facts, health);
  return {
    verdict,
    findings: shown,
    folded: ranked.folded,
    ruledOut: ruledOut(ranked, shown),
    notAssessed: notAssessed(rules, evidence, found),
    present: presentKinds(evidence),
    facts,
    health,
  };
}

/** A proposal in a spelling that this version does not read would be worse than none. */
function readable(finding: Finding, facts: Facts): Finding {
  return {
    ...finding,
    remedies: finding.remedies.filter((remedy) => isReadBy(remedy.key, facts.version)),
  };
}

function decide(findings: readonly Finding[], facts: Facts, health: Health): Verdict {
  const best = health.troubled ? findings.find((finding) => explainsTrouble(finding)) : findings[0];
  const sure = best !== undefined && best.confidence >= NAMED;
  if (!health.troubled) {
    const broken = findings.find(
      (finding) =>
        (finding.confidence >= 0.8 &&
          causeFact(finding.code).harmless !== true &&
          finding.code !== "gc-pause" &&
          finding.role !== "trouble" &&
          finding.role !== "note") ||
        isSilentFailure(finding),
    );
    if (broken !== undefined) return "cause";
    const explained = findings.find(
      (finding) => finding.confidence >= 0.8 && causeFact(finding.code).harmless === true,
    );
    if (explained !== undefined && asksAbout(explained.code, facts, health)) return "cause";
    return health.completed > 0 || health.confirmedByRest
      ? "healthy"
      : sure
        ? "cause"
        : "undetermined";
  }
  return sure ? "cause" : "undetermined";
}

/** What is harmless does not explain a failure; a client that gave up is the one exception. */
function explainsTrouble(finding: Finding): boolean {
  return causeFact(finding.code).harmless !== true || finding.code === "savepoint-client-timeout";
}

/** Causes under which nothing fails, and which are not harmless all the same. */
const SILENT: ReadonlySet<CauseCode> = new Set<CauseCode>([
  "checkpointing-not-enabled",
  "sink-commit-skipped-stale-max-checkpoint-id",
  "restore-path-not-applied",
  "ha-data-cleaned-on-zk-suspend",
  "checkpoint-path-shared-by-jobs",
  "checkpoint-trigger-stuck-after-abort",
  "source-finished-blocks-trigger",
  "rocksdb-many-small-files",
  "unaligned-not-effective",
]);

function isSilentFailure(finding: Finding): boolean {
  return finding.confidence >= 0.8 && SILENT.has(finding.code);
}

/**
 * True if a harmless explanation is what was asked for, rather than one remark about a run that is shown to be well.
 *
 * @remarks
 * A whole run with its history says *healthy*; an excerpt that shows little but the odd thing asks about that thing.
 */
function asksAbout(code: CauseCode, facts: Facts, health: Health): boolean {
  if (health.confirmedByRest) return false;
  if (code === "tasks-not-running-yet") return health.completed < 3;
  if (code === "state-inlined-in-metadata") return true;
  if (code === "savepoint-client-timeout")
    return facts.completedCheckpoints.filter((life) => !life.isSavepoint).length < 2;
  return false;
}

function shownFindings(
  findings: readonly Finding[],
  verdict: Verdict,
  facts: Facts,
  health: Health,
): readonly Finding[] {
  const shown = findings.filter(
    (finding) =>
      finding.confidence >= 0.4 &&
      (!health.troubled || explainsTrouble(finding) || verdict === "healthy"),
  );
  if (verdict === "undetermined") {
    return shown.map((finding) => ({ ...finding, confidence: Math.min(finding.confidence, 0.59) }));
  }
  if (verdict !== "healthy") {
    const explained = !health.troubled
      ? shown.find(
          (finding) => causeFact(finding.code).harmless === true && finding.confidence >= 0.8,
        )
      : undefined;
    const first = shown[0];
    if (
      explained !== undefined &&
      first !== undefined &&
      first !== explained &&
      first.confidence < 0.8
    ) {
      return [explained, ...shown.filter((finding) => finding !== explained)];
    }
    return shown;
  }
  const harmless = shown.filter(
    (finding) => causeFact(finding.code).harmless === true || finding.code === "gc-pause",
  );
  if (harmless.length > 0) return harmless;
  const noise = health.noise[0];
  const code: CauseCode = noise === undefined ? "healthy" : "benign-log-noise";
  const last = facts.completedCheckpoints.at(-1);
  const place = noise?.place ?? last?.place;
  return [
    {
      code,
      confidence: health.confirmedByRest ? 0.9 : 0.75,
      atMs: undefined,
      role: "note",
      evidence:
        place === undefined
          ? []
          : [
              {
                ...place,
                text: noise?.message.slice(0, 200) ?? `Completed checkpoint ${last?.checkpointId}`,
              },
            ],
      subjects: { completedCheckpoints: health.completed },
      remedies: [],
    },
  ];
}

function ruledOut(ranked: Ranked, shown: readonly Finding[]): Diagnosis["ruledOut"] {
  const first = shown[0];
  return [
    ...ranked.folded.map(({ symptom }) => ({ code: symptom.code, because: "symptom" as const })),
    ...ranked.findings
      .filter((finding) => finding.code !== first?.code && finding.confidence < NAMED)
      .map((finding) => ({ code: finding.code, because: "weak" as const })),
  ];
}

function notAssessed(
  rules: readonly Rule[],
  evidence: Evidence,
  found: readonly Finding[],
): Diagnosis["notAssessed"] {
  const present = presentKinds(evidence);
  return rules.flatMap((rule) => {
    if (found.some((finding) => finding.code === rule.code)) return [];
    const missing = rule.needs.filter((need) => !present.has(need));
    return missing.length === rule.needs.length ? [{ code: rule.code, needs: missing }] : [];
  });
}

/** Which kinds of evidence there are. */
export function presentKinds(evidence: Evidence): ReadonlySet<EvidenceNeed> {
  const kinds = new Set<EvidenceNeed>();
  if (evidence.events.length > 0) kinds.add("logs");
  if (evidence.settings.length > 0) kinds.add("settings");
  if (evidence.listing.length > 0) kinds.add("listing");
  if (evidence.stacks.length > 0) kinds.add("stacks");
  if (evidence.gcPauses.length > 0) kinds.add("gc");
  if (evidence.metadata.length > 0) kinds.add("metadata");
  const { rest } = evidence;
  if (
    rest.checkpoints.length > 0 ||
    rest.subtasks.length > 0 ||
    rest.checkpointCounts.length > 0 ||
    rest.backpressure.length > 0
  )
    kinds.add("rest");
  return kinds;
}
