import { readFileSync } from "node:fs";
import { join } from "node:path";

import type {
  CheckpointDetail,
  CheckpointSummary,
  SubtaskCheckpoint,
} from "../model/checkpoint.ts";
import { detailOf } from "../model/from-flink.ts";
import { type Pressures, pressuresOf } from "../model/pressure.ts";
import { type Topology, type TopologyVertex, topologyOf } from "../model/topology.ts";

/** Answers of real clusters, trimmed to what the page reads. */
export type Recording = "hot-key" | "read-only-storage";

export function recorded(recording: Recording, name: string): unknown {
  const path = join(import.meta.dirname, "../../../test/golden/rest", recording, `${name}.json`);
  return JSON.parse(readFileSync(path, "utf8")) as unknown;
}

export function recordedDetail(recording: Recording, checkpointId: number): CheckpointDetail {
  const topology = topologyOf(recorded(recording, "job"));
  const subtasks = new Map(
    topology.map(({ vertexId }) => [
      vertexId,
      recorded(recording, `checkpoint-${checkpointId}-vertex-${vertexId}`),
    ]),
  );
  return detailOf(recorded(recording, `checkpoint-${checkpointId}`), topology, subtasks);
}

export function recordedPressures(recording: Recording): Pressures {
  const topology = topologyOf(recorded(recording, "job"));
  return new Map(
    topology.map(({ vertexId }) => [
      vertexId,
      pressuresOf(recorded(recording, `backpressure-${vertexId}`)),
    ]),
  );
}

/** A subtask's course in a made-up checkpoint that was triggered at 0; undefined stands for no answer. */
export type Course = readonly [
  startDelayMs: number,
  alignmentMs: number,
  syncMs: number,
  asyncMs: number,
  acknowledgedMs: number,
];

export interface MadeVertex {
  readonly name: string;
  readonly inputs: readonly string[];
  readonly shipStrategy?: string;
  readonly courses: readonly (Course | undefined)[];
}

/** A checkpoint made of courses; vertex ids are the names. */
export function madeDetail(
  vertices: readonly MadeVertex[],
  changes: Partial<CheckpointSummary> = {},
): CheckpointDetail {
  const topology: Topology = vertices.map(
    ({ name, inputs, shipStrategy = "HASH", courses }): TopologyVertex => ({
      vertexId: name,
      name,
      parallelism: courses.length,
      inputs: inputs.map((vertexId) => ({ vertexId, shipStrategy })),
    }),
  );
  const endMs = Math.max(
    ...vertices.flatMap(({ courses }) => courses.map((course) => course?.[4] ?? 0)),
  );
  const isComplete = vertices.every(({ courses }) =>
    courses.every((course) => course !== undefined),
  );
  const summary: CheckpointSummary = {
    checkpointId: 1,
    kind: "CHECKPOINT",
    isUnaligned: false,
    status: isComplete ? "COMPLETED" : "FAILED",
    triggeredAtMs: 0,
    endedAtMs: isComplete ? endMs : 10_000,
    durationMs: isComplete ? endMs : 10_000,
    stateSizeBytes: 0,
    checkpointedSizeBytes: 0,
    processedBytes: 0,
    persistedBytes: 0,
    subtaskCount: 0,
    acknowledgedSubtaskCount: 0,
    failureMessage: undefined,
    externalPath: undefined,
    ...changes,
  };
  return {
    summary,
    topology,
    vertices: vertices.map(({ name, courses }) => ({
      vertexId: name,
      name,
      parallelism: courses.length,
      subtasks: courses.map(madeSubtask),
    })),
  };
}

function madeSubtask(course: Course | undefined, subtaskIndex: number): SubtaskCheckpoint {
  return {
    subtaskIndex,
    status: course === undefined ? "pending" : "acknowledged",
    acknowledgedAtMs: course?.[4],
    declinedAtMs: undefined,
    declineCause: undefined,
    startDelayMs: course?.[0],
    alignmentMs: course?.[1],
    syncMs: course?.[2],
    asyncMs: course?.[3],
    stateSizeBytes: undefined,
    checkpointedSizeBytes: undefined,
    processedBytes: undefined,
    persistedBytes: undefined,
    isUnaligned: false,
  };
}
