import { articleOn } from "./articles/index.ts";
import type { TrackedCheckpoint } from "./checkpoint-track.ts";
import { pageTextsIn } from "./html/page-texts.ts";
import { renderReport, type TextOptions } from "./render-text.ts";
import type { Report, ReportFinding } from "./report.ts";
import { textsIn } from "./texts.ts";

/** What a later report says beyond an earlier one on the same input. */
export type News =
  /** The answer is another one, so the whole report counts. */
  | { readonly kind: "answer" }
  | { readonly kind: "finding"; readonly finding: ReportFinding }
  | { readonly kind: "checkpoint"; readonly checkpoint: TrackedCheckpoint };

/** Compares two reports of input that grew. The first one is all news. */
export function newsIn(before: Report | undefined, after: Report): readonly News[] {
  if (before === undefined || answerOf(before) !== answerOf(after)) return [{ kind: "answer" }];
  const known = new Set(before.findings.map(({ cause }) => cause));
  const failed = new Set(before.timeline.filter(isFailed).map(identityOf));
  return [
    ...after.findings
      .filter(({ cause }) => !known.has(cause))
      .map((finding) => ({ kind: "finding" as const, finding })),
    ...after.timeline
      .filter((checkpoint) => isFailed(checkpoint) && !failed.has(identityOf(checkpoint)))
      .map((checkpoint) => ({ kind: "checkpoint" as const, checkpoint })),
  ];
}

/** The news for a terminal: the whole report if the answer changed, else a line for each. */
export function renderNews(news: readonly News[], report: Report, options: TextOptions): string {
  const texts = textsIn(options.language);
  return news
    .map((item) => {
      switch (item.kind) {
        case "answer":
          return renderReport(report, options);
        case "finding": {
          const { cause, confidence } = item.finding;
          return `${texts.alsoFound}: ${cause} (${confidence.toFixed(2)}): ${articleOn(cause, options.language).title}\n`;
        }
        case "checkpoint": {
          const { checkpointId, outcome, reason, file, line } = item.checkpoint;
          const why = reason === null ? "" : `: ${reason}`;
          const end = pageTextsIn(options.language).outcome[outcome];
          return `${texts.checkpoint} ${checkpointId}: ${end}${why} (${file}:${line})\n`;
        }
      }
    })
    .join("");
}

function answerOf({ verdict, findings }: Report): string {
  return `${verdict} ${findings[0]?.cause ?? ""}`;
}

function isFailed({ outcome }: TrackedCheckpoint): boolean {
  return outcome === "failed" || outcome === "expired";
}

function identityOf({ jobId, checkpointId }: TrackedCheckpoint): string {
  return `${jobId} ${checkpointId}`;
}
