import type { JSX } from "preact";

import { type Job, loadsOf } from "../model/job.ts";
import { greatestRatio } from "../model/pressure.ts";
import { skewOf } from "../model/skew.ts";
import { useText } from "../page-context.ts";
import { StatusPill } from "../parts/status-pill.tsx";
import type { VertexFacts } from "../rest/job-queries.ts";
import { count, factor, percent } from "../text/format.ts";
import { watermarkText } from "../text/watermark-text.ts";

interface VerticesTableProps {
  readonly job: Job;
  readonly facts: ReadonlyMap<string, VertexFacts>;
}

/** The graph in words: for screen readers, and for graphs too large to look at. */
export function VerticesTable({ job, facts }: VerticesTableProps): JSX.Element {
  const text = useText();
  return (
    <section class="card" aria-labelledby="vertices-title">
      <h2 id="vertices-title">{text.vertices}</h2>
      <div class="scroll" tabIndex={0} role="group" aria-labelledby="vertices-title">
        <table class="list dense">
          <thead>
            <tr>
              <th scope="col">{text.name}</th>
              <th scope="col">{text.state}</th>
              <th scope="col" class="number">
                {text.parallelism}
              </th>
              <th scope="col" class="number">
                {text.recordsIn}
              </th>
              <th scope="col" class="number">
                {text.recordsOut}
              </th>
              <th scope="col" class="number">
                {text.busy}
              </th>
              <th scope="col" class="number">
                {text.backpressured}
              </th>
              <th scope="col" class="number">
                {text.skew}
              </th>
              <th scope="col">{text.watermark}</th>
            </tr>
          </thead>
          <tbody>
            {job.topology.map(({ vertexId, name, parallelism }) => {
              const own = facts.get(vertexId);
              const skew = skewOf(loadsOf(own?.subtasks ?? []));
              return (
                <tr key={vertexId}>
                  <th scope="row">{name}</th>
                  <td>
                    <StatusPill state={job.vertexStates.get(vertexId) ?? ""} />
                  </td>
                  <td class="number">{parallelism}</td>
                  <td class="number">{text.perSecond(count(own?.recordsInPerSecond))}</td>
                  <td class="number">{text.perSecond(count(own?.recordsOutPerSecond))}</td>
                  <td class="number">
                    {percent(greatestRatio(own?.pressures, (subtask) => subtask.busyRatio))}
                  </td>
                  <td class="number">
                    {percent(
                      greatestRatio(own?.pressures, (subtask) => subtask.backpressuredRatio),
                    )}
                  </td>
                  <td class="number">{skew === undefined ? "–" : factor(skew.ratio)}</td>
                  <td>{watermarkText(text, own?.watermarks)}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </section>
  );
}
