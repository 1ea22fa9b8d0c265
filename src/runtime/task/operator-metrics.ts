import type { RegisteredMetrics } from "../../operators/index.ts";

/** Metrics of one operator's subtask at one moment, as plain values. */
export interface OperatorMetricsSnapshot extends RegisteredMetrics {
  readonly operatorId: string;
  readonly operatorName: string;
  readonly subtaskIndex: number;
  readonly numRecordsIn: number;
  readonly numRecordsOut: number;
  readonly numLateRecordsDropped: number;
}
