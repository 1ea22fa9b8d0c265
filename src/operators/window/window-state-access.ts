import type {
  AggregatingState,
  AggregatingStateDescriptor,
  KeyedStateStore,
  ListState,
  ListStateDescriptor,
  MapState,
  MapStateDescriptor,
  Mergeable,
  Namespaced,
  NamespaceOptions,
  ReducingState,
  ReducingStateDescriptor,
  ValueState,
  ValueStateDescriptor,
} from "../../state/index.ts";
import type { KeyedStateAccess } from "../function/user-function.ts";

/**
 * Keyed state per window, for triggers and window functions: declares each state once, and points it at the current window at
 * each access.
 */
export class WindowStateAccess<W> implements KeyedStateAccess {
  private readonly store: KeyedStateStore;
  private readonly namespace: NamespaceOptions<W>;
  private readonly states: Map<string, Namespaced<W>> = new Map();
  private readonly currentWindow: () => W;

  /** @param currentWindow - The window that accesses concern. */
  constructor(store: KeyedStateStore, namespace: NamespaceOptions<W>, currentWindow: () => W) {
    this.store = store;
    this.namespace = namespace;
    this.currentWindow = currentWindow;
  }

  getState<T>(descriptor: ValueStateDescriptor<T>): ValueState<T> {
    return this.at(descriptor.name, () =>
      this.store.namespacedValueState<W, T>(descriptor, this.namespace),
    );
  }

  getListState<T>(descriptor: ListStateDescriptor<T>): ListState<T> {
    return this.at(descriptor.name, () => this.listState(descriptor));
  }

  getMapState<K, V>(descriptor: MapStateDescriptor<K, V>): MapState<K, V> {
    return this.at(descriptor.name, () =>
      this.store.namespacedMapState<W, K, V>(descriptor, this.namespace),
    );
  }

  getReducingState<T>(descriptor: ReducingStateDescriptor<T>): ReducingState<T> {
    return this.at(descriptor.name, () => this.reducingState(descriptor));
  }

  getAggregatingState<IN, ACC, OUT>(
    descriptor: AggregatingStateDescriptor<IN, ACC, OUT>,
  ): AggregatingState<IN, OUT> {
    return this.at(descriptor.name, () => this.aggregatingState(descriptor));
  }

  /** Merges the state of other windows of the current key into that of the current window. */
  merge<T, IN, ACC, OUT>(
    descriptor:
      | ListStateDescriptor<T>
      | ReducingStateDescriptor<T>
      | AggregatingStateDescriptor<IN, ACC, OUT>,
    sources: readonly W[],
  ): void {
    const state = this.at<Namespaced<W> & Mergeable<W>>(descriptor.name, () => {
      switch (descriptor.kind) {
        case "list":
          return this.listState(descriptor);
        case "reducing":
          return this.reducingState(descriptor);
        case "aggregating":
          return this.aggregatingState(descriptor);
      }
    });
    state.mergeNamespaces(this.currentWindow(), sources);
  }

  private listState<T>(
    descriptor: ListStateDescriptor<T>,
  ): ListState<T> & Namespaced<W> & Mergeable<W> {
    return this.store.namespacedListState<W, T>(descriptor, this.namespace);
  }

  private reducingState<T>(
    descriptor: ReducingStateDescriptor<T>,
  ): ReducingState<T> & Namespaced<W> & Mergeable<W> {
    return this.store.namespacedReducingState<W, T>(descriptor, this.namespace);
  }

  private aggregatingState<IN, ACC, OUT>(
    descriptor: AggregatingStateDescriptor<IN, ACC, OUT>,
  ): AggregatingState<IN, OUT> & Namespaced<W> & Mergeable<W> {
    return this.store.namespacedAggregatingState<W, IN, ACC, OUT>(descriptor, this.namespace);
  }

  private at<S extends Namespaced<W>>(name: string, declare: () => S): S {
    let state = this.states.get(name);
    if (state === undefined) {
      state = declare();
      this.states.set(name, state);
    }
    state.setCurrentNamespace(this.currentWindow());
    return state as S;
  }
}
