import type { JSX } from "preact";

import type { CheckpointDetail } from "../model/checkpoint.ts";
import { isSamePlace } from "../model/subtask-place.ts";
import { compareCheckpoints, type PhaseChange } from "../model/compare-checkpoints.ts";
import { checkpointCourseOf } from "../model/critical-path.ts";
import { isBlame, namedPlaces, verdictOf } from "../model/verdict.ts";
import { useText } from "../page-context.ts";
import { bytesChange, duration, durationChange, subtaskName } from "../text/format.ts";
import { verdictSentences } from "../text/verdict-sentence.ts";
import { WaterfallView } from "./waterfall-view.tsx";

interface CheckpointComparisonViewProps {
  readonly before: CheckpointDetail;
  readonly after: CheckpointDetail;
  readonly sharedMs: number;
  readonly nowMs: number;
}

const SHOWN = 10;

/** What changed from one checkpoint to another, and the other one's waterfall on the same time axis. */
export function CheckpointComparisonView(props: CheckpointComparisonViewProps): JSX.Element {
  const { before, after, sharedMs, nowMs } = props;
  const text = useText();
  const course = checkpointCourseOf(before, nowMs);
  const verdict = verdictOf(before, course, new Map());
  const { headline } = verdictSentences(text, verdict, before.topology);
  const { changes, durationChangeMs, stateSizeChangeBytes } = compareCheckpoints(before, after);
  const slower = (durationChangeMs ?? 0) >= 0 ? after : before;
  const blamed = verdictOf(slower, checkpointCourseOf(slower, nowMs), new Map());
  const named = isBlame(blamed) ? namedPlaces(blamed) : [];
  const isNamed = (change: PhaseChange): boolean =>
    named.some((place) => isSamePlace(place, change));
  const namedFirst = [...changes.filter(isNamed), ...changes.filter((change) => !isNamed(change))];
  const [greatest] = namedFirst;
  return (
    <div class="comparison" data-test="comparison">
      <h3>{text.comparison(before.summary.checkpointId, after.summary.checkpointId)}</h3>
      <p>
        {text.comparedTook(durationChange(durationChangeMs), bytesChange(stateSizeChangeBytes))}{" "}
        {greatest === undefined
          ? text.comparedNothing
          : text.comparedMost(
              subtaskName(greatest.name, greatest.subtaskIndex, greatest.parallelism),
              text.compared[greatest.phase],
              durationChange(greatest.changeMs),
            )}
      </p>
      <ChangesTable changes={namedFirst} isNamed={isNamed} />
      <h3>{text.waterfallOf(before.summary.checkpointId)}</h3>
      <p>{headline}</p>
      <WaterfallView
        detail={before}
        course={course}
        verdict={verdict}
        headline={headline}
        sharedMs={sharedMs}
      />
    </div>
  );
}

interface ChangesTableProps {
  readonly changes: readonly PhaseChange[];
  readonly isNamed: (change: PhaseChange) => boolean;
}

function ChangesTable({ changes, isNamed }: ChangesTableProps): JSX.Element {
  const text = useText();
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label={text.change}>
      <table class="list dense">
        <thead>
          <tr>
            <th scope="col">{text.subtask}</th>
            <th scope="col">{text.phase}</th>
            <th scope="col" class="number">
              {text.before}
            </th>
            <th scope="col" class="number">
              {text.after}
            </th>
            <th scope="col" class="number">
              {text.change}
            </th>
          </tr>
        </thead>
        <tbody>
          {changes.slice(0, SHOWN).map((change) => (
            <tr
              key={`${change.vertexId} ${change.subtaskIndex} ${change.phase}`}
              class={isNamed(change) ? "is-named" : ""}
            >
              <th scope="row">
                {subtaskName(change.name, change.subtaskIndex, change.parallelism)}
              </th>
              <td>{text.compared[change.phase]}</td>
              <td class="number">{duration(change.beforeMs)}</td>
              <td class="number">{duration(change.afterMs)}</td>
              <td class={`number ${change.changeMs > 0 ? "worse" : "better"}`}>
                {durationChange(change.changeMs)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
