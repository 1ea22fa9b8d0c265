import type { CheckpointDetail } from "../model/checkpoint.ts";
import {
  type CheckpointHistory,
  detailOf,
  historyOf,
  stateSizesOf,
  summaryOf,
} from "../model/from-flink.ts";
import {
  type Job,
  jobOf,
  metricSum,
  type SubtaskFacts,
  subtaskFactsOf,
  watermarksOf,
} from "../model/job.ts";
import { type Pressures, pressuresOf, type SubtaskPressure } from "../model/pressure.ts";
import type { Topology } from "../model/topology.ts";
import { isMissing, type RestClient } from "./rest-client.ts";

export async function loadJob(client: RestClient, jobId: string, abort: AbortSignal): Promise<Job> {
  return jobOf(await client.get(`jobs/${jobId}`, abort));
}

/** The job's checkpoints; null if checkpointing is off. */
export async function loadHistory(
  client: RestClient,
  jobId: string,
  abort: AbortSignal,
): Promise<CheckpointHistory | null> {
  return orNull(client.get(`jobs/${jobId}/checkpoints`, abort).then(historyOf));
}

/** A checkpoint with every subtask; null if the server does not keep it any more. */
export async function loadDetail(
  client: RestClient,
  job: { readonly jobId: string; readonly topology: Topology },
  checkpointId: number,
  abort: AbortSignal,
): Promise<CheckpointDetail | null> {
  const path = `jobs/${job.jobId}/checkpoints/details/${checkpointId}`;
  const checkpoint = await orNull(client.get(path, abort));
  if (checkpoint === null) return null;
  const subtasks = await Promise.all(
    job.topology.map(async ({ vertexId }) => {
      const answer = await orNull(client.get(`${path}/subtasks/${vertexId}`, abort));
      return [vertexId, answer] as const;
    }),
  );
  return detailOf(
    checkpoint,
    job.topology,
    new Map(subtasks.filter(([, answer]) => answer !== null)),
  );
}

/** State sizes of one checkpoint, for the course of sizes over time. */
export interface StateSizes {
  readonly checkpointId: number;
  readonly atMs: number;
  readonly bytesByVertex: ReadonlyMap<string, number>;
}

export async function loadStateSizes(
  client: RestClient,
  jobId: string,
  checkpointId: number,
  abort: AbortSignal,
): Promise<StateSizes | null> {
  const answer = await orNull(
    client.get(`jobs/${jobId}/checkpoints/details/${checkpointId}`, abort),
  );
  if (answer === null) return null;
  return {
    checkpointId,
    atMs: summaryOf(answer).triggeredAtMs,
    bytesByVertex: stateSizesOf(answer),
  };
}

export async function loadPressures(
  client: RestClient,
  jobId: string,
  topology: Topology,
  abort: AbortSignal,
): Promise<Pressures> {
  const answers = await Promise.all(
    topology.map(async ({ vertexId }) => {
      const answer = await orUndefined(
        client.get(`jobs/${jobId}/vertices/${vertexId}/backpressure`, abort),
      );
      return [vertexId, pressuresOf(answer)] as const;
    }),
  );
  return new Map(answers);
}

/** What the graph shows of a vertex. Whatever the server does not answer is undefined or empty. */
export interface VertexFacts {
  readonly pressures: readonly SubtaskPressure[];
  readonly watermarks: ReadonlyMap<number, number | undefined>;
  readonly recordsInPerSecond: number | undefined;
  readonly recordsOutPerSecond: number | undefined;
  readonly subtasks: readonly SubtaskFacts[];
}

const RATES = "numRecordsInPerSecond,numRecordsOutPerSecond";

export async function loadVertexFacts(
  client: RestClient,
  jobId: string,
  topology: Topology,
  abort: AbortSignal,
): Promise<ReadonlyMap<string, VertexFacts>> {
  const facts = await Promise.all(
    topology.map(async ({ vertexId }) => {
      const path = `jobs/${jobId}/vertices/${vertexId}`;
      const [pressure, watermarks, rates, vertex] = await Promise.all(
        [
          `${path}/backpressure`,
          `${path}/watermarks`,
          `${path}/subtasks/metrics?get=${RATES}&agg=sum`,
          path,
        ].map((query) => orUndefined(client.get(query, abort))),
      );
      return [
        vertexId,
        {
          pressures: pressuresOf(pressure),
          watermarks: watermarksOf(watermarks),
          recordsInPerSecond: metricSum(rates, "numRecordsInPerSecond"),
          recordsOutPerSecond: metricSum(rates, "numRecordsOutPerSecond"),
          subtasks: subtaskFactsOf(vertex),
        },
      ] as const;
    }),
  );
  return new Map(facts);
}

/** What a server answers with 404 is absent; every other failure goes on. */
export async function orNull<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** An answer that the page can do without, unless the server is away as a whole. */
async function orUndefined(answer: Promise<unknown>): Promise<unknown> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof Error && error.name === "RestError") return undefined;
    throw error;
  }
}
