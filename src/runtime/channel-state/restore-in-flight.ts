import { type ByteReader, MIN_TIMESTAMP, StreamError } from "../../base/index.ts";
import type { StateOrigin, StateStorage } from "../../checkpoint/index.ts";
import type { JobEdge } from "../../graph/index.ts";
import { keyHash, resolveCompatibility, type SerializerSnapshot } from "../../serde/index.ts";
import { murmurHash, type StreamStateHandle } from "../../state/index.ts";
import { RecordBatch } from "../exchange/record-batch.ts";
import type { RestoredElement } from "../task/task-input.ts";
import { type InFlightElement, readElements, readGateSnapshots } from "./channel-state-codec.ts";

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
}

export interface InFlightParameters {
  readonly states: readonly RestoredChannelState[];
  readonly storage: StateStorage;
  /** The edges into the vertex, in the order of the graph: its gates. */
  readonly gates: readonly { readonly edge: JobEdge; readonly firstChannel: number }[];
  /** Of the task now. */
  readonly channelCount: number;
  /** For errors. */
  readonly vertexName: string;
  readonly subtaskIndex: number;
  readonly parallelism: number;
  readonly maxParallelism: number;
}

const BATCH_SIZE = 256;

/** An old channel, of which the task restores all or some records. */
interface OldChannel {
  readonly channelIndex: number;
  readonly edge: JobEdge;
  readonly elements: readonly InFlightElement[];
  /** The next element. */
  position: number;
  watermark: number;
}

/**
 * Reads what was in flight towards a task, in the order in which it is to be processed.
 *
 * @remarks
 * The elements of one old channel stay in order. Among several the one goes first whose event time is lowest, and the task's event time
 * is the lowest of all: so no timer fires too late for the records behind its watermark, and none is late that was not.
 *
 * @throws StreamError STATE_HANDLE_UNREADABLE; IN_FLIGHT_DATA_NOT_RESTORABLE if the type of the records has changed too far.
 */
export async function readInFlight(
  parameters: InFlightParameters,
): Promise<readonly RestoredElement[]> {
  const channels: OldChannel[] = [];
  for (const state of parameters.states) channels.push(await readChannel(parameters, state));
  return mergeByEventTime(channels, parameters.channelCount);
}

async function readChannel(
  parameters: InFlightParameters,
  state: RestoredChannelState,
): Promise<OldChannel> {
  const bytes = await parameters.storage.readState(state.stream, state.origin);
  const gate = parameters.gates[state.gateIndex];
  if (gate === undefined) throw refused(parameters, `gate ${state.gateIndex} is no more`);
  const { edge, firstChannel } = gate;
  const reader = readerOf(parameters, edge, readGateSnapshots(bytes).get(state.gateIndex));
  const isOwn = state.isShared ? ownership(parameters, edge) : () => true;
  const elements = readElements(bytes, state.offsets, reader).filter(
    (element) => element.kind !== "record" || isOwn(element.value),
  );
  const channelIndex = firstChannel + state.channelIndex;
  return { channelIndex, edge, elements, position: 0, watermark: MIN_TIMESTAMP };
}

function mergeByEventTime(
  channels: readonly OldChannel[],
  channelCount: number,
): readonly RestoredElement[] {
  const restored: RestoredElement[] = [];
  let emitted = MIN_TIMESTAMP;
  const advance = (): void => {
    const timestamp = Math.min(...channels.map(({ watermark }) => watermark));
    if (!(timestamp > emitted) || timestamp === Number.POSITIVE_INFINITY) return;
    emitted = timestamp;
    for (let channelIndex = 0; channelIndex < channelCount; channelIndex++)
      restored.push({ channelIndex, element: { kind: "watermark", timestamp } });
  };
  for (const channel of channels) {
    const first = channel.elements[0];
    if (first?.kind !== "start") continue;
    channel.position = 1;
    // It was idle, but what follows woke it: where its event time stood is not known.
    const hasWoken = first.watermark === Number.POSITIVE_INFINITY && channel.elements.length > 1;
    channel.watermark = hasWoken ? MIN_TIMESTAMP : first.watermark;
  }
  advance();
  for (let next = lowest(channels); next !== undefined; next = lowest(channels)) {
    emitSegment(next, restored);
    advance();
  }
  return restored;
}

/** Of the channels that are not at their end. */
function lowest(channels: readonly OldChannel[]): OldChannel | undefined {
  let found: OldChannel | undefined;
  for (const channel of channels) {
    if (channel.position >= channel.elements.length) continue;
    if (found === undefined || channel.watermark < found.watermark) found = channel;
  }
  return found;
}

/** Takes the records up to the next watermark, and that. */
function emitSegment(channel: OldChannel, into: RestoredElement[]): void {
  const batches = new RestoredBatches(channel.channelIndex, channel.edge, into);
  while (channel.position < channel.elements.length) {
    const element = channel.elements[channel.position++];
    if (element?.kind === "record") {
      batches.add(element.value, element.timestamp);
    } else if (element?.kind === "watermark") {
      channel.watermark = Math.max(channel.watermark, element.timestamp);
      break;
    }
  }
  batches.end();
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

  end(): void {
    if (this.#batch === undefined) return;
    this.#into.push({ channelIndex: this.#channelIndex, element: this.#batch });
    this.#batch = undefined;
  }
}
