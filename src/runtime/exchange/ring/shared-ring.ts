import { assert } from "../../../base/index.ts";

/**
 * Bytes from one thread to another: a bounded stream in shared memory, with one end that writes and one that reads.
 *
 * Invariants:
 *
 * - R1. Only the producer moves the tail, only the consumer moves the head; each is stored after the bytes it stands for.
 * - R2. `tail - head` is between 0 and the capacity; both count bytes and wrap at 2^32.
 * - R3. A producer that found no room is told of room: it says that it waits *before* it looks a last time.
 */

/** Words of the control block; tail and head lie in cache lines of their own. */
const TAIL = 0;
const SENT_RECORDS = 1;
const PRODUCER_WAITS = 2;
const SENT_BARRIERS = 3;
const HEAD = 16;
const END_OF_DATA_TAKEN = 17;
const AHEAD_BYTES = 18;
const CONTROL_WORDS = 32;
const CONTROL_BYTES = CONTROL_WORDS * 4;

/** A ring as it is handed to both of its ends. */
export interface RingMemory {
  readonly buffer: SharedArrayBuffer;
  readonly offsetBytes: number;
  /** A power of two. */
  readonly capacityBytes: number;
}

/** Makes `count` rings in one piece of shared memory. */
export function allocateRings(count: number, capacityBytes: number): readonly RingMemory[] {
  assert(
    capacityBytes >= 64 && (capacityBytes & (capacityBytes - 1)) === 0,
    "a ring's capacity is a power of two",
  );
  const strideBytes = CONTROL_BYTES + capacityBytes;
  const buffer = new SharedArrayBuffer(Math.max(1, count) * strideBytes);
  return Array.from({ length: count }, (_, index) => ({
    buffer,
    offsetBytes: index * strideBytes,
    capacityBytes,
  }));
}

/** What both ends have. */
class RingEnd {
  protected readonly control: Int32Array;
  protected readonly data: Uint8Array;
  protected readonly mask: number;

  constructor({ buffer, offsetBytes, capacityBytes }: RingMemory) {
    this.control = new Int32Array(buffer, offsetBytes, CONTROL_WORDS);
    this.data = new Uint8Array(buffer, offsetBytes + CONTROL_BYTES, capacityBytes);
    this.mask = capacityBytes - 1;
  }

  get capacityBytes(): number {
    return this.data.length;
  }
}

/** The end that writes. */
export class RingProducer extends RingEnd {
  #tail = 0;

  /** Copies as much as there is room for, from `start` on. @returns How many bytes that was. */
  write(bytes: Uint8Array, start: number): number {
    const tail = this.#tail;
    const room = this.data.length - ((tail - Atomics.load(this.control, HEAD)) | 0);
    const count = Math.min(room, bytes.length - start);
    if (count === 0) return 0;
    const at = tail & this.mask;
    const first = Math.min(count, this.data.length - at);
    this.data.set(bytes.subarray(start, start + first), at);
    if (first < count) this.data.set(bytes.subarray(start + first, start + count), 0);
    this.#tail = (tail + count) | 0;
    Atomics.store(this.control, TAIL, this.#tail);
    return count;
  }

  /** Asks to be told of room. What is written after this either fits or is followed by a notice. */
  awaitRoom(): void {
    Atomics.store(this.control, PRODUCER_WAITS, 1);
  }

  countRecords(count: number): void {
    this.control[SENT_RECORDS] = ((this.control[SENT_RECORDS] ?? 0) + count) | 0;
  }

  /** Tells the consumer that a barrier is on its way, maybe still behind what has no room. */
  announceBarrier(): void {
    Atomics.add(this.control, SENT_BARRIERS, 1);
  }

  /** Bytes that the consumer has taken out before their turn, to find a barrier behind them. */
  get aheadBytes(): number {
    return Atomics.load(this.control, AHEAD_BYTES);
  }

  get isEndOfDataTaken(): boolean {
    return Atomics.load(this.control, END_OF_DATA_TAKEN) === 1;
  }
}

/** The end that reads. */
export class RingConsumer extends RingEnd {
  #head = 0;

  /** Bytes that wait. */
  get availableBytes(): number {
    return (Atomics.load(this.control, TAIL) - this.#head) | 0;
  }

  /** Moves at most `limit` bytes into the target. @returns How many. */
  read(target: Uint8Array, start: number, limit: number): number {
    const count = Math.min(limit, this.availableBytes);
    if (count === 0) return 0;
    const at = this.#head & this.mask;
    const first = Math.min(count, this.data.length - at);
    target.set(this.data.subarray(at, at + first), start);
    if (first < count) target.set(this.data.subarray(0, count - first), start + first);
    this.#head = (this.#head + count) | 0;
    Atomics.store(this.control, HEAD, this.#head);
    return count;
  }

  /** True once for each wait of the producer, when at least half of the ring is free. */
  takeWait(): boolean {
    if (Atomics.load(this.control, PRODUCER_WAITS) === 0) return false;
    if (this.availableBytes > this.data.length >> 1) return false;
    return Atomics.exchange(this.control, PRODUCER_WAITS, 0) === 1;
  }

  /** Records that were ever sent, wrapping at 2^32. */
  get sentRecords(): number {
    return Atomics.load(this.control, SENT_RECORDS);
  }

  /** Barriers that were ever announced, wrapping at 2^32. */
  get sentBarriers(): number {
    return Atomics.load(this.control, SENT_BARRIERS);
  }

  set aheadBytes(bytes: number) {
    Atomics.store(this.control, AHEAD_BYTES, bytes);
  }

  markEndOfDataTaken(): void {
    Atomics.store(this.control, END_OF_DATA_TAKEN, 1);
  }
}
