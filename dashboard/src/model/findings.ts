import { entriesIn, knownNumberIn, listIn, numberIn, textIn } from "./json.ts";

export interface EvidenceLine {
  readonly source: string;
  readonly line: number | undefined;
  readonly text: string;
  /** The checkpoint that it belongs to, for the link into its waterfall. */
  readonly checkpointId: number | undefined;
}

export interface Remedy {
  readonly key: string;
  readonly current: string | undefined;
  readonly proposed: string | undefined;
}

export interface Finding {
  readonly cause: string;
  readonly confidence: number | undefined;
  readonly text: string;
  /** Names and numbers that the finding is about, as name and value. */
  readonly subjects: readonly (readonly [string, string])[];
  readonly evidence: readonly EvidenceLine[];
  readonly remedies: readonly Remedy[];
}

export interface Findings {
  /** `healthy`, `cause` or whatever else the doctor says. */
  readonly verdict: string;
  readonly text: string | undefined;
  readonly findings: readonly Finding[];
  readonly ruledOut: readonly string[];
  readonly notAssessed: readonly string[];
}

/** Reads the answer of `/cutwater/findings/:jobid`; the best supported finding first. */
export function findingsOf(answer: unknown): Findings {
  return {
    verdict: textIn(answer, "verdict") ?? "",
    text: textIn(answer, "text"),
    findings: listIn(answer, "findings")
      .map(findingOf)
      .toSorted((left, right) => (right.confidence ?? 0) - (left.confidence ?? 0)),
    ruledOut: textsIn(answer, "ruledOut"),
    notAssessed: textsIn(answer, "notAssessed"),
  };
}

function findingOf(finding: unknown): Finding {
  return {
    cause: textIn(finding, "cause") ?? "",
    confidence: numberIn(finding, "confidence"),
    text: textIn(finding, "text") ?? "",
    subjects: entriesIn(finding, "subjects").map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(", ") : String(value),
    ]),
    evidence: listIn(finding, "evidence").map((line) => ({
      source: textIn(line, "source") ?? textIn(line, "file") ?? "",
      line: knownNumberIn(line, "line"),
      text: textIn(line, "text") ?? "",
      checkpointId: knownNumberIn(line, "checkpointId"),
    })),
    remedies: listIn(finding, "remedies").map((remedy) => ({
      key: typeof remedy === "string" ? remedy : (textIn(remedy, "key") ?? ""),
      current: textIn(remedy, "current"),
      proposed: textIn(remedy, "proposed"),
    })),
  };
}

/** Entries may be texts, or objects with a cause and a text. */
function textsIn(answer: unknown, name: string): readonly string[] {
  return listIn(answer, name).map((entry) =>
    typeof entry === "string" ? entry : (textIn(entry, "text") ?? textIn(entry, "cause") ?? ""),
  );
}
