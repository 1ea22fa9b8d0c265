/** The slab that the calendar's slots belong to; `ints` 6 and 7 of a slot's 8 are the calendar's. */
export interface TimerSlots {
  readonly times: Float64Array;
  readonly ints: Int32Array;
  isLive(slot: number): boolean;
  free(slot: number): void;
}

/** Width of a bucket, in milliseconds. */
const BUCKET_MS = 1000;

const NONE = -1;

/** A power of two; buckets of about an hour. */
const CACHE_LINES = 4096;

/**
 * Which timer comes first: buckets of one second, each an unordered linked list, of which only the one that is due is sorted.
 *
 * @remarks
 * Beside the sorted bucket stands a heap of what is registered at or before it while it is open. Timers that were deleted
 * there stay until they are met; elsewhere they leave their list at once.
 */
export class TimerCalendar {
  readonly #queue: TimerSlots;
  /** Orders two timers of one time. */
  readonly #ties: (a: number, b: number) => number;
  /** Where the head of each bucket's list stands. */
  readonly #buckets = new Map<number, number>();
  /** First slot of a bucket, or NONE if it has become empty. */
  #heads = new Int32Array(64);
  readonly #freeHeads: number[] = [];
  #headCount = 0;
  /** A little cache before the map: the bucket that a line holds, and where its head stands. */
  readonly #cachedBuckets = new Float64Array(CACHE_LINES).fill(Number.NaN);
  readonly #cachedHeads = new Int32Array(CACHE_LINES);
  /** Binary heap of the numbers of the buckets in the map. */
  readonly #bucketOrder: number[] = [];
  /** Buckets up to this one are open. */
  #openBucket = Number.NEGATIVE_INFINITY;
  #anyOpen = false;
  /** The timers of the open bucket, sorted; those before `runAt` are done. */
  #run: readonly number[] = [];
  #runAt = 0;
  /** Binary heap of slots. */
  readonly #late: number[] = [];
  /** Whether the first timer is in the heap; set by `firstDue`. */
  #firstIsLate = false;

  constructor(queue: TimerSlots, ties: (a: number, b: number) => number) {
    this.#queue = queue;
    this.#ties = ties;
  }

  add(slot: number, time: number): void {
    const bucket = Math.floor(time / BUCKET_MS);
    if (this.#anyOpen && bucket <= this.#openBucket) {
      this.#pushLate(slot);
      return;
    }
    const line = bucket & (CACHE_LINES - 1);
    const place =
      this.#cachedBuckets[line] === bucket
        ? (this.#cachedHeads[line] as number)
        : this.#placeOf(bucket, line);
    const { ints } = this.#queue;
    const head = this.#heads[place] as number;
    ints[slot * 8 + 6] = head;
    ints[slot * 8 + 7] = NONE;
    if (head !== NONE) ints[head * 8 + 7] = slot;
    this.#heads[place] = slot;
  }

  #placeOf(bucket: number, line: number): number {
    let place = this.#buckets.get(bucket);
    if (place === undefined) {
      place = this.#freeHeads.pop() ?? this.#headCount++;
      if (place === this.#heads.length) this.#heads = grown(this.#heads);
      this.#heads[place] = NONE;
      this.#buckets.set(bucket, place);
      this.#pushBucket(bucket);
    }
    this.#cachedBuckets[line] = bucket;
    this.#cachedHeads[line] = place;
    return place;
  }

  /** Returns false if the slot must wait until it is met. */
  remove(slot: number): boolean {
    const bucket = Math.floor((this.#queue.times[slot * 4] as number) / BUCKET_MS);
    if (this.#anyOpen && bucket <= this.#openBucket) return false;
    const { ints } = this.#queue;
    const next = ints[slot * 8 + 6] as number;
    const previous = ints[slot * 8 + 7] as number;
    if (next !== NONE) ints[next * 8 + 7] = previous;
    if (previous === NONE) this.#heads[this.#buckets.get(bucket) as number] = next;
    else ints[previous * 8 + 6] = next;
    return true;
  }

  firstDue(time: number): number {
    for (;;) {
      const run = this.#runHead();
      const late = this.#lateHead();
      if (run !== NONE || late !== NONE) {
        this.#firstIsLate = run === NONE || (late !== NONE && this.#compare(late, run) < 0);
        const first = this.#firstIsLate ? late : run;
        return (this.#queue.times[first * 4] as number) <= time ? first : NONE;
      }
      const bucket = this.#bucketOrder[0];
      if (bucket === undefined || startOf(bucket) > time) return NONE;
      this.#openNext(bucket);
    }
  }

  takeFirst(): void {
    if (this.#firstIsLate) this.#popLate();
    else this.#runAt++;
  }

  #runHead(): number {
    while (this.#runAt < this.#run.length) {
      const slot = this.#run[this.#runAt] as number;
      if (this.#queue.isLive(slot)) return slot;
      this.#runAt++;
      this.#queue.free(slot);
    }
    return NONE;
  }

  #lateHead(): number {
    while (this.#late.length > 0) {
      const slot = this.#late[0] as number;
      if (this.#queue.isLive(slot)) return slot;
      this.#popLate();
      this.#queue.free(slot);
    }
    return NONE;
  }

  #openNext(bucket: number): void {
    this.#popBucket();
    const place = this.#buckets.get(bucket) as number;
    this.#buckets.delete(bucket);
    this.#freeHeads.push(place);
    const line = bucket & (CACHE_LINES - 1);
    if (this.#cachedBuckets[line] === bucket) this.#cachedBuckets[line] = Number.NaN;
    this.#openBucket = bucket;
    this.#anyOpen = true;
    this.#runAt = 0;
    this.#run = this.#sorted(this.#heads[place] as number, startOf(bucket));
  }

  /** The list in order. Times are sorted as numbers that carry the slot in their low 32 bits: that needs no comparator. */
  #sorted(head: number, startMs: number): readonly number[] {
    const slots: number[] = [];
    const { times, ints } = this.#queue;
    for (let slot = head; slot !== NONE; slot = ints[slot * 8 + 6] as number) slots.push(slot);
    if (slots.length < 2) return slots;
    if (!Number.isFinite(startMs)) return slots.sort((a, b) => this.#compare(a, b));
    const packed = new Float64Array(slots.length);
    for (let index = 0; index < slots.length; index++) {
      const slot = slots[index] as number;
      packed[index] = Math.floor((times[slot * 4] as number) - startMs) * 0x1_0000_0000 + slot;
    }
    packed.sort();
    let tied = false;
    let before = -1;
    for (let index = 0; index < packed.length; index++) {
      const value = packed[index] as number;
      const time = Math.floor(value / 0x1_0000_0000);
      slots[index] = value - time * 0x1_0000_0000;
      if (time === before) tied = true;
      before = time;
    }
    if (tied) this.#sortTies(slots);
    return slots;
  }

  #sortTies(slots: number[]): void {
    const { times } = this.#queue;
    for (let start = 0; start < slots.length;) {
      let end = start + 1;
      const time = Math.floor(times[(slots[start] as number) * 4] as number);
      while (end < slots.length && Math.floor(times[(slots[end] as number) * 4] as number) === time)
        end++;
      if (end - start > 1) {
        const tied = slots.slice(start, end).sort((a, b) => this.#compare(a, b));
        for (const [index, slot] of tied.entries()) slots[start + index] = slot;
      }
      start = end;
    }
  }

  #compare(a: number, b: number): number {
    const { times } = this.#queue;
    const left = times[a * 4] as number;
    const right = times[b * 4] as number;
    if (left !== right) return left < right ? -1 : 1;
    return this.#ties(a, b);
  }

  #pushLate(slot: number): void {
    const heap = this.#late;
    let at = heap.length;
    heap.push(slot);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (this.#compare(heap[parent] as number, slot) <= 0) break;
      heap[at] = heap[parent] as number;
      at = parent;
    }
    heap[at] = slot;
  }

  #popLate(): void {
    const heap = this.#late;
    const last = heap.pop() as number;
    const { length } = heap;
    if (length === 0) return;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= length) break;
      if (child + 1 < length && this.#compare(heap[child + 1] as number, heap[child] as number) < 0)
        child++;
      if (this.#compare(last, heap[child] as number) <= 0) break;
      heap[at] = heap[child] as number;
      at = child;
    }
    heap[at] = last;
  }

  #pushBucket(bucket: number): void {
    const heap = this.#bucketOrder;
    let at = heap.length;
    heap.push(bucket);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if ((heap[parent] as number) <= bucket) break;
      heap[at] = heap[parent] as number;
      at = parent;
    }
    heap[at] = bucket;
  }

  #popBucket(): void {
    const heap = this.#bucketOrder;
    const last = heap.pop() as number;
    const { length } = heap;
    if (length === 0) return;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= length) break;
      if (child + 1 < length && (heap[child + 1] as number) < (heap[child] as number)) child++;
      if (last <= (heap[child] as number)) break;
      heap[at] = heap[child] as number;
      at = child;
    }
    heap[at] = last;
  }
}

function startOf(bucket: number): number {
  return bucket * BUCKET_MS;
}

function grown(from: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const to = new Int32Array(from.length * 2);
  to.set(from);
  return to;
}
