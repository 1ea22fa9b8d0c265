import { type ByteReader, StreamError } from "../../base/index.ts";
import type { StateOrigin, StateStorage } from "../../checkpoint/index.ts";
import type { JobEdge } from "../../graph/index.ts";
import { keyHash, resolveCompatibility, type SerializerSnapshot } from "../../serde/index.ts";
import { murmurHash, type StreamStateHandle } from "../../state/index.ts";
import { RecordBatch } from "../exchange/record-batch.ts";
import type { RestoredElement } from "../task/task-input.ts";
import { readElements, readGateSnapshots } from "./channel-state-codec.ts";

/** In-flight data of one old channel that a task restores. Plain values: it travels to other threads. */
export interface RestoredChannelState {
  readonly origin: StateOrigin;
  readonly stream: StreamStateHandle;
  /** Where the pieces of the channel begin. */
  readonly offsets: readonly number[];
  /** Which gate it belonged to, then and now. */
  readonly gateIndex: number;
  /** The channel of that gate that it counts to now. */
  readonly channelIndex: number;
  /** Other subtasks restore the same data: each takes only the records that are now sent to it. */
  readonly isShared: boolean;
  /** The channel is the very same as then, so that its watermarks still say something. */
  readonly isSameChannel: boolean;
}

export interface InFlightParameters {
  readonly states: readonly RestoredChannelState[];
  readonly storage: StateStorage;
  /** The edges into the vertex, in the order of the graph: its gates. */
  readonly gates: readonly { readonly edge: JobEdge; readonly firstChannel: number }[];
  /** For errors. */
  readonly vertexName: string;
  readonly subtaskIndex: number;
  readonly parallelism: number;
  readonly maxParallelism: number;
}

const BATCH_SIZE = 256;

/**
 * Reads what was in flight towards a task, in the order in which it is to be processed.
 *
 * @throws StreamError STATE_HANDLE_UNREADABLE; IN_FLIGHT_DATA_NOT_RESTORABLE if the type of the records has changed too far.
 */
export async function readInFlight(
  parameters: InFlightParameters,
): Promise<readonly RestoredElement[]> {
  const restored: RestoredElement[] = [];
  for (const state of parameters.states) {
    const bytes = await parameters.storage.readState(state.stream, state.origin);
    const gate = parameters.gates[state.gateIndex];
    if (gate === undefined) throw refused(parameters, `gate ${state.gateIndex} is no more`);
    const reader = readerOf(parameters, gate.edge, readGateSnapshots(bytes).get(state.gateIndex));
    const channelIndex = gate.firstChannel + state.channelIndex;
    const batches = new RestoredBatches(channelIndex, gate.edge, restored);
    const isOwn = state.isShared ? ownership(parameters, gate.edge) : () => true;
    for (const element of readElements(bytes, state.offsets, reader)) {
      if (element.kind === "record") {
        if (isOwn(element.value)) batches.add(element.value, element.timestamp);
      } else if (state.isSameChannel) {
        batches.addWatermark(element.timestamp);
      }
    }
    batches.end();
  }
  return restored;
}

function readerOf(
  parameters: InFlightParameters,
  { type }: JobEdge,
  snapshot: SerializerSnapshot | undefined,
): { read(input: ByteReader): unknown } {
  if (snapshot === undefined) throw refused(parameters, "it does not say of which type they are");
  const compatibility = resolveCompatibility(snapshot, type);
  if (compatibility.kind === "incompatible")
    throw refused(parameters, compatibility.reasons.join("; "));
  return compatibility.kind === "migrate" ? compatibility.reader : type;
}

function refused({ vertexName }: InFlightParameters, problem: string): StreamError {
  return new StreamError("IN_FLIGHT_DATA_NOT_RESTORABLE", { vertex: vertexName, problem });
}

/** Whether a record would now be sent to this subtask. */
function ownership(
  { subtaskIndex, parallelism, maxParallelism }: InFlightParameters,
  { partitioner }: JobEdge,
): (value: unknown) => boolean {
  if (partitioner.kind === "hash") {
    const { keySelector, keyType } = partitioner;
    return (value) => {
      const keyGroup = murmurHash(keyHash(keySelector(value), keyType.keyKind)) % maxParallelism;
      return Math.trunc((keyGroup * parallelism) / maxParallelism) === subtaskIndex;
    };
  }
  if (partitioner.kind === "custom") {
    const { keySelector, partition } = partitioner;
    return (value) => partition(keySelector(value), parallelism) === subtaskIndex;
  }
  return () => true;
}

/** Puts records into batches again. */
class RestoredBatches {
  readonly #channelIndex: number;
  readonly #edge: JobEdge;
  readonly #into: RestoredElement[];
  #batch: RecordBatch | undefined;

  constructor(channelIndex: number, edge: JobEdge, into: RestoredElement[]) {
    this.#channelIndex = channelIndex;
    this.#edge = edge;
    this.#into = into;
  }

  add(value: unknown, timestamp: number): void {
    const { partitioner } = this.#edge;
    const batch = (this.#batch ??= new RecordBatch(BATCH_SIZE, partitioner.kind === "hash"));
    const at = batch.length++;
    batch.values[at] = value;
    batch.timestamps[at] = timestamp;
    if (partitioner.kind === "hash") {
      const key = partitioner.keySelector(value);
      (batch.keys as unknown[])[at] = key;
      (batch.hashes as Int32Array)[at] = keyHash(key, partitioner.keyType.keyKind);
    }
    if (batch.length === BATCH_SIZE) this.end();
  }

  addWatermark(timestamp: number): void {
    this.end();
    const element = { kind: "watermark", timestamp } as const;
    this.#into.push({ channelIndex: this.#channelIndex, element });
  }

  end(): void {
    if (this.#batch === undefined) return;
    this.#into.push({ channelIndex: this.#channelIndex, element: this.#batch });
    this.#batch = undefined;
  }
}
