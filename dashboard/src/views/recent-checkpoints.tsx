import type { JSX } from "preact";

import { usePage, useText } from "../page-context.ts";
import { loadHistory } from "../rest/job-queries.ts";
import { usePolled } from "../rest/polled.ts";
import { duration } from "../text/format.ts";

const TALLEST = 20;
const SHORTEST = 4;

/** How a job's last checkpoints went, in the list of jobs. */
export function RecentCheckpoints({ jobId }: { readonly jobId: string }): JSX.Element {
  const { client } = usePage();
  const text = useText();
  const polled = usePolled(`recent ${jobId}`, (abort) => loadHistory(client, jobId, abort));
  const checkpoints = polled.data?.checkpoints ?? [];
  if (checkpoints.length === 0) return <span class="faint">–</span>;
  const longestMs = Math.max(1, ...checkpoints.map(({ durationMs }) => durationMs ?? 0));
  const countOf = (wanted: string): number =>
    checkpoints.filter(({ status }) => status === wanted).length;
  const { latestCompleted } = polled.data ?? {};
  const label = text.recentSummary(countOf("COMPLETED"), countOf("FAILED"));
  return (
    <span title={label}>
      <span class="recent" role="img" aria-label={label}>
        {checkpoints.toReversed().map(({ checkpointId, status, durationMs }) => {
          const share = Math.sqrt((durationMs ?? 0) / longestMs);
          const height = SHORTEST + share * (TALLEST - SHORTEST);
          return <i key={checkpointId} class={status} style={{ height: `${height}px` }} />;
        })}
      </span>
      {latestCompleted?.endedAtMs !== undefined && (
        <span class="faint">
          {text.lastCompleted}{" "}
          {text.ago(duration(Math.max(0, Date.now() - latestCompleted.endedAtMs)))}
        </span>
      )}
    </span>
  );
}
