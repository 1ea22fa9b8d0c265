import { assert, present, StreamError } from "../../base/index.ts";
import { type TypeSerializer, voidNamespace } from "../../serde/index.ts";
import type {
  AggregatingStateDescriptor,
  ListStateDescriptor,
  MapStateDescriptor,
  ReducingStateDescriptor,
  StateDescriptor,
  ValueStateDescriptor,
} from "../descriptor.ts";
import type {
  AggregatingState,
  InternalTimerService,
  ListState,
  MapState,
  Mergeable,
  Namespaced,
  NamespaceOptions,
  NamespaceTables,
  ReducingState,
  RollingState,
  Triggerable,
  ValueState,
} from "../keyed-state.ts";
import type {
  KeyedStateBackend,
  KeyedStateBackendParameters,
  KeyedStateBytes,
  KeyedStateSnapshot,
  LoadedState,
  StateChange,
} from "../keyed-state-backend.ts";
import type { KeyGroupRange } from "../state-handle.ts";
import { adoptState } from "../snapshot/adopt-state.ts";
import { ChangeTracker } from "./change-tracker.ts";
import { mapValueWriter } from "./heap-map-state.ts";
import { HeapSnapshot, type SnapshotPart } from "../snapshot/heap-snapshot.ts";
import type * as SharedStates from "./heap-states.ts";
import { HeapTimerService } from "../timers/heap-timer-service.ts";
import { KeyContext } from "./key-context.ts";
import { distinctKeys } from "./key-walk.ts";
import type { RegisteredState } from "./registered-state.ts";
import { keyValueMetaInfo } from "./registered-state.ts";
import { RestoredStates } from "../snapshot/restored-states.ts";
import { refuseRow } from "./refuse-row.ts";
import { rowCodecOf } from "./row-codec.ts";
import {
  elementFormatOf,
  elementTypeOf,
  formatOf,
  valueSnapshotOf,
} from "../snapshot/state-format.ts";
import { makeState } from "./make-state.ts";
import { metaInfoBytes, sameMetaInfo } from "../state-meta-info.ts";
import { statePart } from "../snapshot/table-snapshot.ts";
import { ttlFilter } from "../ttl/ttl-filter.ts";

/** The namespace of plain keyed state: none. */
const NO_NAMESPACE: NamespaceOptions<null> = {
  type: voidNamespace as TypeSerializer<null>,
  identity: () => 0,
  layout: "key-major",
};

/** Keyed state in the heap of the process; Flink's `hashmap` backend. */
export class HeapKeyedStateBackend implements KeyedStateBackend {
  readonly maxParallelism: number;
  readonly keyGroupRange: KeyGroupRange;
  readonly #parameters: KeyedStateBackendParameters;
  readonly #own: typeof SharedStates;
  readonly #context: KeyContext;
  readonly #states = new Map<string, RegisteredState>();
  readonly #timers = new Map<string, HeapTimerService<unknown>>();
  readonly #restored: RestoredStates;
  readonly #changes: ChangeTracker;
  readonly #open = new Set<HeapSnapshot>();
  /** Set when a restore failed half-way: what is there must not be taken for state. */
  #broken = false;

  constructor(own: typeof SharedStates, parameters: KeyedStateBackendParameters) {
    this.#parameters = parameters;
    this.#own = own;
    this.maxParallelism = parameters.maxParallelism;
    this.keyGroupRange = parameters.keyGroupRange;
    this.#context = new KeyContext(parameters.keyType.keyKind);
    this.#restored = new RestoredStates(parameters);
    this.#changes = new ChangeTracker(parameters.keyType);
  }

  get currentKey(): unknown {
    return this.#context.key;
  }

  get currentKeyHash(): number {
    return this.#context.hash;
  }

  setCurrentKey(key: unknown, hash: number): void {
    this.#context.set(key, hash);
  }

  valueState<T>(descriptor: ValueStateDescriptor<T>): ValueState<T> {
    return this.namespacedValueState(descriptor, NO_NAMESPACE);
  }

  listState<T>(descriptor: ListStateDescriptor<T>): ListState<T> {
    return this.namespacedListState(descriptor, NO_NAMESPACE);
  }

  mapState<K, V>(descriptor: MapStateDescriptor<K, V>): MapState<K, V> {
    return this.namespacedMapState(descriptor, NO_NAMESPACE);
  }

  reducingState<T>(descriptor: ReducingStateDescriptor<T>): ReducingState<T> {
    return this.namespacedReducingState(descriptor, NO_NAMESPACE);
  }

  aggregatingState<IN, ACC, OUT>(
    descriptor: AggregatingStateDescriptor<IN, ACC, OUT>,
  ): AggregatingState<IN, OUT> {
    return this.namespacedAggregatingState(descriptor, NO_NAMESPACE);
  }

  rollingState<IN, ACC, OUT>(
    descriptor: AggregatingStateDescriptor<IN, ACC, OUT>,
  ): RollingState<IN, OUT> {
    assert(descriptor.ttl === undefined, "an operator's state has no time-to-live");
    return this.#declare(descriptor, NO_NAMESPACE) as RollingState<IN, OUT>;
  }

  namespacedValueState<N, T>(
    descriptor: ValueStateDescriptor<T>,
    namespace: NamespaceOptions<N>,
  ): ValueState<T> & Namespaced<N> {
    return this.#declare(descriptor, namespace) as ValueState<T> & Namespaced<N>;
  }

  namespacedListState<N, T>(
    descriptor: ListStateDescriptor<T>,
    namespace: NamespaceOptions<N>,
  ): ListState<T> & Namespaced<N> & Mergeable<N> {
    return this.#declare(descriptor, namespace) as ListState<T> & Namespaced<N> & Mergeable<N>;
  }

  namespacedMapState<N, K, V>(
    descriptor: MapStateDescriptor<K, V>,
    namespace: NamespaceOptions<N>,
  ): MapState<K, V> & Namespaced<N> {
    return this.#declare(descriptor, namespace) as MapState<K, V> & Namespaced<N>;
  }

  namespacedReducingState<N, T>(
    descriptor: ReducingStateDescriptor<T>,
    namespace: NamespaceOptions<N>,
  ): ReducingState<T> & Namespaced<N> & Mergeable<N> & NamespaceTables<N, T> {
    const state = this.#declare(descriptor, namespace);
    return state as ReducingState<T> & Namespaced<N> & Mergeable<N> & NamespaceTables<N, T>;
  }

  namespacedAggregatingState<N, IN, ACC, OUT>(
    descriptor: AggregatingStateDescriptor<IN, ACC, OUT>,
    namespace: NamespaceOptions<N>,
  ): AggregatingState<IN, OUT> & Namespaced<N> & Mergeable<N> & NamespaceTables<N, OUT> {
    const state = this.#declare(descriptor, namespace);
    return state as AggregatingState<IN, OUT> &
      Namespaced<N> &
      Mergeable<N> &
      NamespaceTables<N, OUT>;
  }

  #declare<N>(given: unknown, namespace: NamespaceOptions<N>): object {
    this.#assertUsable();
    const descriptor = effective(given as StateDescriptor);
    const known = this.#states.get(descriptor.name);
    if (known !== undefined) return this.#sameState(known, descriptor);
    const registered = this.#makeRegistered(descriptor, namespace);
    const restored = this.#restored.take(descriptor.name);
    if (restored !== undefined) {
      this.#unbroken(() => {
        const { tables } = registered;
        const nowMs = this.#parameters.processingTime.nowMs();
        adoptState(
          restored,
          descriptor,
          namespace.type,
          namespace.identity,
          tables,
          this.#parameters,
          nowMs,
        );
      });
    }
    this.#states.set(descriptor.name, registered);
    if (this.#context.tracking) {
      this.#changes.watch(registered);
      if (restored !== undefined && !sameMetaInfo(restored.meta, registered.meta))
        this.#changes.markAll(registered);
    }
    return registered.state;
  }

  #sameState(known: RegisteredState, { kind, name }: StateDescriptor): object {
    if (known.kind === kind) return known.state;
    throw new StreamError("STATE_DECLARED_DIFFERENTLY", {
      owner: this.#parameters.ownerName,
      state: name,
      problem: `it is ${known.kind} state and is declared as ${kind} state`,
    });
  }

  #makeRegistered<N>(descriptor: StateDescriptor, namespace: NamespaceOptions<N>): RegisteredState {
    const { name, kind, ttl } = descriptor;
    const plain = namespace === (NO_NAMESPACE as unknown);
    const spaceMajor = !plain && namespace.layout === "namespace-major";
    const type = elementTypeOf(descriptor);
    const rows = ttl === undefined && kind !== "list" && kind !== "map";
    const refuse = (value: unknown): never =>
      refuseRow(type, value, name, this.#parameters.ownerName);
    const shape: SharedStates.TableShape = {
      hashIsKey: this.#context.hashIsKey,
      spaced: !plain && !spaceMajor,
      codec: rows ? rowCodecOf(type, refuse, { module: this.#own, stateName: name }) : undefined,
    };
    const tables = new this.#own.StateTables(this.#context, shape, spaceMajor);
    if (plain) tables.select(null, 0);
    const { processingTime } = this.#parameters;
    return {
      name,
      kind,
      tables,
      format: formatOf(descriptor),
      namespaceType: namespace.type as TypeSerializer<unknown>,
      writeMapValue:
        descriptor.kind === "map" ? mapValueWriter(elementFormatOf(descriptor)) : undefined,
      mapKeyType: descriptor.kind === "map" ? descriptor.keyType : undefined,
      meta: keyValueMetaInfo(name, kind, namespace.type.snapshot, valueSnapshotOf(descriptor)),
      filter: ttl?.cleanupFullSnapshot === true ? ttlFilter(kind, ttl, processingTime) : undefined,
      state: makeState(this.#own, descriptor, tables, namespace, processingTime),
    };
  }

  timerService<N>(
    name: string,
    namespace: NamespaceOptions<N>,
    target: Triggerable<N>,
  ): InternalTimerService<N> {
    this.#assertUsable();
    assert(!this.#timers.has(name), `timer service ${name} is made once`);
    const service = this.#unbroken(
      () =>
        new HeapTimerService(
          name,
          namespace,
          target,
          this.#context,
          this.#parameters,
          this.#restored,
        ),
    );
    this.#timers.set(name, service as HeapTimerService<unknown>);
    if (this.#context.tracking) this.#changes.watchTimers(service as HeapTimerService<unknown>);
    return service;
  }

  applyToAllKeys(descriptor: { readonly name: string }, visit: (key: unknown) => void): void {
    const registered = this.#states.get(descriptor.name);
    if (registered === undefined) return;
    for (const { key, hash } of distinctKeys(registered.tables)) {
      this.setCurrentKey(key, hash);
      visit(key);
    }
  }

  restore(snapshot: KeyedStateBytes): void {
    this.#assertUsable();
    assert(
      this.#states.size === 0 && this.#timers.size === 0,
      "state is restored before it is declared",
    );
    this.#unbroken(() => this.#restored.add(snapshot));
  }

  load(states: Iterable<LoadedState>): void {
    this.#assertUsable();
    assert(
      this.#states.size === 0 && this.#timers.size === 0,
      "state is loaded before it is declared",
    );
    this.#unbroken(() => this.#restored.addCells(states));
  }

  snapshot(checkpointId: number): KeyedStateSnapshot {
    this.#assertUsable();
    assert(checkpointId >= 0, "a snapshot belongs to a checkpoint");
    this.#context.epoch++;
    const { keyType } = this.#parameters;
    const parts: SnapshotPart[] = [...this.#states.values()].map((state) =>
      statePart(state, keyType),
    );
    for (const service of this.#timers.values()) parts.push(...service.parts());
    parts.push(...this.#restored.parts());
    const snapshot: HeapSnapshot = new HeapSnapshot(
      this.#parameters,
      parts,
      this.#context.epoch,
      () => this.#open.delete(snapshot),
    );
    this.#open.add(snapshot);
    return snapshot;
  }

  trackChanges(): void {
    if (this.#context.tracking) return;
    this.#context.tracking = true;
    for (const state of this.#states.values()) this.#changes.watch(state);
    for (const service of this.#timers.values()) this.#changes.watchTimers(service);
  }

  takeChanges(): Iterable<StateChange> {
    return this.#changes.take();
  }

  describeState(name: string): Uint8Array {
    const meta =
      this.#states.get(name)?.meta ??
      [...this.#timers.values()]
        .flatMap((service) => service.metaInfos())
        .find((timers) => timers.name === name);
    return metaInfoBytes(present(meta, "the state has changed, so it was declared"));
  }

  entryCount(): number {
    let count = 0;
    for (const { tables } of this.#states.values()) count += tables.entryCount();
    return count;
  }

  dispose(): void {
    for (const snapshot of this.#open) snapshot.cancel();
    for (const service of this.#timers.values()) service.close();
    this.#states.clear();
    this.#broken = true;
  }

  #unbroken<T>(action: () => T): T {
    const { tracking } = this.#context;
    this.#context.tracking = false;
    this.#broken = true;
    const result = action();
    this.#broken = false;
    this.#context.tracking = tracking;
    return result;
  }

  #assertUsable(): void {
    assert(!this.#broken, "a backend whose restore failed, or that is disposed of, is not used");
  }
}

/** A time-to-live that nothing renews is none. Source: Flink `StateTtlConfig.isEnabled`. */
function effective(descriptor: StateDescriptor): StateDescriptor {
  return descriptor.ttl?.updateType === "Disabled" ? { ...descriptor, ttl: undefined } : descriptor;
}
