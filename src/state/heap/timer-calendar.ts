/** The slab that the calendar's slots belong to. */
export interface TimerSlots {
  readonly times: Float64Array;
  isLive(slot: number): boolean;
  free(slot: number): void;
}

/** Width of a bucket, in milliseconds. */
const BUCKET_MS = 1000;

const NONE = -1;

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
  /** First slot of each bucket, or NONE if it has become empty. */
  readonly #buckets = new Map<number, number>();
  /** Binary heap of the numbers of the buckets in the map. */
  readonly #bucketOrder: number[] = [];
  #next = new Int32Array(16);
  #previous = new Int32Array(16);
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

  grow(length: number): void {
    this.#next = grown(this.#next, new Int32Array(length));
    this.#previous = grown(this.#previous, new Int32Array(length));
  }

  add(slot: number, time: number): void {
    const bucket = bucketOf(time);
    if (this.#anyOpen && bucket <= this.#openBucket) {
      this.#pushLate(slot);
      return;
    }
    let head = this.#buckets.get(bucket);
    if (head === undefined) {
      head = NONE;
      this.#pushBucket(bucket);
    }
    this.#next[slot] = head;
    this.#previous[slot] = NONE;
    if (head !== NONE) this.#previous[head] = slot;
    this.#buckets.set(bucket, slot);
  }

  /** Returns false if the slot must wait until it is met. */
  remove(slot: number): boolean {
    const bucket = bucketOf(this.#queue.times[slot] as number);
    if (this.#anyOpen && bucket <= this.#openBucket) return false;
    const next = this.#next[slot] as number;
    const previous = this.#previous[slot] as number;
    if (next !== NONE) this.#previous[next] = previous;
    if (previous === NONE) this.#buckets.set(bucket, next);
    else this.#next[previous] = next;
    return true;
  }

  firstDue(time: number): number {
    for (;;) {
      const run = this.#runHead();
      const late = this.#lateHead();
      if (run !== NONE || late !== NONE) {
        this.#firstIsLate = run === NONE || (late !== NONE && this.#compare(late, run) < 0);
        const first = this.#firstIsLate ? late : run;
        return (this.#queue.times[first] as number) <= time ? first : NONE;
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
    const head = this.#buckets.get(bucket) ?? NONE;
    this.#buckets.delete(bucket);
    this.#openBucket = bucket;
    this.#anyOpen = true;
    this.#runAt = 0;
    this.#run = this.#sorted(head, startOf(bucket));
  }

  /** The list in order. Times are sorted as numbers that carry the slot in their low 32 bits: that needs no comparator. */
  #sorted(head: number, startMs: number): readonly number[] {
    const slots: number[] = [];
    for (let slot = head; slot !== NONE; slot = this.#next[slot] as number) slots.push(slot);
    const { times } = this.#queue;
    if (slots.length < 2) return slots;
    if (!Number.isFinite(startMs)) return slots.sort((a, b) => this.#compare(a, b));
    const packed = new Float64Array(slots.length);
    for (let index = 0; index < slots.length; index++) {
      const slot = slots[index] as number;
      packed[index] = Math.floor((times[slot] as number) - startMs) * 0x1_0000_0000 + slot;
    }
    packed.sort();
    for (let index = 0; index < packed.length; index++)
      slots[index] = (packed[index] as number) % 0x1_0000_0000;
    this.#sortTies(slots);
    return slots;
  }

  #sortTies(slots: number[]): void {
    const { times } = this.#queue;
    for (let start = 0; start < slots.length;) {
      let end = start + 1;
      const time = Math.floor(times[slots[start] as number] as number);
      while (end < slots.length && Math.floor(times[slots[end] as number] as number) === time)
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
    const left = times[a] as number;
    const right = times[b] as number;
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

function bucketOf(time: number): number {
  return Math.floor(time / BUCKET_MS);
}

function startOf(bucket: number): number {
  return bucket * BUCKET_MS;
}

/** The longer array, with the shorter one's content at its front. */
export function grown<A extends Float64Array | Int32Array>(from: A, to: A): A {
  to.set(from);
  return to;
}
