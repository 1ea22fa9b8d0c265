import type { JSX } from "preact";
import { useMemo } from "preact/hooks";

import type { CheckpointDetail, CheckpointSummary } from "../model/checkpoint.ts";
import { checkpointCourseOf, type CheckpointCourse } from "../model/critical-path.ts";
import type { Pressures } from "../model/pressure.ts";
import { isBlame, type Verdict, verdictOf } from "../model/verdict.ts";
import { useText } from "../page-context.ts";
import { useNow } from "../parts/connection-banner.tsx";
import { bytes, dayAndTime, duration } from "../text/format.ts";
import { type VerdictSentences, verdictSentences } from "../text/verdict-sentence.ts";
import { CheckpointComparisonView } from "./checkpoint-comparison-view.tsx";
import { CourseTable } from "./course-table.tsx";
import { WaterfallView } from "./waterfall-view.tsx";

interface CheckpointDetailViewProps {
  readonly detail: CheckpointDetail;
  readonly compared: CheckpointDetail | undefined;
  readonly pressures: Pressures;
  readonly others: readonly CheckpointSummary[];
  readonly onCompare: (checkpointId: number | undefined) => void;
}

/** One checkpoint: who held it up in words, its facts, and its waterfall. */
export function CheckpointDetailView(props: CheckpointDetailViewProps): JSX.Element {
  const { detail, compared, pressures, others, onCompare } = props;
  const text = useText();
  const { summary } = detail;
  const nowMs = useNow(summary.status === "IN_PROGRESS");
  const course = useMemo(() => checkpointCourseOf(detail, nowMs), [detail, nowMs]);
  const verdict = verdictOf(detail, course, pressures);
  const words = verdictSentences(text, verdict, detail.topology);
  const sharedMs = Math.max(
    course.lengthMs,
    compared === undefined ? 0 : lengthOf(compared, nowMs),
  );
  return (
    <section class="card" aria-labelledby="checkpoint-title">
      <Head
        summary={summary}
        comparedId={compared?.summary.checkpointId}
        others={others}
        onCompare={onCompare}
      />
      <VerdictBox summary={summary} verdict={verdict} words={words} />
      <Facts summary={summary} />
      <WaterfallView
        detail={detail}
        course={course}
        verdict={verdict}
        headline={words.headline}
        sharedMs={sharedMs}
      />
      <CourseTable detail={detail} course={course} />
      {compared !== undefined && (
        <CheckpointComparisonView
          before={compared}
          after={detail}
          sharedMs={sharedMs}
          nowMs={nowMs}
        />
      )}
    </section>
  );
}

interface HeadProps {
  readonly summary: CheckpointSummary;
  readonly comparedId: number | undefined;
  readonly others: readonly CheckpointSummary[];
  readonly onCompare: (checkpointId: number | undefined) => void;
}

function Head({ summary, comparedId, others, onCompare }: HeadProps): JSX.Element {
  const text = useText();
  return (
    <div class="card-head">
      <h2 id="checkpoint-title">
        {text.checkpointKinds[summary.kind]} {summary.checkpointId}{" "}
        <span class={`pill ${TONES[summary.status]}`}>
          {text.checkpointStatuses[summary.status]}
        </span>
        {summary.isUnaligned && <span class="badge">{text.unaligned}</span>}
      </h2>
      <label class="compare">
        {text.compareWith}
        <select
          value={comparedId === undefined ? "" : String(comparedId)}
          data-test="compare"
          onChange={({ currentTarget: { value } }) =>
            onCompare(value === "" ? undefined : Number(value))
          }
        >
          <option value="">{text.compareNone}</option>
          {others.map(({ checkpointId, status, durationMs }) => (
            <option key={checkpointId} value={String(checkpointId)}>
              {`${checkpointId} · ${text.checkpointStatuses[status]} · ${duration(durationMs)}`}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}

interface VerdictBoxProps {
  readonly summary: CheckpointSummary;
  readonly verdict: Verdict;
  readonly words: VerdictSentences;
}

/** How many lines of a failure's text are shown; a stack trace may follow. */
const FAILURE_LINES = 3;

/** One that goes on changes each second: it is not read out each time. */
function VerdictBox({ summary, verdict, words }: VerdictBoxProps): JSX.Element {
  const text = useText();
  return (
    <div
      class={`verdict ${summary.status}${isBlame(verdict) ? " blame" : ""}`}
      role={summary.status === "IN_PROGRESS" ? undefined : "status"}
    >
      <p class="verdict-headline">{words.headline}</p>
      {words.explanation.length > 0 && <p>{words.explanation.join(text.sentenceSeparator)}</p>}
      {summary.failureMessage !== undefined && (
        <p class="failure">
          {text.reason(summary.failureMessage.split("\n").slice(0, FAILURE_LINES).join(" "))}
        </p>
      )}
    </div>
  );
}

const TONES: Readonly<Record<CheckpointSummary["status"], string>> = {
  COMPLETED: "good",
  FAILED: "bad",
  IN_PROGRESS: "going",
};

function lengthOf(detail: CheckpointDetail, nowMs: number): number {
  const course: CheckpointCourse = checkpointCourseOf(detail, nowMs);
  return course.lengthMs;
}

function Facts({ summary }: { readonly summary: CheckpointSummary }): JSX.Element {
  const text = useText();
  const facts: readonly (readonly [string, string])[] = [
    [text.triggered, dayAndTime(summary.triggeredAtMs)],
    [text.duration, duration(summary.durationMs)],
    [
      text.acknowledged,
      text.acknowledgedOf(summary.acknowledgedSubtaskCount, summary.subtaskCount),
    ],
    [text.stateSize, bytes(summary.stateSizeBytes)],
    [text.written, bytes(summary.checkpointedSizeBytes)],
    [text.processedInFlight, bytes(summary.processedBytes)],
    [text.persistedInFlight, bytes(summary.persistedBytes)],
  ];
  return (
    <dl class="fact-grid">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
      {summary.externalPath !== undefined && (
        <div class="wide">
          <dt>{text.path}</dt>
          <dd class="mono">{summary.externalPath}</dd>
        </div>
      )}
    </dl>
  );
}
