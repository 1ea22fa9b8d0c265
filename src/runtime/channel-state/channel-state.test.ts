import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { MIN_TIMESTAMP } from "../../base/index.ts";
import type { CompletedCheckpoint, OperatorState } from "../../checkpoint/index.ts";
import { EMPTY_SUBTASK_STATE, propertiesOfCheckpoint } from "../../checkpoint/index.ts";
import type { JobEdge, JobGraph, JobVertex, Partitioner } from "../../graph/index.ts";
import { keyHash, type TypeSerializer, Types } from "../../serde/index.ts";
import { murmurHash } from "../../state/index.ts";
import { RecordBatch } from "../exchange/record-batch.ts";
import type { StreamElement } from "../exchange/stream-element.ts";
import { ChannelStateWriter, readElements } from "./channel-state-codec.ts";
import { InFlightRecorder } from "./in-flight-recorder.ts";
import { planChannelState } from "./plan-channel-state.ts";
import { readInFlight } from "./restore-in-flight.ts";
import { supportsUnaligned } from "./unaligned-support.ts";

const SOURCE = "a".repeat(32);
const TARGET = "b".repeat(32);

const HASH: Partitioner = {
  kind: "hash",
  keySelector: (value) => value,
  keyType: Types.int() as TypeSerializer<unknown>,
};
const CUSTOM: Partitioner = {
  kind: "custom",
  keySelector: (value) => value,
  partition: (key, count) => Number(key) % count,
};

function vertex(id: string, parallelism: number): JobVertex {
  return {
    id,
    name: id === SOURCE ? "numbers" : "sums",
    parallelism,
    maxParallelism: 16,
    isMaxParallelismConfigured: false,
    slotSharingGroup: "default",
    operators: [{ id } as unknown as JobVertex["operators"][number]],
  };
}

function graphOf(partitioner: Partitioner, upstream: number, downstream: number): JobGraph {
  return {
    name: "job",
    jobId: "c".repeat(32),
    vertices: [vertex(SOURCE, upstream), vertex(TARGET, downstream)],
    edges: [
      {
        sourceVertexId: SOURCE,
        sourceOperator: 0,
        tag: undefined,
        targetVertexId: TARGET,
        targetInput: 0,
        partitioner,
        type: Types.int() as TypeSerializer<unknown>,
      },
    ],
  };
}

function batchOf(values: readonly number[]): RecordBatch {
  const batch = new RecordBatch(Math.max(1, values.length), false);
  for (const [index, value] of values.entries()) {
    batch.values[index] = value;
    batch.timestamps[index] = value * 10;
  }
  batch.length = values.length;
  return batch;
}

/** A checkpoint in which these values were in flight, by old subtask and old channel. */
function checkpointOf(
  upstream: number,
  values: readonly (readonly (readonly number[])[])[],
  operatorId = TARGET,
): CompletedCheckpoint {
  const operator = (id: string, parallelism: number): OperatorState => ({
    operatorId: id,
    operatorName: undefined,
    operatorUid: undefined,
    parallelism,
    maxParallelism: 16,
    coordinatorState: undefined,
    isFullyFinished: false,
    subtaskStates: [],
  });
  const subtaskStates = values.map((channels, subtaskIndex) => {
    const writer = new ChannelStateWriter(
      channels.map((_, channelIndex) => ({
        gateIndex: 0,
        channelIndex,
        type: Types.int() as TypeSerializer<unknown>,
      })),
      channels.map(() => MIN_TIMESTAMP),
    );
    for (const [channel, records] of channels.entries())
      writer.addRecords(channel, batchOf(records), 0);
    const state = writer.finish();
    const inputChannel =
      state === undefined
        ? []
        : [
            {
              kind: "merged" as const,
              subtaskIndex,
              sizeBytes: state.sizeBytes,
              channels: state.channels,
              stream: { kind: "bytes" as const, name: "s", data: Buffer.concat(state.chunks) },
            },
          ];
    return {
      subtaskIndex,
      isFinished: false,
      referenceCheckpointId: undefined,
      state: { ...EMPTY_SUBTASK_STATE, inputChannel },
    };
  });
  return {
    checkpointId: 7,
    directory: "/chk-7",
    properties: propertiesOfCheckpoint("CHECKPOINT", "RETAIN_ON_CANCELLATION"),
    triggeredAtMs: undefined,
    completedAtMs: undefined,
    metadata: {
      checkpointId: 7,
      version: 6,
      masterStates: [],
      properties: undefined,
      operatorStates: [
        operator(SOURCE, upstream),
        { ...operator(operatorId, values.length), subtaskStates },
      ],
    },
  };
}

const storage = {
  readState: async (handle: { readonly kind: string; readonly data?: Uint8Array }) =>
    handle.data ?? new Uint8Array(0),
} as unknown as Parameters<typeof readInFlight>[0]["storage"];

/** What each new subtask processes first. */
async function restored(
  graph: JobGraph,
  from: CompletedCheckpoint,
): Promise<readonly (readonly number[])[]> {
  const plan = planChannelState(graph, from);
  const edge = graph.edges[0] as JobEdge;
  const target = graph.vertices[1] as JobVertex;
  return await Promise.all(
    (plan.get(TARGET) ?? []).map(async (states, subtaskIndex) => {
      const elements = await readInFlight({
        states,
        storage,
        gates: [{ edge, firstChannel: 0 }],
        channelCount: graph.vertices[0]?.parallelism ?? 1,
        vertexName: target.name,
        subtaskIndex,
        parallelism: target.parallelism,
        maxParallelism: target.maxParallelism,
      });
      return elements.flatMap(({ element }) => valuesOf(element));
    }),
  );
}

function valuesOf(element: StreamElement): readonly number[] {
  if (element.kind !== "records") return [];
  return Array.from({ length: element.length }, (_, index) => element.values[index] as number);
}

/** The same records where an edge with the old number of subtasks has put them. */
function resent(
  partitioner: Partitioner,
  values: readonly (readonly (readonly number[])[])[],
): readonly (readonly (readonly number[])[])[] {
  const count = values.length;
  const subtaskOf = (value: number, old: number): number => {
    if (partitioner.kind === "custom") return value % count;
    if (partitioner.kind !== "hash") return old;
    return Math.trunc(((murmurHash(keyHash(value, "int")) % 16) * count) / 16);
  };
  return values.map((channels, subtask) =>
    channels.map((_, channel) =>
      values.flatMap((others, old) =>
        (others[channel] ?? []).filter((value) => subtaskOf(value, old) === subtask),
      ),
    ),
  );
}

const inFlight = (upstream: number) =>
  fc.array(
    fc.array(fc.array(fc.nat({ max: 500 }), { maxLength: 6 }), {
      minLength: upstream,
      maxLength: upstream,
    }),
    { minLength: 1, maxLength: 5 },
  );

describe("in-flight records at another parallelism", () => {
  const parallelism = fc.integer({ min: 1, max: 7 });

  test.each([
    { name: "hash", partitioner: HASH },
    { name: "custom", partitioner: CUSTOM },
    { name: "rebalance", partitioner: { kind: "rebalance" } as Partitioner },
    { name: "shuffle", partitioner: { kind: "shuffle" } as Partitioner },
    { name: "global", partitioner: { kind: "global" } as Partitioner },
  ])("of a $name edge come once each", async ({ partitioner }) => {
    await fc.assert(
      fc.asyncProperty(
        parallelism.chain((old) => fc.tuple(fc.constant(old), inFlight(old))),
        parallelism,
        parallelism,
        async ([oldUpstream, values], upstream, downstream) => {
          const sent = resent(partitioner, values);
          const from = checkpointOf(oldUpstream, sent);
          const subtasks = await restored(graphOf(partitioner, upstream, downstream), from);
          const all = subtasks.flat().toSorted((a, b) => a - b);
          expect(all).toEqual(sent.flat(2).toSorted((a, b) => a - b));
        },
      ),
      { numRuns: 100 },
    );
  });

  test("of a hash edge go to whoever has their key group now", async () => {
    const from = checkpointOf(1, [[[1, 2, 3, 4, 5, 6, 7, 8]], [[9, 10, 11, 12]]]);
    const subtasks = await restored(graphOf(HASH, 1, 3), from);
    for (const [subtask, values] of subtasks.entries()) {
      for (const value of values) {
        const keyGroup = murmurHash(keyHash(value, "int")) % 16;
        expect(Math.trunc((keyGroup * 3) / 16)).toBe(subtask);
      }
    }
    expect(subtasks.flat()).toHaveLength(12);
  });

  test("at the same parallelism stay where they were, watermarks among them", async () => {
    const from = checkpointOf(2, [
      [[1, 2], [3]],
      [[], [4]],
    ]);
    expect(await restored(graphOf(HASH, 2, 2), from)).toEqual([[1, 2, 3], [4]]);
  });

  test.each(["forward", "rescale", "broadcast"] as const)(
    "of a %s edge are refused with its name, and restored where nothing has changed",
    async (kind) => {
      const from = checkpointOf(2, [[[1]], [[2]]]);
      expect(() => planChannelState(graphOf({ kind }, 3, 3), from)).toThrowError(
        expect.objectContaining({
          code: "IN_FLIGHT_DATA_NOT_RESCALABLE",
          details: { upstream: "numbers", downstream: "sums", partitioner: kind },
        }) as Error,
      );
      expect(await restored(graphOf({ kind }, 2, 2), from)).toEqual([[1], [2]]);
      expect(supportsUnaligned({ kind })).toBe(false);
    },
  );
});

describe("in-flight records of a job that has changed", () => {
  test("are refused where their channel is no more", () => {
    const graph = graphOf(HASH, 1, 1);
    const from = checkpointOf(1, [[[1]]]);
    expect(() => planChannelState({ ...graph, edges: [] }, from)).toThrowError(
      expect.objectContaining({ code: "IN_FLIGHT_DATA_NOT_RESTORABLE" }) as Error,
    );
    const chained: JobGraph = {
      ...graph,
      vertices: [
        {
          ...vertex(SOURCE, 1),
          operators: [SOURCE, TARGET].map(
            (id) => ({ id, name: "sums" }) as unknown as JobVertex["operators"][number],
          ),
        },
      ],
    };
    expect(() => planChannelState(chained, from)).toThrowError(
      /now chained to the operator before/,
    );
  });

  test("are read as the new type if that is possible, and else refused with both types", async () => {
    const from = checkpointOf(1, [[[1, 2]]]);
    const graph = graphOf({ kind: "rebalance" }, 1, 1);
    const withType = (type: TypeSerializer<never>): JobGraph => ({
      ...graph,
      edges: graph.edges.map((edge) => ({ ...edge, type: type as TypeSerializer<unknown> })),
    });
    const widened = withType(Types.double() as TypeSerializer<never>);
    expect(await restored(widened, from)).toEqual([[1, 2]]);
    await expect(
      restored(withType(Types.string() as TypeSerializer<never>), from),
    ).rejects.toMatchObject({
      code: "IN_FLIGHT_DATA_NOT_RESTORABLE",
      message: expect.stringMatching(/sums.*int.*string/) as string,
    });
  });
});

/** Channels with records; how many of them are taken before the snapshot, and between it and the barrier. */
const channelRun = fc.record({
  batches: fc.array(fc.array(fc.nat(), { minLength: 1, maxLength: 4 }), { maxLength: 4 }),
  takenBefore: fc.nat({ max: 6 }),
  takenMeanwhile: fc.nat({ max: 6 }),
});

test("exactly the records between the snapshot and the barrier of a channel are recorded, once each, in order", () => {
  fc.assert(
    fc.property(fc.array(channelRun, { minLength: 1, maxLength: 3 }), (runs) => {
      const recorder = new InFlightRecorder(
        runs.map((_, channelIndex) => ({
          gateIndex: 0,
          channelIndex,
          type: Types.int() as TypeSerializer<unknown>,
        })),
      );
      const queues = runs.map(({ batches }) => batches.map(batchOf));
      const positions = runs.map(() => 0);
      const expected = runs.map(() => [] as number[]);
      // One record at a time, as an output that is full again and again would have it.
      const take = (channel: number, isRecorded: boolean): void => {
        const batch = queues[channel]?.[0];
        if (batch === undefined) return;
        const at = positions[channel] ?? 0;
        recorder.elementTaken(channel, batch, at);
        if (isRecorded) expected[channel]?.push(batch.values[at] as number);
        positions[channel] = at + 1;
        if (at + 1 < batch.length) return;
        recorder.batchDone();
        queues[channel]?.shift();
        positions[channel] = 0;
      };
      // A batch that is begun is finished before one of another channel.
      for (const [channel, { takenBefore }] of runs.entries()) {
        for (let count = 0; count < takenBefore; count++) take(channel, false);
        const isLast = channel === runs.length - 1;
        while (!isLast && (positions[channel] ?? 0) > 0) take(channel, false);
      }
      recorder.start(1, []);
      for (const [channel, { takenMeanwhile }] of [...runs.entries()].reverse()) {
        for (let count = 0; count < takenMeanwhile; count++) take(channel, true);
        while (channel > 0 && (positions[channel] ?? 0) > 0) take(channel, true);
      }
      for (const [channel, queue] of queues.entries()) {
        const start = positions[channel] ?? 0;
        recorder.barrierComes(
          channel,
          1,
          queue.map((element, index) => ({ element, start: index === 0 ? start : 0 })),
        );
        recorder.barrierDone();
        for (const [index, batch] of queue.entries()) {
          expected[channel]?.push(...valuesOf(batch).slice(index === 0 ? start : 0));
        }
      }
      const state = recorder.stop()?.state;
      const found = runs.map(() => [] as number[]);
      const bytes = Buffer.concat(state?.chunks ?? []);
      for (const { info, offsets } of state?.channels ?? []) {
        for (const element of readElements(bytes, offsets, Types.int()))
          if (element.kind === "record") found[info.innerIndex]?.push(element.value as number);
      }
      expect(found).toEqual(expected);
    }),
  );
});
