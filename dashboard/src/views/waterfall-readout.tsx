import type { JSX } from "preact";

import type { CheckpointDetail } from "../model/checkpoint.ts";
import { phaseMs } from "../model/compare-checkpoints.ts";
import type { WaterfallRow } from "../model/waterfall.ts";
import { useText } from "../page-context.ts";
import { bytes, duration, subtaskName } from "../text/format.ts";

interface WaterfallReadoutProps {
  readonly detail: CheckpointDetail;
  readonly row: WaterfallRow;
}

/** The numbers of the row that is pointed at. */
export function WaterfallReadout({ detail, row }: WaterfallReadoutProps): JSX.Element {
  const text = useText();
  const vertex = detail.vertices.find(({ vertexId }) => vertexId === row.vertexId);
  const { subtask } = row.course;
  const last = row.segments.at(-1)?.phase;
  const isSilent = last === "holding" || last === "behind" || last === "snapshotting";
  return (
    <div class="readout">
      <strong>
        {subtaskName(vertex?.name ?? row.vertexId, row.subtaskIndex, vertex?.parallelism ?? 1)}
      </strong>
      {isSilent ? (
        <span>{text.segmentMeanings[last]}</span>
      ) : (
        (["start-delay", "alignment", "sync", "async", "acknowledgement"] as const).map((phase) => (
          <span key={phase}>
            <span class={`swatch ${phase}`} aria-hidden="true" /> {text.segments[phase]}{" "}
            <b>{duration(phaseMs(row.course, phase))}</b>
          </span>
        ))
      )}
      {subtask.stateSizeBytes !== undefined && (
        <span>
          {text.stateSize} <b>{bytes(subtask.stateSizeBytes)}</b>
        </span>
      )}
      {subtask.declineCause !== undefined && <span class="failure">{subtask.declineCause}</span>}
    </div>
  );
}
