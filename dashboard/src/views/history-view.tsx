import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";

import { type History, parseHistory } from "../model/from-history.ts";
import { usePage, useText } from "../page-context.ts";
import { Empty } from "../parts/empty.tsx";
import type { StateSizes } from "../rest/job-queries.ts";
import { errorMessage } from "../text/error-message.ts";
import { CheckpointDetailView } from "./checkpoint-detail-view.tsx";
import { HistoryStrip } from "./history-strip.tsx";
import { StateSizeChart } from "./state-size-chart.tsx";

interface HistoryViewProps {
  /** Where the history lies; undefined if the reader is to choose a file. */
  readonly href: string | undefined;
  readonly checkpointId: number | undefined;
  readonly compareId: number | undefined;
}

/** A saved history: the same strip and waterfall, without any job. */
export function HistoryView({ href, checkpointId, compareId }: HistoryViewProps): JSX.Element {
  const { client } = usePage();
  const text = useText();
  const [history, setHistory] = useState<History | undefined>(undefined);
  const [error, setError] = useState<string | undefined>(undefined);
  useEffect(() => {
    if (href === undefined) return;
    const abort = new AbortController();
    client.getText(href, abort.signal).then(
      (lines) => setHistory(parseHistory(lines)),
      (failure: unknown) => setError(errorMessage(failure)),
    );
    return () => abort.abort();
  }, [href, client]);
  return (
    <>
      <div class="title-row">
        <h1>{text.savedHistory}</h1>
        <label class="file">
          {text.historyChoose}
          <input
            type="file"
            accept=".jsonl,.ndjson,.json,text/plain"
            data-test="history-file"
            onChange={(event) => {
              const [file] = event.currentTarget.files ?? [];
              void file?.text().then((lines) => setHistory(parseHistory(lines)));
            }}
          />
        </label>
      </div>
      {error !== undefined && <Empty title={text.failedToLoad} hint={error} />}
      {history !== undefined && (
        <Opened history={history} checkpointId={checkpointId} compareId={compareId} />
      )}
    </>
  );
}

interface OpenedProps {
  readonly history: History;
  readonly checkpointId: number | undefined;
  readonly compareId: number | undefined;
}

function Opened({ history, checkpointId, compareId }: OpenedProps): JSX.Element {
  const page = usePage();
  const text = useText();
  const { checkpoints, unreadable, jobIds } = history;
  const find = (id: number | undefined) =>
    checkpoints.find(({ summary }) => summary.checkpointId === id);
  const chosen = find(checkpointId) ?? checkpoints[0];
  const summaries = checkpoints.map(({ summary }) => summary);
  const go = (id: number | undefined, compare: number | undefined): void =>
    page.go({ view: "history", checkpointId: id, compareId: compare });
  return (
    <>
      <p class="facts">
        {jobIds.map((jobId) => (
          <span key={jobId} class="mono">
            {jobId}
          </span>
        ))}
      </p>
      {unreadable.length > 0 && (
        <p class="banner bad" role="alert">
          {text.historyBadLines(
            unreadable
              .map(({ lineNumber, reason }) => `${lineNumber} (${text.badLineReasons[reason]})`)
              .join(", "),
          )}
        </p>
      )}
      {chosen === undefined ? (
        <Empty title={text.historyEmpty} />
      ) : (
        <>
          <HistoryStrip
            checkpoints={summaries}
            chosenId={chosen.summary.checkpointId}
            onChoose={(id) => go(id, compareId)}
          />
          <CheckpointDetailView
            detail={chosen}
            compared={find(compareId)}
            pressures={new Map()}
            others={summaries.filter(({ checkpointId: id }) => id !== chosen.summary.checkpointId)}
            onCompare={(compare) => go(chosen.summary.checkpointId, compare)}
          />
          <StateSizeChart points={sizesOf(history)} topology={chosen.topology} />
        </>
      )}
    </>
  );
}

function sizesOf({ checkpoints }: History): readonly StateSizes[] {
  return checkpoints
    .filter(({ summary }) => summary.status === "COMPLETED")
    .map(({ summary, vertices }) => ({
      checkpointId: summary.checkpointId,
      atMs: summary.triggeredAtMs,
      bytesByVertex: new Map(
        vertices.map(({ vertexId, subtasks }) => [
          vertexId,
          subtasks.reduce((sum, { stateSizeBytes = 0 }) => sum + stateSizeBytes, 0),
        ]),
      ),
    }))
    .toReversed();
}
