import type { SubtaskRef } from "../../checkpoint/index.ts";
import type { OperatorMetricsSnapshot } from "./operator-metrics.ts";
import type { TaskTimesSnapshot } from "./task-times.ts";

/** What one task has counted at one moment, as plain values. */
export interface TaskMetricsSnapshot {
  readonly task: SubtaskRef;
  /** Records that came over its channels; 0 at a source. */
  readonly numRecordsIn: number;
  /** Records that left over its channels; 0 at the end of the graph. */
  readonly numRecordsOut: number;
  /** Records that wait in its input channels. */
  readonly queuedRecordsCount: number;
  readonly times: TaskTimesSnapshot;
  /** Event time at its head, or what has left its source; undefined before the first watermark. */
  readonly watermark: number | undefined;
  /** Head first. */
  readonly operators: readonly OperatorMetricsSnapshot[];
}
