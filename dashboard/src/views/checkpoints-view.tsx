import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";

import type { CheckpointSummary } from "../model/checkpoint.ts";
import type { CheckpointHistory } from "../model/from-flink.ts";
import type { Job } from "../model/job.ts";
import { usePage, useText } from "../page-context.ts";
import { Awaited, Empty } from "../parts/empty.tsx";
import { loadDetail, loadPressures, loadStateSizes, type StateSizes } from "../rest/job-queries.ts";
import { type Polled, usePolled } from "../rest/polled.ts";
import type { JobRoute } from "../route.ts";
import { dayAndTime } from "../text/format.ts";
import { CheckpointConfig } from "./checkpoint-config.tsx";
import { CheckpointDetailView } from "./checkpoint-detail-view.tsx";
import { CheckpointInspection } from "./checkpoint-inspection.tsx";
import { HistoryStrip } from "./history-strip.tsx";
import { StateSizeChart } from "./state-size-chart.tsx";

/** What is over does not change any more; it is asked for again only in case an acknowledgement came late. */
const OVER_INTERVAL_MS = 60_000;
const GOING_INTERVAL_MS = 1_000;

interface CheckpointsViewProps {
  readonly route: JobRoute;
  readonly job: Job;
  readonly history: Polled<CheckpointHistory | null>;
}

/** The checkpoints of a job: their history, the course of one of them, and the growth of the state. */
export function CheckpointsView({ route, job, history }: CheckpointsViewProps): JSX.Element {
  const page = usePage();
  const text = useText();
  const seen = useSeenCheckpoints(history.data?.checkpoints ?? []);
  if (history.data === null)
    return <Empty title={text.checkpointingOff} hint={text.checkpointingOffHint} />;
  if (history.data === undefined) return <Awaited error={history.error} />;
  const { restored } = history.data;
  const chosenId = route.checkpointId ?? defaultCheckpoint(seen)?.checkpointId;
  const chosen = seen.find(({ checkpointId }) => checkpointId === chosenId);
  const go = (checkpointId: number | undefined, compareId: number | undefined): void =>
    page.go({ ...route, checkpointId, compareId });
  return (
    <>
      <HistoryStrip
        checkpoints={seen}
        chosenId={chosenId}
        onChoose={(id) => go(id, route.compareId)}
      />
      {restored !== undefined && (
        <p class="facts">
          <span>{text.restoredFrom(restored.checkpointId, dayAndTime(restored.restoredAtMs))}</span>
        </p>
      )}
      {chosenId === undefined ? (
        <Empty title={text.noCheckpoints} hint={text.noCheckpointsHint} />
      ) : (
        <Chosen
          job={job}
          checkpointId={chosenId}
          isOver={chosen?.status !== "IN_PROGRESS"}
          compareId={route.compareId}
          others={seen.filter(({ checkpointId }) => checkpointId !== chosenId)}
          onCompare={(compareId) => go(chosenId, compareId)}
        />
      )}
      <Sizes job={job} checkpoints={seen} />
      <CheckpointConfig jobId={job.jobId} />
    </>
  );
}

/** The newest that is over: one in progress has little to show yet. */
function defaultCheckpoint(
  checkpoints: readonly CheckpointSummary[],
): CheckpointSummary | undefined {
  return checkpoints.find(({ status }) => status !== "IN_PROGRESS") ?? checkpoints[0];
}

/** So many checkpoints are kept on the page, however long it is open. */
const MOST_SEEN = 200;

/** The server keeps ten; what the page has seen while it was open stays on it. Newest first. */
function useSeenCheckpoints(newest: readonly CheckpointSummary[]): readonly CheckpointSummary[] {
  const [seen, setSeen] = useState<ReadonlyMap<number, CheckpointSummary>>(new Map());
  useEffect(() => {
    setSeen((before) => {
      const all = [...before, ...newest.map((summary) => [summary.checkpointId, summary] as const)];
      return new Map(all.slice(-2 * MOST_SEEN));
    });
  }, [newest]);
  const all = new Map([
    ...seen,
    ...newest.map((summary) => [summary.checkpointId, summary] as const),
  ]);
  return [...all.values()]
    .toSorted((left, right) => right.checkpointId - left.checkpointId)
    .slice(0, MOST_SEEN);
}

interface ChosenProps {
  readonly job: Job;
  readonly checkpointId: number;
  readonly isOver: boolean;
  readonly compareId: number | undefined;
  readonly others: readonly CheckpointSummary[];
  readonly onCompare: (checkpointId: number | undefined) => void;
}

function Chosen({
  job,
  checkpointId,
  isOver,
  compareId,
  others,
  onCompare,
}: ChosenProps): JSX.Element {
  const { client } = usePage();
  const text = useText();
  const detail = usePolled(
    `checkpoint ${job.jobId} ${checkpointId} ${isOver}`,
    (abort) => loadDetail(client, job, checkpointId, abort),
    isOver ? OVER_INTERVAL_MS : GOING_INTERVAL_MS,
  );
  const compared = usePolled(
    `compared ${job.jobId} ${compareId}`,
    async (abort) => (compareId === undefined ? null : loadDetail(client, job, compareId, abort)),
    OVER_INTERVAL_MS,
  );
  const pressures = usePolled(`pressures ${job.jobId}`, (abort) =>
    loadPressures(client, job.jobId, job.topology, abort),
  );
  if (detail.data === null) return <Empty title={text.checkpointGone} />;
  if (detail.data === undefined) return <Awaited error={detail.error} />;
  return (
    <>
      <CheckpointDetailView
        detail={detail.data}
        compared={compared.data ?? undefined}
        pressures={pressures.data ?? new Map()}
        others={others}
        onCompare={onCompare}
      />
      {detail.data.summary.status === "COMPLETED" && (
        <CheckpointInspection key={checkpointId} jobId={job.jobId} checkpointId={checkpointId} />
      )}
    </>
  );
}

function Sizes({
  job,
  checkpoints,
}: {
  readonly job: Job;
  readonly checkpoints: readonly CheckpointSummary[];
}): JSX.Element | null {
  const { client } = usePage();
  const [known, setKnown] = useState<ReadonlyMap<number, StateSizes>>(new Map());
  const ids = checkpoints
    .filter(({ status }) => status === "COMPLETED")
    .map(({ checkpointId }) => checkpointId);
  const wanted = ids.filter((id) => !known.has(id)).join(" ");
  useEffect(() => {
    if (wanted === "") return;
    const abort = new AbortController();
    const load = async (): Promise<void> => {
      const answers = await Promise.all(
        wanted.split(" ").map((id) => loadStateSizes(client, job.jobId, Number(id), abort.signal)),
      );
      const found = answers.filter((sizes) => sizes !== null);
      if (!abort.signal.aborted) {
        setKnown(
          (before) =>
            new Map([...before, ...found.map((sizes) => [sizes.checkpointId, sizes] as const)]),
        );
      }
    };
    load().catch(() => {
      // The chart is drawn with what is known; the next new checkpoint tries again.
    });
    return () => abort.abort();
  }, [wanted, client, job.jobId]);
  const points = ids.map((id) => known.get(id)).filter((sizes) => sizes !== undefined);
  return <StateSizeChart points={points.toReversed()} topology={job.topology} />;
}
