import { MAX_TIMESTAMP, MIN_TIMESTAMP, timestampToLong } from "../../base/index.ts";
import type { CheckpointRecord, SubtaskRecord } from "../../checkpoint/index.ts";
import type { JobVertex } from "../../graph/index.ts";
import type {
  OperatorMetricsSnapshot,
  TaskMetricsSnapshot,
  TaskTimeline,
} from "../../runtime/index.ts";
import type { Metric, ValueMetric } from "./metric.ts";
import type { TaskRates } from "./task-rates.ts";

/** What the metrics of one task are made of. */
export interface TaskMetricsParts {
  readonly vertex: JobVertex;
  readonly task: TaskMetricsSnapshot;
  readonly rates: TaskRates;
  readonly timeline: TaskTimeline | undefined;
  /** The newest checkpoint in which the task has said anything. */
  readonly latestCheckpoint: CheckpointRecord | undefined;
}

/** A task's own metrics, under Flink's names. */
export function taskMetrics(parts: TaskMetricsParts): readonly ValueMetric[] {
  const { task, rates, vertex } = parts;
  const isSource = vertex.operators[0]?.logic.kind === "source";
  const perSecond = (name: Parameters<TaskRates["ofTask"]>[1]): number => rates.ofTask(task, name);
  const { busyMs, idleMs, backPressuredMs } = task.times;
  return [
    { name: "numRecordsIn", value: task.numRecordsIn },
    { name: "numRecordsInPerSecond", value: perSecond("numRecordsIn") },
    { name: "numRecordsOut", value: task.numRecordsOut },
    { name: "numRecordsOutPerSecond", value: perSecond("numRecordsOut") },
    ...trafficMetrics(task, perSecond),
    { name: "busyTimeMsPerSecond", value: Math.round(perSecond("busyMs")) },
    { name: "idleTimeMsPerSecond", value: Math.round(perSecond("idleMs")) },
    { name: "backPressuredTimeMsPerSecond", value: Math.round(perSecond("backPressuredMs")) },
    { name: "softBackPressuredTimeMsPerSecond", value: Math.round(perSecond("backPressuredMs")) },
    { name: "hardBackPressuredTimeMsPerSecond", value: 0 },
    { name: "accumulateBusyTimeMs", value: Math.round(busyMs) },
    { name: "accumulateIdleTimeMs", value: Math.round(idleMs) },
    { name: "accumulateBackPressuredTimeMs", value: Math.round(backPressuredMs) },
    { name: "isBackPressured", value: perSecond("backPressuredMs") > 500 },
    { name: "initializationTime", value: initializationMs(parts.timeline) },
    { name: "cutwater.queuedRecords", value: task.queuedRecordsCount },
    ...(isSource ? [] : [watermarkMetric("currentInputWatermark", task.watermark)]),
    ...checkpointMetrics(subtaskIn(parts.latestCheckpoint, task), isSource),
  ];
}

/** An operator's metrics, under Flink's names; those of the user's functions among them. */
export function operatorMetrics(
  parts: TaskMetricsParts,
  operator: OperatorMetricsSnapshot,
): readonly Metric[] {
  const { task, rates, vertex } = parts;
  const { operatorId, numRecordsIn, numRecordsOut, numLateRecordsDropped } = operator;
  const index = task.operators.indexOf(operator);
  const isSource = vertex.operators[index]?.logic.kind === "source";
  const output = outputWatermark(task, index);
  const input = index === 0 ? task.watermark : outputWatermark(task, index - 1);
  return [
    { name: "numRecordsIn", value: numRecordsIn },
    { name: "numRecordsInPerSecond", value: rates.ofOperator(task, operatorId, "numRecordsIn") },
    { name: "numRecordsOut", value: numRecordsOut },
    { name: "numRecordsOutPerSecond", value: rates.ofOperator(task, operatorId, "numRecordsOut") },
    ...(isSource ? [] : [watermarkMetric("currentInputWatermark", input)]),
    watermarkMetric("currentOutputWatermark", output),
    { name: "numLateRecordsDropped", value: numLateRecordsDropped },
    ...registeredMetrics(operator, (name) => rates.ofMeter(task, operatorId, name)),
  ];
}

/** What the operator and the user's functions have registered. */
function registeredMetrics(
  operator: OperatorMetricsSnapshot,
  rateOf: (meter: string) => number,
): readonly Metric[] {
  const { counters, gauges, meters, histograms, places } = operator;
  const place = (name: string) => (name in places ? { place: places[name] } : {});
  return [
    ...Object.entries(counters).map(([name, value]) => ({ name, value, ...place(name) })),
    ...Object.entries(gauges)
      .filter(([name]) => name !== "currentOutputWatermark")
      .map(([name, value]) => ({ name, value, ...place(name) })),
    ...Object.keys(meters).map((name) => ({ name, value: rateOf(name), ...place(name) })),
    ...Object.entries(histograms).map(([name, histogram]) => ({
      name,
      histogram,
      ...place(name),
    })),
  ];
}

/**
 * Bytes between tasks. Each thread is a TaskManager, so that what goes between threads is remote; records of one thread go by reference, and
 * no bytes of them are counted.
 */
function trafficMetrics(
  { numBytesIn, numBytesOut, numBuffersIn, numBuffersOut }: TaskMetricsSnapshot,
  perSecond: (name: Parameters<TaskRates["ofTask"]>[1]) => number,
): readonly ValueMetric[] {
  return [
    { name: "numBytesIn", value: numBytesIn },
    { name: "numBytesInPerSecond", value: perSecond("numBytesIn") },
    { name: "numBytesOut", value: numBytesOut },
    { name: "numBytesOutPerSecond", value: perSecond("numBytesOut") },
    { name: "numBytesInLocal", value: 0 },
    { name: "numBytesInLocalPerSecond", value: 0 },
    { name: "numBytesInRemote", value: numBytesIn },
    { name: "numBytesInRemotePerSecond", value: perSecond("numBytesIn") },
    { name: "numBuffersInLocal", value: 0 },
    { name: "numBuffersInLocalPerSecond", value: 0 },
    { name: "numBuffersInRemote", value: numBuffersIn },
    { name: "numBuffersInRemotePerSecond", value: perSecond("numBuffersIn") },
    { name: "numBuffersOut", value: numBuffersOut },
    { name: "numBuffersOutPerSecond", value: perSecond("numBuffersOut") },
  ];
}

/** A watermark as the long that Flink shows. */
export function watermarkText(watermark: number | undefined): string {
  return timestampToLong(watermark ?? MIN_TIMESTAMP).toString();
}

function watermarkMetric(name: string, watermark: number | undefined): ValueMetric {
  const value = watermark ?? MIN_TIMESTAMP;
  const isFinite = value > MIN_TIMESTAMP && value < MAX_TIMESTAMP;
  return { name, value: isFinite ? value : watermarkText(value) };
}

/** What left an operator: its own watermarks if it makes any, else what came from before it. */
function outputWatermark(task: TaskMetricsSnapshot, index: number): number | undefined {
  for (let at = index; at >= 0; at--) {
    const own = task.operators[at]?.gauges["currentOutputWatermark"];
    if (typeof own === "number") return own;
  }
  return task.watermark;
}

function initializationMs(timeline: TaskTimeline | undefined): number {
  const begun = timeline?.enteredAtMs.get("INITIALIZING");
  const running = timeline?.enteredAtMs.get("RUNNING");
  return begun === undefined || running === undefined ? 0 : running - begun;
}

function checkpointMetrics(
  subtask: SubtaskRecord | undefined,
  isSource: boolean,
): readonly ValueMetric[] {
  const nanos = (durationMs: number | null | undefined): number =>
    Math.round((durationMs ?? 0) * 1_000_000);
  return [
    { name: "checkpointStartDelayNanos", value: nanos(subtask?.startDelayMs) },
    ...(isSource
      ? []
      : [{ name: "checkpointAlignmentTime", value: nanos(subtask?.alignmentDurationMs) }]),
  ];
}

function subtaskIn(
  record: CheckpointRecord | undefined,
  { task }: TaskMetricsSnapshot,
): SubtaskRecord | undefined {
  return record?.vertices
    .find(({ vertexId }) => vertexId === task.vertexId)
    ?.subtasks.find(({ subtaskIndex }) => subtaskIndex === task.subtaskIndex);
}
