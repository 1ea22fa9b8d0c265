import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";

import type { CheckpointSummary } from "../model/checkpoint.ts";
import { useText } from "../page-context.ts";
import { duration } from "../text/format.ts";

interface HistoryStripProps {
  /** Newest first. */
  readonly checkpoints: readonly CheckpointSummary[];
  readonly chosenId: number | undefined;
  readonly onChoose: (checkpointId: number) => void;
}

const SHORTEST = 8;
const TALLEST = 64;

/** One bar for each checkpoint, oldest left. */
export function HistoryStrip({
  checkpoints,
  chosenId,
  onChoose,
}: HistoryStripProps): JSX.Element | null {
  const text = useText();
  const strip = useRef<HTMLDivElement>(null);
  const newestId = checkpoints[0]?.checkpointId;
  useEffect(() => {
    const element = strip.current;
    const chosen = element?.querySelector<HTMLElement>("[aria-pressed=true]");
    if (!element || !chosen) return;
    element.scrollLeft =
      chosen.offsetLeft + chosen.offsetWidth - element.clientWidth + chosen.offsetWidth;
  }, [newestId, chosenId]);
  if (checkpoints.length === 0) return null;
  const longestMs = Math.max(1, ...checkpoints.map(({ durationMs }) => durationMs ?? 0));
  return (
    <section class="card strip-card" aria-labelledby="history-title">
      <div class="card-head">
        <h2 id="history-title">{text.history}</h2>
        <span class="faint">{text.historyHint}</span>
      </div>
      <div class="strip" ref={strip}>
        {checkpoints.toReversed().map((checkpoint) => {
          const kind = text.checkpointKinds[checkpoint.kind];
          const status = text.checkpointStatuses[checkpoint.status];
          const time = duration(checkpoint.durationMs);
          const label = text.checkpointLabel(kind, checkpoint.checkpointId, status, time);
          const share = Math.sqrt((checkpoint.durationMs ?? 0) / longestMs);
          const isChosen = checkpoint.checkpointId === chosenId;
          return (
            <button
              key={checkpoint.checkpointId}
              type="button"
              class={`strip-item ${checkpoint.status} ${checkpoint.kind}`}
              aria-pressed={isChosen}
              title={label}
              data-checkpoint={checkpoint.checkpointId}
              onClick={() => onChoose(checkpoint.checkpointId)}
            >
              <span
                class="strip-bar"
                style={{ height: `${SHORTEST + share * (TALLEST - SHORTEST)}px` }}
              />
              <span class="unseen">{kind} </span>
              <span class="strip-id">{checkpoint.checkpointId}</span>
              <span class="unseen">, {status}, </span>
              <span class="strip-time">{time}</span>
            </button>
          );
        })}
      </div>
    </section>
  );
}
