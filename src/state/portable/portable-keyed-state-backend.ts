import { StreamError } from "../../base/index.ts";
import type {
  AggregateFunction,
  AggregatingStateDescriptor,
  ListStateDescriptor,
  MapStateDescriptor,
  ReducingStateDescriptor,
  ValueStateDescriptor,
} from "../descriptor.ts";
import type { KeyedStateBackendFactory } from "../heap/heap-backend-factory.ts";
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
  KeyedStateBytes,
  KeyedStateSnapshot,
  LoadedState,
  StateChange,
} from "../keyed-state-backend.ts";
import type { KeyGroupRange } from "../state-handle.ts";
import {
  PortableFoldedState,
  PortableListState,
  PortableMapState,
  PortableValueState,
  StateBorder,
} from "./portable-states.ts";

/** Another backend, seen as if it lay in another process: values go in and come out as bytes, and cannot be changed in place. */
export function portableKeyedStateBackend(
  inner: KeyedStateBackendFactory,
): KeyedStateBackendFactory {
  return {
    moduleUrl: inner.moduleUrl,
    create: (own, parameters) =>
      new PortableKeyedStateBackend(inner.create(own, parameters), parameters.ownerName),
  };
}

/** How a change in place of what a state holds is refused. */
export function stateBorder(owner: string, state: string): StateBorder {
  return new StateBorder(
    `state "${state}" of ${owner}`,
    (path) => new StreamError("STATE_VALUE_CHANGED_IN_PLACE", { owner, state, path }),
  );
}

class PortableKeyedStateBackend implements KeyedStateBackend {
  readonly maxParallelism: number;
  readonly keyGroupRange: KeyGroupRange;
  readonly #inner: KeyedStateBackend;
  readonly #ownerName: string;

  constructor(inner: KeyedStateBackend, ownerName: string) {
    this.#inner = inner;
    this.#ownerName = ownerName;
    this.maxParallelism = inner.maxParallelism;
    this.keyGroupRange = inner.keyGroupRange;
  }

  get currentKey(): unknown {
    return this.#inner.currentKey;
  }

  get currentKeyHash(): number {
    return this.#inner.currentKeyHash;
  }

  setCurrentKey(key: unknown, hash: number): void {
    this.#inner.setCurrentKey(key, hash);
  }

  valueState<T>(descriptor: ValueStateDescriptor<T>): ValueState<T> {
    const state = this.#inner.valueState(descriptor);
    return new PortableValueState(state, this.#border(descriptor), descriptor.type);
  }

  listState<T>(descriptor: ListStateDescriptor<T>): ListState<T> {
    const state = this.#inner.listState(descriptor);
    return new PortableListState(state, this.#border(descriptor), descriptor.type);
  }

  mapState<K, V>(descriptor: MapStateDescriptor<K, V>): MapState<K, V> {
    return new PortableMapState(
      this.#inner.mapState(descriptor),
      this.#border(descriptor),
      descriptor,
    );
  }

  reducingState<T>(descriptor: ReducingStateDescriptor<T>): ReducingState<T> {
    return this.#reducing(descriptor, (cut) => this.#inner.reducingState(cut));
  }

  aggregatingState<IN, ACC, OUT>(
    descriptor: AggregatingStateDescriptor<IN, ACC, OUT>,
  ): AggregatingState<IN, OUT> {
    return this.#aggregating(descriptor, (cut) => this.#inner.aggregatingState(cut));
  }

  rollingState<IN, ACC, OUT>(
    descriptor: AggregatingStateDescriptor<IN, ACC, OUT>,
  ): RollingState<IN, OUT> {
    return this.#aggregating(descriptor, (cut) => this.#inner.rollingState(cut));
  }

  namespacedValueState<N, T>(
    descriptor: ValueStateDescriptor<T>,
    namespace: NamespaceOptions<N>,
  ): ValueState<T> & Namespaced<N> {
    const state = this.#inner.namespacedValueState(descriptor, namespace);
    return new PortableValueState<N, T>(state, this.#border(descriptor), descriptor.type);
  }

  namespacedListState<N, T>(
    descriptor: ListStateDescriptor<T>,
    namespace: NamespaceOptions<N>,
  ): ListState<T> & Namespaced<N> & Mergeable<N> {
    const state = this.#inner.namespacedListState(descriptor, namespace);
    return new PortableListState<N, T>(state, this.#border(descriptor), descriptor.type);
  }

  namespacedMapState<N, K, V>(
    descriptor: MapStateDescriptor<K, V>,
    namespace: NamespaceOptions<N>,
  ): MapState<K, V> & Namespaced<N> {
    const state = this.#inner.namespacedMapState(descriptor, namespace);
    return new PortableMapState<N, K, V>(state, this.#border(descriptor), descriptor);
  }

  namespacedReducingState<N, T>(
    descriptor: ReducingStateDescriptor<T>,
    namespace: NamespaceOptions<N>,
  ): ReducingState<T> & Namespaced<N> & Mergeable<N> & NamespaceTables<N, T> {
    return this.#reducing<N, T>(descriptor, (cut) =>
      this.#inner.namespacedReducingState(cut, namespace),
    );
  }

  namespacedAggregatingState<N, IN, ACC, OUT>(
    descriptor: AggregatingStateDescriptor<IN, ACC, OUT>,
    namespace: NamespaceOptions<N>,
  ): AggregatingState<IN, OUT> & Namespaced<N> & Mergeable<N> & NamespaceTables<N, OUT> {
    return this.#aggregating<N, IN, ACC, OUT>(descriptor, (cut) =>
      this.#inner.namespacedAggregatingState(cut, namespace),
    );
  }

  /** What is folded is a copy of its own, and so may be changed by the function that folds. */
  #reducing<N, T>(
    descriptor: ReducingStateDescriptor<T>,
    declare: (descriptor: ReducingStateDescriptor<T>) => ReducingState<T>,
  ): PortableFoldedState<N, T, T> {
    const { type, reduce } = descriptor;
    const border = this.#border(descriptor);
    const state = declare({
      ...descriptor,
      reduce: (accumulated, value) => border.copied(type, reduce(accumulated, value)),
    });
    return new PortableFoldedState<N, T, T>(state, border, (value) => border.taken(type, value));
  }

  #aggregating<N, IN, ACC, OUT>(
    descriptor: AggregatingStateDescriptor<IN, ACC, OUT>,
    declare: (descriptor: AggregatingStateDescriptor<IN, ACC, OUT>) => AggregatingState<IN, OUT>,
  ): PortableFoldedState<N, IN, OUT> {
    const { aggregate, accumulatorType } = descriptor;
    const border = this.#border(descriptor);
    const copied = (accumulator: ACC): ACC => border.copied(accumulatorType, accumulator);
    const cut: AggregateFunction<IN, ACC, OUT> = {
      createAccumulator: () => aggregate.createAccumulator(),
      add: (value, accumulator) => copied(aggregate.add(value, accumulator)),
      getResult: (accumulator) => aggregate.getResult(accumulator),
      merge: (a, b) => copied(aggregate.merge(a, b)),
    };
    const state = declare({ ...descriptor, aggregate: cut });
    return new PortableFoldedState<N, IN, OUT>(state, border, (value) => value);
  }

  #border({ name }: { readonly name: string }): StateBorder {
    return stateBorder(this.#ownerName, name);
  }

  timerService<N>(
    name: string,
    namespace: NamespaceOptions<N>,
    target: Triggerable<N>,
  ): InternalTimerService<N> {
    return this.#inner.timerService(name, namespace, target);
  }

  applyToAllKeys(descriptor: { readonly name: string }, visit: (key: unknown) => void): void {
    this.#inner.applyToAllKeys(descriptor, visit);
  }

  restore(snapshot: KeyedStateBytes): void {
    this.#inner.restore(snapshot);
  }

  load(states: Iterable<LoadedState>): void {
    this.#inner.load(states);
  }

  snapshot(checkpointId: number): KeyedStateSnapshot {
    return this.#inner.snapshot(checkpointId);
  }

  trackChanges(): void {
    this.#inner.trackChanges();
  }

  takeChanges(): Iterable<StateChange> {
    return this.#inner.takeChanges();
  }

  describeState(state: string): Uint8Array {
    return this.#inner.describeState(state);
  }

  entryCount(): number {
    return this.#inner.entryCount();
  }

  dispose(): void {
    this.#inner.dispose();
  }
}
