import type { SubtaskRef } from "../../checkpoint/index.ts";
import type { ChannelTraffic } from "../exchange/channel.ts";
import type { OperatorMetricsSnapshot } from "./operator-metrics.ts";
import type { TaskTimesSnapshot } from "./task-times.ts";

/** What one task has counted at one moment, as plain values. */
export interface TaskMetricsSnapshot {
  readonly task: SubtaskRef;
  /** Records that came over its channels; 0 at a source. */
  readonly numRecordsIn: number;
  /** Records that left over its channels; 0 at the end of the graph. */
  readonly numRecordsOut: number;
  /** Bytes that came from other threads; records of the same one come by reference, and are none. */
  readonly numBytesIn: number;
  readonly numBytesOut: number;
  /** Frames that these bytes came in. */
  readonly numBuffersIn: number;
  readonly numBuffersOut: number;
  /** Records that wait in its input channels. */
  readonly queuedRecordsCount: number;
  readonly times: TaskTimesSnapshot;
  /** Event time at its head, or what has left its source; undefined before the first watermark. */
  readonly watermark: number | undefined;
  /** Head first. */
  readonly operators: readonly OperatorMetricsSnapshot[];
}

type TrafficCounts<D extends "In" | "Out"> = {
  readonly [K in `num${"Bytes" | "Buffers"}${D}`]: number;
};

/** Adds up what has gone over channels of one direction. */
export function trafficCounts<D extends "In" | "Out">(
  ends: readonly { readonly traffic?: ChannelTraffic }[],
  direction: D,
): TrafficCounts<D> {
  let bytes = 0;
  let buffers = 0;
  for (const { traffic } of ends) {
    bytes += traffic?.bytes ?? 0;
    buffers += traffic?.buffers ?? 0;
  }
  return {
    [`numBytes${direction}`]: bytes,
    [`numBuffers${direction}`]: buffers,
  } as TrafficCounts<D>;
}
