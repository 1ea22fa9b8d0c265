import { assert, present } from "../../base/index.ts";
import type { CheckpointBarrier } from "../../checkpoint/index.ts";
import { DirectGate } from "./direct-gate.ts";
import { RecordBatch } from "./record-batch.ts";
import type { ControlElement, StreamElement } from "./stream-element.ts";

/** The sending end of a channel: what a task's outputs write to. */
export interface ChannelWriter {
  /**
   * False while the channel holds as much as it may. The task then takes no further element; what the present one still emits is
   * taken all the same and lies beyond the bound.
   */
  hasRoom(): boolean;
  /** An empty batch to fill. */
  newBatch(): RecordBatch;
  /** Hands over a filled batch. */
  sendBatch(batch: RecordBatch): void;
  sendControl(element: ControlElement): void;
  /** True once the receiver has taken the end of data. */
  isEndOfDataTaken(): boolean;
  /** Set if the receiver may be driven directly. */
  readonly gate: DirectGate | undefined;
  /** What has gone in; undefined where elements go by reference. */
  readonly traffic?: ChannelTraffic;
}

/** What has gone through one end of a channel as bytes. */
export interface ChannelTraffic {
  readonly bytes: number;
  /** Frames: a batch of records is one, and so is a barrier. */
  readonly buffers: number;
}

/** The receiving end of a channel: what a task's input reads. */
export interface ChannelReader {
  /** The element in front, if any, which stays there. */
  peek(): StreamElement | undefined;
  /** Removes the element in front. */
  drop(): void;
  /** Gives a batch back once all of its records are processed. */
  recycle(batch: RecordBatch): void;
  /** Elements that wait. */
  size(): number;
  /** Records that wait. */
  queuedRecords(): number;
  /**
   * Barriers that lie in the channel, also behind other elements, in order. A channel that only knows what is in front has none.
   */
  barriers?(): readonly CheckpointBarrier[];
  /**
   * Takes a barrier out of its place. What it overtook stays, and still takes up room, so that a receiver that does not get on holds no
   * more after many checkpoints than after one.
   *
   * @returns The elements that were in front of it, in order.
   */
  overtake?(checkpointId: number): readonly StreamElement[];
  /** Set if the receiver may be driven directly. */
  readonly gate: DirectGate | undefined;
  /** What has come out; undefined where elements go by reference. */
  readonly traffic?: ChannelTraffic;
}

/** How much a channel holds. */
export interface ChannelLimits {
  /** Records of a full batch. */
  readonly batchSize: number;
  /** Records that may wait in the channel before its sender is held up. */
  readonly capacityRecords: number;
  /** Batches that may wait: bounds what many small batches cost. */
  readonly capacityBatches: number;
  /** Whether a receiver that has no other channel may be driven directly. */
  readonly isDirect?: boolean;
}

const POOL_SIZE = 8;
const NO_BARRIERS: readonly CheckpointBarrier[] = [];

/**
 * A bounded queue between two tasks of one slot.
 *
 * Invariants:
 *
 * - C1. Elements leave in the order in which they came.
 * - C2. Only a barrier leaves before what came earlier, and only when the receiver takes it out of its place.
 * - C3. Control elements are always taken: a barrier never waits for room, so alignment cannot deadlock.
 */
export class LocalChannel implements ChannelWriter, ChannelReader {
  readonly #limits: ChannelLimits;
  readonly #isKeyed: boolean;
  readonly #pool: RecordBatch[] = [];
  #ring: (StreamElement | undefined)[] = Array.from({ length: 16 });
  #head = 0;
  #size = 0;
  #records = 0;
  #batches = 0;
  #barriers = 0;
  #endOfDataTaken = false;
  readonly gate: DirectGate | undefined;

  constructor(limits: ChannelLimits, isKeyed: boolean) {
    this.gate = limits.isDirect === true ? new DirectGate() : undefined;
    this.#limits = limits;
    this.#isKeyed = isKeyed;
  }

  hasRoom(): boolean {
    return (
      this.#records < this.#limits.capacityRecords && this.#batches < this.#limits.capacityBatches
    );
  }

  newBatch(): RecordBatch {
    return this.#pool.pop() ?? new RecordBatch(this.#limits.batchSize, this.#isKeyed);
  }

  sendBatch(batch: RecordBatch): void {
    this.#records += batch.length;
    this.#batches++;
    this.#push(batch);
  }

  sendControl(element: ControlElement): void {
    if (element.kind === "barrier") this.#barriers++;
    this.#push(element);
  }

  isEndOfDataTaken(): boolean {
    return this.#endOfDataTaken;
  }

  peek(): StreamElement | undefined {
    return this.#size === 0 ? undefined : this.#ring[this.#head];
  }

  drop(): void {
    const element = this.#ring[this.#head];
    assert(this.#size > 0 && element !== undefined, "only what is there is dropped");
    this.#ring[this.#head] = undefined;
    this.#head = (this.#head + 1) & (this.#ring.length - 1);
    this.#size--;
    if (element.kind === "records") {
      this.#records -= element.length;
      this.#batches--;
    } else if (element.kind === "end-of-data") {
      this.#endOfDataTaken = true;
    } else if (element.kind === "barrier") {
      this.#barriers--;
    }
  }

  barriers(): readonly CheckpointBarrier[] {
    if (this.#barriers === 0) return NO_BARRIERS;
    return this.#elements().flatMap((element) =>
      element.kind === "barrier" ? [element.barrier] : [],
    );
  }

  overtake(checkpointId: number): readonly StreamElement[] {
    const elements = this.#elements();
    const at = elements.findIndex(
      (element) => element.kind === "barrier" && element.barrier.checkpointId === checkpointId,
    );
    assert(at >= 0, "only a barrier that is in the channel overtakes");
    const overtaken = elements.slice(0, at);
    this.#ring.fill(undefined);
    for (const [index, element] of [...overtaken, ...elements.slice(at + 1)].entries())
      this.#ring[index] = element;
    this.#head = 0;
    this.#size--;
    this.#barriers--;
    return overtaken;
  }

  recycle(batch: RecordBatch): void {
    if (this.#pool.length >= POOL_SIZE) return;
    batch.length = 0;
    this.#pool.push(batch);
  }

  size(): number {
    return this.#size;
  }

  queuedRecords(): number {
    return this.#records;
  }

  #elements(): readonly StreamElement[] {
    return Array.from({ length: this.#size }, (_, index) =>
      present(this.#ring[(this.#head + index) & (this.#ring.length - 1)], "what waits is there"),
    );
  }

  #push(element: StreamElement): void {
    if (this.gate !== undefined) this.gate.isClosed = true;
    if (this.#size === this.#ring.length) this.#grow();
    this.#ring[(this.#head + this.#size) & (this.#ring.length - 1)] = element;
    this.#size++;
  }

  #grow(): void {
    const old = this.#ring;
    const larger: (StreamElement | undefined)[] = Array.from({ length: old.length * 2 });
    for (let index = 0; index < this.#size; index++) {
      larger[index] = old[(this.#head + index) & (old.length - 1)];
    }
    this.#ring = larger;
    this.#head = 0;
  }
}
