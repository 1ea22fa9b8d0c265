import type { JSX } from "preact";

import { loadsOf } from "../model/job.ts";
import { binned, NOTABLE_SKEW, skewOf } from "../model/skew.ts";
import type { TopologyVertex } from "../model/topology.ts";
import { useText } from "../page-context.ts";
import { SubtaskBars } from "../parts/bars.tsx";
import { StatusPill } from "../parts/status-pill.tsx";
import type { VertexFacts } from "../rest/job-queries.ts";
import { formatRoute, jobRoute } from "../route.ts";
import { count, dayAndTime, factor, percent } from "../text/format.ts";

interface VertexPanelProps {
  readonly jobId: string;
  readonly vertex: TopologyVertex;
  readonly facts: VertexFacts | undefined;
}

/** The subtasks of the vertex that was picked in the graph. */
export function VertexPanel({ jobId, vertex, facts }: VertexPanelProps): JSX.Element {
  const text = useText();
  const loads = loadsOf(facts?.subtasks ?? []);
  const skew = skewOf(loads);
  const mean = loads.reduce((sum, load) => sum + load, 0) / Math.max(1, loads.length);
  return (
    <section class="card" aria-labelledby="vertex-title">
      <div class="card-head">
        <h2 id="vertex-title">{vertex.name}</h2>
        <a href={formatRoute(jobRoute(jobId, "graph"))}>{text.close}</a>
      </div>
      {loads.length > 1 && (
        <div class="load-row">
          <SubtaskBars
            values={binned(loads, 64)}
            label={text.recordsBySubtask}
            isHigh={(value) => value > mean * NOTABLE_SKEW}
          />
          <span>
            {text.recordsBySubtask}
            {skew !== undefined &&
              `. ${text.skewed(factor(skew.ratio), `${skew.greatestIndex + 1}/${loads.length}`)}`}
          </span>
        </div>
      )}
      <SubtasksTable vertex={vertex} facts={facts} />
    </section>
  );
}

function SubtasksTable({ vertex, facts }: Omit<VertexPanelProps, "jobId">): JSX.Element {
  const text = useText();
  return (
    <div class="scroll" tabIndex={0} role="group" aria-labelledby="vertex-title">
      <table class="list dense">
        <thead>
          <tr>
            <th scope="col">{text.subtask}</th>
            <th scope="col">{text.state}</th>
            <th scope="col" class="number">
              {text.busy}
            </th>
            <th scope="col" class="number">
              {text.backpressured}
            </th>
            <th scope="col" class="number">
              {text.idle}
            </th>
            <th scope="col" class="number">
              {text.recordsIn}
            </th>
            <th scope="col" class="number">
              {text.recordsOut}
            </th>
            <th scope="col">{text.watermark}</th>
            <th scope="col">{text.host}</th>
            <th scope="col" class="number">
              {text.attempt}
            </th>
          </tr>
        </thead>
        <tbody>
          {(facts?.subtasks ?? []).map((subtask) => {
            const pressure = facts?.pressures.find(
              ({ subtaskIndex }) => subtaskIndex === subtask.subtaskIndex,
            );
            return (
              <tr key={subtask.subtaskIndex}>
                <th scope="row">{`${subtask.subtaskIndex + 1}/${vertex.parallelism}`}</th>
                <td>
                  <StatusPill state={subtask.state} />
                </td>
                <td class="number">{percent(pressure?.busyRatio)}</td>
                <td class="number">{percent(pressure?.backpressuredRatio)}</td>
                <td class="number">{percent(pressure?.idleRatio)}</td>
                <td class="number">{count(subtask.recordsIn)}</td>
                <td class="number">{count(subtask.recordsOut)}</td>
                <td>{dayAndTime(facts?.watermarks.get(subtask.subtaskIndex))}</td>
                <td class="mono">{subtask.host}</td>
                <td class="number">{subtask.attempt}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
