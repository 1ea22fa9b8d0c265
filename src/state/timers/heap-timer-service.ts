import {
  type ByteReader,
  ByteWriter,
  longToTimestamp,
  MIN_TIMESTAMP,
  timestampToLong,
} from "../../base/index.ts";
import {
  canonicalKeyBytes,
  compareBytes,
  compareKeys,
  compositeParts,
  compositeSnapshot,
  resolveCompatibility,
  TIMER_SNAPSHOT_CLASS,
  type TypeSerializer,
  voidNamespace,
} from "../../serde/index.ts";
import type {
  InternalTimerService,
  NamespaceOptions,
  ProcessingTimeService,
  Triggerable,
} from "../keyed-state.ts";
import type { StateChange } from "../keyed-state-backend.ts";
import { decodeSection, incompatible } from "../snapshot/adopt-state.ts";
import type {
  PartWalk,
  SnapshotOwner,
  SnapshotPart,
  StateSections,
} from "../snapshot/heap-snapshot.ts";
import type { KeyContext } from "../heap/key-context.ts";
import type { RestoredState } from "../snapshot/restored-state.ts";
import { keyReader, type RestoredStates } from "../snapshot/restored-states.ts";
import type { StateMetaInfo } from "../state-meta-info.ts";
import { TimerQueue, type TimerWalk } from "./timer-queue.ts";

/** What a timer service needs to know of its backend. */
interface TimerOwner extends SnapshotOwner {
  readonly processingTime: ProcessingTimeService;
}

/**
 * The timers of one operator's service, both domains.
 *
 * @remarks
 * Processing timers share one system timer, set for the earliest of them.
 * Source: Flink `InternalTimerServiceImpl`.
 */
export class HeapTimerService<N> implements InternalTimerService<N> {
  currentWatermark: number = MIN_TIMESTAMP;
  readonly #name: string;
  readonly #namespace: NamespaceOptions<N>;
  readonly #target: Triggerable<N>;
  readonly #context: KeyContext;
  readonly #owner: TimerOwner;
  readonly #event: TimerQueue;
  readonly #processing: TimerQueue;
  #changes: StateChange[] | undefined = undefined;
  #cancelSystemTimer: (() => void) | undefined = undefined;
  /** For when the system timer is set; infinity if it is not. */
  #systemTimerAtMs = Number.POSITIVE_INFINITY;
  #closed = false;

  constructor(
    name: string,
    namespace: NamespaceOptions<N>,
    target: Triggerable<N>,
    context: KeyContext,
    owner: TimerOwner,
    restored: RestoredStates,
  ) {
    this.#name = name;
    this.#namespace = namespace;
    this.#target = target;
    this.#context = context;
    this.#owner = owner;
    const ties = timerTies(namespace.type as TypeSerializer<unknown>);
    const spaced = namespace.type.snapshot.className !== voidNamespace.snapshot.className;
    this.#event = new TimerQueue(context, spaced, ties);
    this.#processing = new TimerQueue(context, spaced, ties);
    this.#adopt(restored.take(this.#stateName("event")), this.#event);
    this.#adopt(restored.take(this.#stateName("processing")), this.#processing);
    this.#setSystemTimer();
  }

  currentProcessingTime(): number {
    return this.#owner.processingTime.nowMs();
  }

  registerEventTimeTimer(namespace: N, timestamp: number): void {
    if (!this.#event.add(namespace, this.#namespace.identity(namespace), timestamp)) return;
    if (this.#changes !== undefined) this.#noteChange("event", namespace, timestamp, true);
  }

  deleteEventTimeTimer(namespace: N, timestamp: number): void {
    if (!this.#event.delete(this.#namespace.identity(namespace), timestamp)) return;
    if (this.#changes !== undefined) this.#noteChange("event", namespace, timestamp, false);
  }

  registerProcessingTimeTimer(namespace: N, timestamp: number): void {
    if (!this.#processing.add(namespace, this.#namespace.identity(namespace), timestamp)) return;
    if (this.#changes !== undefined) this.#noteChange("processing", namespace, timestamp, true);
    if (timestamp < this.#systemTimerAtMs) this.#setSystemTimer();
  }

  deleteProcessingTimeTimer(namespace: N, timestamp: number): void {
    if (!this.#processing.delete(this.#namespace.identity(namespace), timestamp)) return;
    if (this.#changes !== undefined) this.#noteChange("processing", namespace, timestamp, false);
  }

  advanceWatermark(watermark: number): void {
    this.advanceWatermarkSlice(watermark, Number.POSITIVE_INFINITY);
  }

  advanceWatermarkSlice(watermark: number, budget: number): boolean {
    this.currentWatermark = watermark;
    const queue = this.#event;
    for (let fired = 0; ; fired++) {
      const slot = queue.firstDue(watermark);
      if (slot < 0) return true;
      if (fired >= budget) return false;
      const namespace = this.#take(queue, slot, "event");
      this.#target.onEventTime(this.#firedAt, namespace);
    }
  }

  #firedAt = 0;

  /** Removes a timer that is about to fire and sets its key. */
  #take(queue: TimerQueue, slot: number, domain: "event" | "processing"): N {
    const namespace = queue.spaceAt(slot) as N;
    this.#firedAt = queue.timeAt(slot);
    this.#context.setKnown(queue.keyAt(slot), queue.hashAt(slot), queue.idAt(slot));
    queue.takeFirst(slot);
    if (this.#changes !== undefined) this.#noteChange(domain, namespace, this.#firedAt, false);
    return namespace;
  }

  #onSystemTimer(atMs: number): void {
    this.#cancelSystemTimer = undefined;
    // Timers that are set meanwhile need no system timer of their own: it is set again afterwards.
    this.#systemTimerAtMs = Number.NEGATIVE_INFINITY;
    const queue = this.#processing;
    try {
      for (let slot = queue.firstDue(atMs); slot >= 0; slot = queue.firstDue(atMs)) {
        const namespace = this.#take(queue, slot, "processing");
        this.#target.onProcessingTime(this.#firedAt, namespace);
      }
    } finally {
      this.#systemTimerAtMs = Number.POSITIVE_INFINITY;
      this.#setSystemTimer();
    }
  }

  /** Sets the system timer for the earliest processing timer, unless it is set for that time or an earlier one. */
  #setSystemTimer(): void {
    if (this.#closed || this.#systemTimerAtMs === Number.NEGATIVE_INFINITY) return;
    const first = this.#processing.firstDue(Number.POSITIVE_INFINITY);
    if (first < 0) return;
    const atMs = this.#processing.timeAt(first);
    if (atMs >= this.#systemTimerAtMs) return;
    this.#cancelSystemTimer?.();
    this.#systemTimerAtMs = atMs;
    this.#cancelSystemTimer = this.#owner.processingTime.registerTimer(atMs, (firedAtMs) =>
      this.#onSystemTimer(Math.max(atMs, firedAtMs)),
    );
  }

  eventTimerCount(): number {
    return this.#event.size;
  }

  processingTimerCount(): number {
    return this.#processing.size;
  }

  close(): void {
    this.#closed = true;
    this.#cancelSystemTimer?.();
    this.#cancelSystemTimer = undefined;
  }

  /** What a snapshot writes of these timers. */
  parts(): readonly SnapshotPart[] {
    return [this.#part("processing", this.#processing), this.#part("event", this.#event)];
  }

  /** What stands beside the timers of each domain. */
  metaInfos(): readonly StateMetaInfo[] {
    return [this.#metaInfo("processing"), this.#metaInfo("event")];
  }

  #part(domain: "event" | "processing", queue: TimerQueue): SnapshotPart {
    const write = (slot: number, sections: StateSections): void => {
      const hash = queue.hashAt(slot);
      const out = sections.begin(hash);
      const start = out.length;
      try {
        writeFlippedTime(queue.timeAt(slot), out);
        this.#owner.keyType.write(queue.keyAt(slot), out);
        this.#namespace.type.write(queue.spaceAt(slot) as N, out);
        sections.end(hash);
      } catch (error) {
        out.truncate(start);
        sections.failure ??= error;
      }
    };
    return {
      meta: this.#metaInfo(domain),
      open: (sections, epoch) => [new OpenTimerWalk(queue, epoch, (slot) => write(slot, sections))],
    };
  }

  #stateName(domain: "event" | "processing"): string {
    return `_timer_state/${domain}_${this.#name}`;
  }

  #metaInfo(domain: "event" | "processing"): StateMetaInfo {
    const parts = [this.#owner.keyType.snapshot, this.#namespace.type.snapshot];
    return {
      name: this.#stateName(domain),
      type: "PRIORITY_QUEUE",
      options: new Map(),
      serializers: new Map([
        ["VALUE_SERIALIZER", compositeSnapshot(TIMER_SNAPSHOT_CLASS, 2, parts)],
      ]),
    };
  }

  #adopt(restored: RestoredState | undefined, queue: TimerQueue): void {
    if (restored === undefined) return;
    const readNamespace = this.#namespaceReader(restored);
    const readKey = keyReader(this.#owner.keyType, this.#owner.maxParallelism);
    for (const section of restored.sections) {
      decodeSection(section, restored.meta.name, this.#owner, (input) => {
        const time = readFlippedTime(input);
        const { key, hash } = readKey(input, section.keyGroup);
        const namespace = readNamespace(input) as N;
        this.#context.set(key, hash);
        queue.add(namespace, this.#namespace.identity(namespace), time);
      });
    }
  }

  #namespaceReader({ meta }: RestoredState): (input: ByteReader) => unknown {
    const timer = meta.serializers.get("VALUE_SERIALIZER");
    const old = timer === undefined ? undefined : compositeParts(timer)?.nested[1];
    if (old === undefined) throw incompatible(this.#owner, meta.name, ["it does not hold timers"]);
    const compatibility = resolveCompatibility(old, this.#namespace.type);
    if (compatibility.kind === "incompatible")
      throw incompatible(this.#owner, meta.name, compatibility.reasons);
    const reader = compatibility.kind === "migrate" ? compatibility.reader : this.#namespace.type;
    return (input) => reader.read(input);
  }

  trackChanges(): void {
    this.#changes ??= [];
  }

  /** Timers as changes: the map key is the time, as in the snapshot; the value of one that is there is empty. */
  takeChanges(): readonly StateChange[] {
    const changes = this.#changes ?? [];
    if (this.#changes !== undefined) this.#changes = [];
    return changes;
  }

  #noteChange(domain: "event" | "processing", namespace: N, time: number, there: boolean): void {
    const { key, hash } = this.#context;
    const mapKey = new ByteWriter(8);
    writeFlippedTime(time, mapKey);
    const space = new ByteWriter(16);
    this.#namespace.type.write(namespace, space);
    this.#changes?.push({
      state: this.#stateName(domain),
      keyHash: hash,
      key: canonicalKeyBytes(key, this.#owner.keyType.keyKind),
      namespace: namespace === null ? undefined : space.toBytes(),
      mapKey: mapKey.toBytes(),
      value: there ? new Uint8Array(0) : undefined,
    });
  }
}

/** Walks the slab. What was taken since the snapshot began was saved then; what was added is younger. */
class OpenTimerWalk implements PartWalk, TimerWalk {
  readonly epoch: number;
  cursor = 0;
  readonly limit: number;
  readonly save: (slot: number) => void;
  readonly #queue: TimerQueue;

  constructor(queue: TimerQueue, epoch: number, save: (slot: number) => void) {
    this.#queue = queue;
    this.epoch = epoch;
    this.limit = queue.limit;
    this.save = save;
    queue.walks = [...queue.walks, this];
  }

  advance(budget: number): number {
    if (this.cursor >= this.limit) return -1;
    const start = this.cursor;
    const end = Math.min(this.limit, start + budget);
    for (let slot = start; slot < end; slot++) {
      const epoch = this.#queue.epochAt(slot);
      if (epoch >= 0 && epoch < this.epoch) this.save(slot);
      this.cursor = slot + 1;
    }
    return end - start;
  }

  close(): void {
    this.#queue.walks = this.#queue.walks.filter((walk) => walk !== this);
  }
}

/** Ties of one time: by key bytes, then namespace bytes. */
function timerTies(
  namespaceType: TypeSerializer<unknown>,
): (queue: TimerQueue, a: number, b: number) => number {
  return (queue, a, b) => {
    if (queue.idAt(a) !== queue.idAt(b)) return compareKeys(queue.keyAt(a), queue.keyAt(b));
    const left = new ByteWriter(16);
    const right = new ByteWriter(16);
    namespaceType.write(queue.spaceAt(a), left);
    namespaceType.write(queue.spaceAt(b), right);
    return compareBytes(left.view(), right.view());
  };
}

const LONG_SIGN = 1n << 63n;

/** A time with its sign bit flipped, so that bytes order as times do. */
export function writeFlippedTime(time: number, out: ByteWriter): void {
  if (!Number.isSafeInteger(time)) {
    out.writeLong(BigInt.asIntN(64, timestampToLong(time) ^ LONG_SIGN));
    return;
  }
  const high = Math.floor(time / 0x1_0000_0000);
  out.writeInt(high ^ 0x8000_0000);
  out.writeInt((time - high * 0x1_0000_0000) | 0);
}

export function readFlippedTime(input: ByteReader): number {
  return longToTimestamp(BigInt.asIntN(64, input.readLong() ^ LONG_SIGN));
}
