import { entriesIn, field, knownNumberIn, listIn, numberIn, textIn } from "./json.ts";

/** Kinds of evidence. */
const NEEDS = ["logs", "rest", "settings", "listing", "stacks", "gc", "metadata"] as const;
export type Need = (typeof NEEDS)[number];

interface EvidenceLine {
  readonly file: string;
  readonly line: number | undefined;
  readonly text: string;
  /** The same in Chinese, where it was not quoted but observed. */
  readonly chinese: string | undefined;
  /** The checkpoint that it speaks of, for the link into its waterfall. */
  readonly checkpointId: number | undefined;
  /** The vertex whose pressure it speaks of, for the link into the graph. */
  readonly vertexId: string | undefined;
}

interface Remedy {
  readonly key: string;
  readonly current: string | undefined;
  readonly proposed: string | undefined;
}

export interface Finding {
  readonly cause: string;
  readonly confidence: number | undefined;
  /** The title of the article on the cause, in the language that was asked for. */
  readonly title: string;
  readonly why: string | undefined;
  readonly fix: string | undefined;
  /** Names and numbers that the finding is about, as name and value. */
  readonly subjects: readonly (readonly [string, string])[];
  readonly evidence: readonly EvidenceLine[];
  readonly remedies: readonly Remedy[];
}

export interface Findings {
  readonly verdict: "cause" | "healthy" | "undetermined";
  /** The best supported first. */
  readonly findings: readonly Finding[];
  readonly ruledOut: readonly {
    readonly cause: string;
    readonly because: "weak" | "symptom" | undefined;
  }[];
  readonly notAssessed: readonly { readonly cause: string; readonly needs: readonly Need[] }[];
  readonly wouldSettle: readonly Need[];
}

/** Reads the answer of `/cutwater/findings/:jobid`: the doctor's report, with an article at each finding. */
export function findingsOf(answer: unknown): Findings {
  const verdict = textIn(answer, "verdict");
  return {
    verdict: verdict === "cause" || verdict === "healthy" ? verdict : "undetermined",
    findings: listIn(answer, "findings")
      .map((finding) => findingOf(finding, field(answer, "subjectNames")))
      .toSorted((left, right) => (right.confidence ?? 0) - (left.confidence ?? 0)),
    ruledOut: listIn(answer, "ruledOut").map((entry) => {
      const because = textIn(entry, "because");
      return {
        cause: textIn(entry, "cause") ?? "",
        because: because === "weak" || because === "symptom" ? because : undefined,
      };
    }),
    notAssessed: listIn(answer, "notAssessed").map((entry) => ({
      cause: textIn(entry, "cause") ?? "",
      needs: needsIn(entry, "needs"),
    })),
    wouldSettle: needsIn(answer, "wouldSettle"),
  };
}

/** @param subjectNames - What the subjects are called in the language that was asked for. */
function findingOf(finding: unknown, subjectNames: unknown): Finding {
  const article = field(finding, "article");
  const cause = textIn(finding, "cause") ?? "";
  return {
    cause,
    confidence: numberIn(finding, "confidence"),
    title: textIn(article, "title") ?? cause,
    why: textIn(article, "why"),
    fix: textIn(article, "fix"),
    subjects: entriesIn(finding, "subjects").map(([name, value]) => [
      textIn(subjectNames, name) ?? name,
      String(value),
    ]),
    evidence: listIn(finding, "evidence").map((line) => {
      const text = textIn(line, "text") ?? "";
      return {
        file: textIn(line, "file") ?? "",
        line: knownNumberIn(line, "line"),
        text,
        chinese: textIn(line, "zh"),
        checkpointId: numberIn(line, "checkpointId") ?? checkpointIdIn(text),
        vertexId: textIn(line, "vertexId"),
      };
    }),
    remedies: listIn(finding, "remedies").map((remedy) => ({
      key: textIn(remedy, "key") ?? "",
      current: textIn(remedy, "current"),
      proposed: textIn(remedy, "proposed"),
    })),
  };
}

/** Flink's own lines name the checkpoint that they speak of: `Checkpoint 8 of job ...`, `checkpoint 8 for job ...`. */
function checkpointIdIn(text: string): number | undefined {
  const digits = /\bcheckpoint (\d{1,15})\b/i.exec(text)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

function needsIn(value: unknown, name: string): readonly Need[] {
  return listIn(value, name).flatMap((entry) => NEEDS.filter((need) => need === entry));
}
