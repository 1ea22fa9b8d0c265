import { MIN_TIMESTAMP } from "../../base/index.ts";
import type { ControlElement, StreamElement } from "../exchange/stream-element.ts";
import {
  type ChannelStateBytes,
  ChannelStateWriter,
  type RecordedChannel,
} from "./channel-state-codec.ts";

/** An element that a barrier has overtaken. */
export interface OvertakenElement {
  readonly element: StreamElement;
  /** The first record of it that is not processed. */
  readonly start: number;
}

/** What a recording came to. */
export interface Recorded {
  readonly checkpointId: number;
  /** Undefined if nothing was in flight. */
  readonly state: ChannelStateBytes | undefined;
}

interface Recording {
  readonly checkpointId: number;
  /** Undefined once the checkpoint is given up. */
  writer: ChannelStateWriter | undefined;
  /** Channels whose barrier has come. */
  readonly complete: Set<number>;
}

/**
 * Writes down what was in flight towards a task when it took its snapshot.
 *
 * Invariants:
 *
 * - F1. Of each channel exactly the elements between the snapshot and the channel's barrier are recorded, each once, in order: those
 *   that are processed meanwhile when they are taken, the others when the barrier overtakes them.
 * - F2. Nothing is recorded of a channel whose barrier came before the snapshot.
 *
 * Source: Flink `ChannelStateWriter`, `RemoteInputChannel.checkpointStarted`.
 */
export class InFlightRecorder {
  readonly #channels: readonly RecordedChannel[];
  /** Event time of each channel, and whether it counts. */
  readonly #watermarks: number[];
  readonly #isIdle: boolean[];
  #recording: Recording | undefined;
  #barrier:
    | {
        readonly channel: number;
        readonly checkpointId: number;
        readonly overtaken: readonly OvertakenElement[];
      }
    | undefined;
  /** The batch that is being processed, if it is recorded. */
  #recordedBatch: StreamElement | undefined;

  constructor(channels: readonly RecordedChannel[]) {
    this.#channels = channels;
    this.#watermarks = channels.map(() => MIN_TIMESTAMP);
    this.#isIdle = channels.map(() => false);
  }

  get isRecording(): boolean {
    return this.#recording !== undefined;
  }

  /** A barrier comes, and the handler is about to hear of it. */
  barrierComes(
    channel: number,
    checkpointId: number,
    overtaken: readonly OvertakenElement[],
  ): void {
    this.#barrier = { channel, checkpointId, overtaken };
    if (this.#recording?.checkpointId === checkpointId) this.#completeChannel();
  }

  /** The handler has heard of it. */
  barrierDone(): void {
    this.#barrier = undefined;
  }

  /** The snapshot is taken now. @param received - Channels whose barriers had come before. */
  start(checkpointId: number, received: readonly number[]): void {
    this.#recording = {
      checkpointId,
      writer: new ChannelStateWriter(
        this.#channels,
        this.#watermarks.map((watermark, index) =>
          this.#isIdle[index] === true ? Number.POSITIVE_INFINITY : watermark,
        ),
      ),
      complete: new Set(received),
    };
    this.#recordedBatch = undefined;
    if (this.#barrier?.checkpointId === checkpointId) this.#completeChannel();
  }

  /** An element is about to be processed, a batch from `start` on. */
  elementTaken(channel: number, element: StreamElement, start: number): void {
    if (element.kind === "watermark") this.watermarkTaken(channel, element.timestamp);
    else if (element.kind === "status") this.#isIdle[channel] = element.status === "IDLE";
    const recording = this.#recording;
    if (recording === undefined || recording.complete.has(channel)) return;
    if (element === this.#recordedBatch) return;
    this.#record(recording, channel, element, start);
    this.#recordedBatch = element;
  }

  /** Event time has come to a channel, through it or past it. */
  watermarkTaken(channel: number, watermark: number): void {
    if (watermark > (this.#watermarks[channel] ?? MIN_TIMESTAMP))
      this.#watermarks[channel] = watermark;
  }

  /** The batch that was being processed is done, and may come again as another one. */
  batchDone(): void {
    this.#recordedBatch = undefined;
  }

  /** Every barrier has come, or the checkpoint is given up. */
  stop(): Recorded | undefined {
    const recording = this.#recording;
    this.#recording = undefined;
    this.#recordedBatch = undefined;
    if (recording?.writer === undefined) return undefined;
    return { checkpointId: recording.checkpointId, state: recording.writer.finish() };
  }

  /** The coordinator has given this checkpoint up: what is recorded of it is of no use. */
  drop(checkpointId: number): void {
    if (this.#recording?.checkpointId === checkpointId) this.#recording.writer = undefined;
  }

  #completeChannel(): void {
    const recording = this.#recording;
    const barrier = this.#barrier;
    if (recording === undefined || barrier === undefined) return;
    const { channel, overtaken } = barrier;
    if (recording.complete.has(channel)) return;
    for (const { element, start } of overtaken) {
      if (element !== this.#recordedBatch) this.#record(recording, channel, element, start);
    }
    recording.complete.add(channel);
  }

  #record({ writer }: Recording, channel: number, element: StreamElement, start: number): void {
    if (element.kind === "records") writer?.addRecords(channel, element, start);
    else if (isKept(element)) writer?.addWatermark(channel, element.timestamp);
  }
}

function isKept(element: ControlElement): element is ControlElement & { kind: "watermark" } {
  return element.kind === "watermark";
}
