import type { JSX } from "preact";

import type { CheckpointDetail } from "../model/checkpoint.ts";
import { phaseMs } from "../model/compare-checkpoints.ts";
import type { CheckpointCourse } from "../model/critical-path.ts";
import { useText } from "../page-context.ts";
import { bytes, duration, subtaskName, timeOfDay } from "../text/format.ts";
import { pathText } from "./waterfall-view.tsx";

interface CourseTableProps {
  readonly detail: CheckpointDetail;
  readonly course: CheckpointCourse;
}

const PHASES = ["start-delay", "alignment", "sync", "async", "acknowledgement"] as const;

/** The waterfall in numbers. */
export function CourseTable({ detail, course }: CourseTableProps): JSX.Element {
  const text = useText();
  const vertices = new Map(detail.vertices.map((vertex) => [vertex.vertexId, vertex]));
  return (
    <details class="as-table">
      <summary>{text.asTable}</summary>
      <p>{pathText(text.criticalPathText, detail, course.criticalPath)}</p>
      <div
        class="scroll"
        tabIndex={0}
        role="group"
        aria-label={text.waterfallOf(detail.summary.checkpointId)}
      >
        <table class="list dense">
          <thead>
            <tr>
              <th scope="col">{text.subtask}</th>
              <th scope="col">{text.status}</th>
              {PHASES.map((phase) => (
                <th key={phase} scope="col" class="number">
                  {text.segments[phase]}
                </th>
              ))}
              <th scope="col">{text.acknowledged}</th>
              <th scope="col" class="number">
                {text.stateSize}
              </th>
              <th scope="col" class="number">
                {text.written}
              </th>
            </tr>
          </thead>
          <tbody>
            {course.courses.map((own) => {
              const vertex = vertices.get(own.vertexId);
              const { subtask } = own;
              return (
                <tr key={`${own.vertexId} ${own.subtaskIndex}`}>
                  <th scope="row">
                    {subtaskName(vertex?.name ?? "", own.subtaskIndex, vertex?.parallelism ?? 1)}
                  </th>
                  <td>{text.subtaskStatuses[subtask.status]}</td>
                  {PHASES.map((phase) => (
                    <td key={phase} class="number">
                      {duration(phaseMs(own, phase))}
                    </td>
                  ))}
                  <td>{timeOfDay(subtask.acknowledgedAtMs)}</td>
                  <td class="number">{bytes(subtask.stateSizeBytes)}</td>
                  <td class="number">{bytes(subtask.checkpointedSizeBytes)}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </details>
  );
}
