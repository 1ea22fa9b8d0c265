import type { JobClient } from "../api/index.ts";
import { type Platform, present } from "../base/index.ts";
import type { CheckpointRecord, CheckpointStatistics, SubtaskRef } from "../checkpoint/index.ts";
import type { JobGraph, JobVertex } from "../graph/index.ts";
import {
  isJobOver,
  type JobRecord,
  type JobStatus,
  type SlotWorker,
  type TaskMetricsSnapshot,
  type TaskTimeline,
} from "../runtime/index.ts";
import { jobMetrics } from "./metrics/job-metrics.ts";
import type { Metric, ValueMetric } from "./metrics/metric.ts";
import { operatorMetrics, taskMetrics, type TaskMetricsParts } from "./metrics/task-metrics.ts";
import { TaskRates } from "./metrics/task-rates.ts";

/** The thread of this server, where jobs run that have none of their own. */
export const MAIN_WORKER_ID = "worker-0";

/** One subtask as it is shown: where it is in its life, and what it has counted, if it has begun. */
export interface ServedTask {
  readonly timeline: TaskTimeline;
  readonly metrics: TaskMetricsSnapshot | undefined;
}

/** However many ask, tasks are not asked more often. */
const LEAST_SAMPLE_AGE_MS = 200;

/** A job as the server shows and steers it. */
export class ServedJob {
  readonly client: JobClient;
  readonly rates: TaskRates = new TaskRates();
  readonly #platform: Platform;
  #tasks: readonly TaskMetricsSnapshot[] = [];
  #sampledAtMs = Number.NEGATIVE_INFINITY;

  constructor(client: JobClient, platform: Platform) {
    this.client = client;
    this.#platform = platform;
    this.sample();
  }

  get jobId(): string {
    return this.client.jobId;
  }

  get name(): string {
    return this.client.jobName;
  }

  get status(): JobStatus {
    return this.client.status;
  }

  get isOver(): boolean {
    return isJobOver(this.status);
  }

  get graph(): JobGraph {
    return this.client.job.graph;
  }

  get record(): JobRecord {
    return this.client.job.master.record;
  }

  get statistics(): CheckpointStatistics {
    return this.client.job.statistics;
  }

  /** How long it has run, or ran. */
  get durationMs(): number {
    return (this.record.endedAtMs ?? this.#platform.nowMs()) - this.record.startedAtMs;
  }

  /** Takes note of what the tasks have counted; called each second, and before it is shown. */
  sample(): void {
    const nowMs = this.#platform.monotonicMs();
    if (nowMs - this.#sampledAtMs < LEAST_SAMPLE_AGE_MS) return;
    this.#sampledAtMs = nowMs;
    this.#tasks = this.client.job.master.taskMetrics();
    this.rates.sample(this.#tasks, nowMs);
  }

  /** The threads that the job has for itself; none if it runs on this one. */
  get threads(): readonly SlotWorker[] {
    return this.client.job.master.slots.workers();
  }

  /** The id of the worker that is the job's thread for a slot. */
  threadId(slotIndex: number): string {
    return `${this.jobId.slice(0, 8)}-slot-${slotIndex}`;
  }

  /** The worker that runs a subtask. */
  workerIdOf({ vertexId, subtaskIndex }: Pick<SubtaskRef, "vertexId" | "subtaskIndex">): string {
    if (this.threads.length === 0) return MAIN_WORKER_ID;
    return this.threadId(this.client.job.master.slots.slotOf(vertexId, subtaskIndex));
  }

  vertex(vertexId: string): JobVertex | undefined {
    return this.graph.vertices.find(({ id }) => id === vertexId);
  }

  /** The subtasks of a vertex in order. */
  tasksOf(vertexId: string): readonly ServedTask[] {
    this.sample();
    return this.record.timelines
      .filter(({ task }) => task.vertexId === vertexId)
      .map((timeline) => ({ timeline, metrics: this.#metricsOf(timeline) }));
  }

  jobMetrics(): readonly ValueMetric[] {
    return jobMetrics({
      status: this.status,
      record: this.record,
      statistics: this.statistics,
      restartCount: this.client.job.master.restartCount,
      nowMs: this.#platform.nowMs(),
    });
  }

  /** A task's metrics and those of its operators; empty before it runs. */
  taskMetrics({ timeline, metrics }: ServedTask): {
    readonly own: readonly ValueMetric[];
    readonly operators: readonly {
      readonly id: string;
      readonly name: string;
      readonly metrics: readonly Metric[];
    }[];
  } {
    if (metrics === undefined) return { own: [], operators: [] };
    const vertex = present(this.vertex(timeline.task.vertexId), "the task is in the graph");
    const parts: TaskMetricsParts = {
      vertex,
      task: metrics,
      rates: this.rates,
      timeline,
      latestCheckpoint: this.#latestCheckpoint(),
    };
    return {
      own: taskMetrics(parts),
      operators: metrics.operators.map((operator) => ({
        id: operator.operatorId,
        name: operator.operatorName,
        metrics: operatorMetrics(parts, operator),
      })),
    };
  }

  #latestCheckpoint(): CheckpointRecord | undefined {
    return this.statistics.latestCompleted ?? this.statistics.latestFailed;
  }

  #metricsOf({ task }: TaskTimeline): TaskMetricsSnapshot | undefined {
    return this.#tasks.find(
      ({ task: { vertexId, subtaskIndex, attempt } }) =>
        vertexId === task.vertexId &&
        subtaskIndex === task.subtaskIndex &&
        attempt === task.attempt,
    );
  }
}
