import { assert } from "../../../base/index.ts";
import type { CheckpointBarrier } from "../../../checkpoint/index.ts";
import type { ChannelLimits, ChannelReader, ChannelWriter } from "../channel.ts";
import { RecordBatch } from "../record-batch.ts";
import type { ControlElement, StreamElement } from "../stream-element.ts";
import {
  type ChannelCodec,
  contentBytesOf,
  ElementDecoder,
  ElementEncoder,
  filledBytes,
  FRAME_HEADER_BYTES,
} from "./element-codec.ts";
import { RingConsumer, type RingMemory, RingProducer } from "./shared-ring.ts";
import type { DrainResult, Overflowing, SlotPort } from "./slot-port.ts";

/**
 * A channel between tasks of two slots: encoded elements in a ring.
 *
 * Invariants (those of `LocalChannel` hold, too):
 *
 * - X1. What does not fit waits at the sender, in order, and nothing passes it. So a frame may be larger than the ring: it goes in pieces.
 * - X2. Only a barrier leaves before what came earlier. The receiver takes out what lies in front of it, and as long as that is much the sender
 *   has no room: so a receiver that does not get on holds no more after many checkpoints than after one.
 * - X3. A sender never blocks: a full ring shows as {@link ChannelWriter.hasRoom}, and the slot goes on with its other tasks.
 */

/** What either end is made of. */
export interface RingEndParameters {
  readonly memory: RingMemory;
  readonly codec: ChannelCodec;
  readonly limits: ChannelLimits;
  readonly port: SlotPort;
  /** Slot of the other end. */
  readonly peerSlot: number;
}

/** The sending end. */
export class RingWriter implements ChannelWriter, Overflowing {
  readonly gate: undefined = undefined;
  readonly traffic: { bytes: number; buffers: number } = { bytes: 0, buffers: 0 };
  readonly #p: RingEndParameters;
  readonly #ring: RingProducer;
  readonly #encoder: ElementEncoder;
  readonly #isKeyed: boolean;
  #spare: RecordBatch | undefined;
  /** Pieces that wait for room, the first one from `#offset` on. */
  #waiting: Uint8Array[] = [];
  #offset = 0;

  constructor(parameters: RingEndParameters) {
    this.#p = parameters;
    this.#ring = new RingProducer(parameters.memory);
    this.#encoder = new ElementEncoder(parameters.codec);
    this.#isKeyed = parameters.codec.keyType !== undefined;
  }

  hasRoom(): boolean {
    if (this.#waiting.length > 0 && this.drain() !== "EMPTY") return false;
    const ring = this.#ring;
    if (ring.aheadBytes === 0) return true;
    ring.awaitRoom();
    return ring.aheadBytes <= ring.capacityBytes >> 1;
  }

  newBatch(): RecordBatch {
    const batch = this.#spare ?? new RecordBatch(this.#p.limits.batchSize, this.#isKeyed);
    this.#spare = undefined;
    return batch;
  }

  /** @throws StreamError VALUE_NOT_SERIALIZABLE. */
  sendBatch(batch: RecordBatch): void {
    this.#send(this.#encoder.records(batch));
    this.#ring.countRecords(batch.length);
    batch.length = 0;
    this.#spare = batch;
  }

  sendControl(element: ControlElement): void {
    if (element.kind === "barrier") this.#ring.announceBarrier();
    this.#send(this.#encoder.control(element));
  }

  isEndOfDataTaken(): boolean {
    return this.#ring.isEndOfDataTaken;
  }

  drain(): DrainResult {
    let moved = this.#drainOnce();
    if (this.#waiting.length > 0) {
      this.#ring.awaitRoom();
      if (this.#drainOnce()) moved = true;
    }
    if (moved) this.#p.port.ring(this.#p.peerSlot);
    return this.#waiting.length === 0 ? "EMPTY" : moved ? "MOVED" : "STUCK";
  }

  #send(frame: Uint8Array): void {
    const { port, peerSlot } = this.#p;
    this.traffic.bytes += frame.length;
    this.traffic.buffers++;
    const taken = this.#waiting.length === 0 ? this.#ring.write(frame, 0) : 0;
    if (taken > 0) port.ring(peerSlot);
    if (taken === frame.length) return;
    this.#waiting.push(frame.slice(taken));
    port.addOverflowing(this);
    this.drain();
  }

  #drainOnce(): boolean {
    let moved = false;
    for (let piece = this.#waiting[0]; piece !== undefined; piece = this.#waiting[0]) {
      const taken = this.#ring.write(piece, this.#offset);
      if (taken > 0) moved = true;
      this.#offset += taken;
      if (this.#offset < piece.length) return moved;
      this.#waiting.shift();
      this.#offset = 0;
    }
    return moved;
  }
}

const KEPT_BYTES = 1 << 20;

/** The receiving end. */
export class RingReader implements ChannelReader {
  readonly gate: undefined = undefined;
  readonly traffic: { bytes: number; buffers: number } = { bytes: 0, buffers: 0 };
  readonly #p: RingEndParameters;
  readonly #ring: RingConsumer;
  readonly #decoder: ElementDecoder;
  /** Elements that were taken out of the ring: the one in front, and those among which barriers were looked for. */
  readonly #decoded: { readonly element: StreamElement; readonly sizeBytes: number }[] = [];
  /** Of all decoded elements but the one in front. */
  #aheadBytes = 0;
  #seenBarriers = 0;
  #takenRecords = 0;
  /** The frame that is coming in, its length first. */
  #frame: Uint8Array = new Uint8Array(4096);
  #have = 0;
  #contentBytes: number | undefined;

  constructor(parameters: RingEndParameters) {
    this.#p = parameters;
    this.#ring = new RingConsumer(parameters.memory);
    this.#decoder = new ElementDecoder(parameters.codec, parameters.limits.batchSize);
  }

  peek(): StreamElement | undefined {
    const front = this.#decoded[0];
    if (front !== undefined) return front.element;
    this.#decodeNext();
    this.#wakeWriter();
    return this.#decoded[0]?.element;
  }

  drop(): void {
    const front = this.#decoded.shift();
    assert(front !== undefined, "only what is there is dropped");
    const { element } = front;
    if (this.#aheadBytes > 0) this.#setAhead(this.#aheadBytes - (this.#decoded[0]?.sizeBytes ?? 0));
    if (element.kind === "records") this.#takenRecords = (this.#takenRecords + element.length) | 0;
    else if (element.kind === "end-of-data") {
      this.#ring.markEndOfDataTaken();
      this.#p.port.ring(this.#p.peerSlot);
    }
  }

  barriers(): readonly CheckpointBarrier[] {
    if (this.#seenBarriers !== this.#ring.sentBarriers) this.#decodeAhead();
    return this.#decoded.flatMap(({ element }) =>
      element.kind === "barrier" ? [element.barrier] : [],
    );
  }

  overtake(checkpointId: number): readonly StreamElement[] {
    const at = this.#decoded.findIndex(
      ({ element }) => element.kind === "barrier" && element.barrier.checkpointId === checkpointId,
    );
    assert(at >= 0, "only a barrier that is in the channel overtakes");
    this.#decoded.splice(at, 1);
    this.#setAhead(this.#decoded.slice(1).reduce((sum, { sizeBytes }) => sum + sizeBytes, 0));
    return this.#decoded.slice(0, at).map(({ element }) => element);
  }

  recycle(batch: RecordBatch): void {
    this.#decoder.recycle(batch);
  }

  size(): number {
    const isComing = this.#have > 0 || this.#contentBytes !== undefined;
    const waiting = isComing || this.#ring.availableBytes > 0 ? 1 : 0;
    return waiting + this.#decoded.length;
  }

  queuedRecords(): number {
    return (this.#ring.sentRecords - this.#takenRecords) | 0;
  }

  /** @returns True if there was an element. */
  #decodeNext(): boolean {
    const sizeBytes = this.#assemble();
    if (sizeBytes === undefined) return false;
    const element = this.#decoder.decode(this.#frame, sizeBytes);
    this.traffic.bytes += FRAME_HEADER_BYTES + filledBytes(sizeBytes);
    this.traffic.buffers++;
    if (element.kind === "barrier") this.#seenBarriers = (this.#seenBarriers + 1) | 0;
    this.#decoded.push({ element, sizeBytes });
    return true;
  }

  /** Takes out what lies before a barrier that is on its way. */
  #decodeAhead(): void {
    let aheadBytes = this.#aheadBytes;
    while (this.#seenBarriers !== this.#ring.sentBarriers && this.#decodeNext()) {
      if (this.#decoded.length > 1) aheadBytes += this.#decoded.at(-1)?.sizeBytes ?? 0;
    }
    this.#setAhead(aheadBytes);
  }

  #setAhead(bytes: number): void {
    this.#aheadBytes = bytes;
    this.#ring.aheadBytes = bytes;
    this.#wakeWriter();
  }

  #wakeWriter(): void {
    if (this.#ring.takeWait()) this.#p.port.ring(this.#p.peerSlot);
  }

  /** Takes in what has come of the next frame. @returns The length of its content once it is whole. */
  #assemble(): number | undefined {
    if (this.#contentBytes === undefined) {
      if (!this.#fill(FRAME_HEADER_BYTES)) return undefined;
      this.#contentBytes = contentBytesOf(this.#frame);
      this.#have = 0;
      this.#fit(filledBytes(this.#contentBytes));
    }
    const contentBytes = this.#contentBytes;
    if (!this.#fill(filledBytes(contentBytes))) return undefined;
    this.#have = 0;
    this.#contentBytes = undefined;
    return contentBytes;
  }

  /** Memory for a frame; that of a huge one is not kept for ever. */
  #fit(bytes: number): void {
    const { length } = this.#frame;
    const isWasteful = length > KEPT_BYTES && bytes < KEPT_BYTES;
    if (bytes > length || isWasteful) this.#frame = new Uint8Array(Math.max(bytes, 4096));
  }

  /** @returns True once there are so many bytes. */
  #fill(bytes: number): boolean {
    this.#have += this.#ring.read(this.#frame, this.#have, bytes - this.#have);
    return this.#have === bytes;
  }
}
