import { Types, type TypeSerializer } from "../../serde/index.ts";
import type {
  AggregatingState,
  KeyedStateStore,
  ListState,
  Mergeable,
  Namespaced,
  NamespaceOptions,
  NamespaceTables,
} from "../../state/index.ts";
import type { Evictor, TimestampedValue } from "./evictor.ts";
import type { Window } from "./assigner/window-assigner.ts";
import type { WindowFiring } from "./window-firing.ts";
import type { WindowAggregation } from "./window-function.ts";
import type { WindowSetup } from "./window-setup.ts";

/** What a window holds until it fires, for the current key and the namespace chosen last. */
export interface WindowContents<IN, W> extends Namespaced<W>, Mergeable<W> {
  add(value: IN, timestamp: number): void;
  /** What the window function gets; undefined if the window holds nothing. */
  get(): readonly unknown[] | undefined;
  clear(): void;
  /** Folded contents by window. */
  readonly tables?: NamespaceTables<W, unknown>;
}

/** Name of the state, as in Flink. */
export const WINDOW_CONTENTS = "window-contents";

/** Types of what windows hold: of records for lists and `reduce`, of accumulators for `aggregate`. */
export interface WindowContentsTypes<IN, ACC> {
  readonly record: TypeSerializer<IN>;
  readonly accumulator: TypeSerializer<ACC>;
}

/** Declares the state of a window operator without evictor. */
export function windowContents<IN, ACC, MID, W>(
  aggregation: WindowAggregation<IN, ACC, MID>,
  types: WindowContentsTypes<IN, ACC>,
  store: KeyedStateStore,
  namespace: NamespaceOptions<W>,
): WindowContents<IN, W> {
  switch (aggregation.kind) {
    case "list": {
      const state = store.namespacedListState<W, IN>(
        { kind: "list", name: WINDOW_CONTENTS, ttl: undefined, type: types.record },
        namespace,
      );
      return {
        setCurrentNamespace: (window) => state.setCurrentNamespace(window),
        mergeNamespaces: (target, sources) => state.mergeNamespaces(target, sources),
        add: (value) => state.add(value),
        clear: () => state.clear(),
        get() {
          const values = state.get();
          return values.length === 0 ? undefined : values;
        },
      };
    }
    case "reduce":
    case "aggregate":
      return folded(foldedContents(aggregation, types, store, namespace));
  }
}

/** Declares the state of a window operator that folds its records. */
export function foldedContents<IN, ACC, MID, W>(
  aggregation: Exclude<WindowAggregation<IN, ACC, MID>, { readonly kind: "list" }>,
  types: WindowContentsTypes<IN, ACC>,
  store: KeyedStateStore,
  namespace: NamespaceOptions<W>,
): FoldedState<IN, MID, W> {
  if (aggregation.kind === "aggregate") {
    return store.namespacedAggregatingState<W, IN, ACC, MID>(
      {
        kind: "aggregating",
        name: WINDOW_CONTENTS,
        ttl: undefined,
        accumulatorType: types.accumulator,
        aggregate: aggregation.aggregate,
      },
      namespace,
    );
  }
  const state = store.namespacedReducingState<W, IN & MID>(
    {
      kind: "reducing",
      name: WINDOW_CONTENTS,
      ttl: undefined,
      type: types.record as TypeSerializer<IN & MID>,
      reduce: aggregation.reduce,
    },
    namespace,
  );
  // A value that is reduced is of the type of the records: both are MID.
  return state as unknown as FoldedState<IN, MID, W>;
}

/** Folded contents, seen by key or by window. */
export type FoldedState<IN, MID, W> = AggregatingState<IN, MID> &
  Namespaced<W> &
  Mergeable<W> &
  NamespaceTables<W, MID>;

function folded<IN, MID, W>(state: FoldedState<IN, MID, W>): WindowContents<IN, W> {
  return {
    setCurrentNamespace: (window) => state.setCurrentNamespace(window),
    mergeNamespaces: (target, sources) => state.mergeNamespaces(target, sources),
    add: (value) => state.add(value),
    clear: () => state.clear(),
    get() {
      const value = state.get();
      return value === undefined ? undefined : [value];
    },
    tables: state,
  };
}

/** The records of a window with an evictor, each with its timestamp. */
export type EvictingContents<IN, W> = ListState<TimestampedValue<IN>> &
  Namespaced<W> &
  Mergeable<W>;

/** Declares the state of a window operator with an evictor. */
export function evictingContents<IN, ACC, W>(
  types: WindowContentsTypes<IN, ACC>,
  store: KeyedStateStore,
  namespace: NamespaceOptions<W>,
): EvictingContents<IN, W> {
  const type = Types.struct({ value: types.record, timestamp: Types.timestamp() });
  return store.namespacedListState<W, TimestampedValue<IN>>(
    {
      kind: "list",
      name: WINDOW_CONTENTS,
      ttl: undefined,
      type: type as unknown as TypeSerializer<TimestampedValue<IN>>,
    },
    namespace,
  );
}

/** Folds the records of an evicting window when it fires. */
export function fold<IN, ACC, MID>(
  aggregation: WindowAggregation<IN, ACC, MID>,
  values: readonly IN[],
): readonly unknown[] {
  switch (aggregation.kind) {
    case "list":
      return values;
    case "reduce": {
      const [first, ...rest] = values as readonly (IN & MID)[];
      if (first === undefined) return [];
      return [rest.reduce((accumulated, value) => aggregation.reduce(accumulated, value), first)];
    }
    case "aggregate": {
      const { aggregate } = aggregation;
      const accumulator = values.reduce(
        (accumulated, value) => aggregate.add(value, accumulated),
        aggregate.createAccumulator(),
      );
      return [aggregate.getResult(accumulator)];
    }
  }
}

/** The contents of windows, and how they are fired: with an evictor, records are removed before or after the function. */
export interface FiringContents<IN, W> extends WindowContents<IN, W> {
  /** Calls the window function with the contents of the current namespace, unless there are none. */
  fire(window: W): void;
}

/** Declares the state that a window operator of this setup keeps. */
export function firingContents<IN, ACC, MID, OUT, K, W extends Window>(
  setup: WindowSetup<IN, ACC, MID, OUT, K, W>,
  store: KeyedStateStore,
  namespace: NamespaceOptions<W>,
  firing: WindowFiring<OUT, K, W>,
): FiringContents<IN, W> {
  const types = { record: setup.recordType, accumulator: setup.accumulatorType };
  if (setup.evictor !== undefined) {
    return evicting(setup, setup.evictor, evictingContents(types, store, namespace), firing);
  }
  const contents = windowContents(setup.aggregation, types, store, namespace);
  return {
    ...contents,
    fire(window) {
      const values = contents.get();
      if (values !== undefined) firing.fire(window, values);
    },
  };
}

function evicting<IN, ACC, MID, OUT, K, W extends Window>(
  setup: WindowSetup<IN, ACC, MID, OUT, K, W>,
  evictor: Evictor<IN, W>,
  state: EvictingContents<IN, W>,
  firing: WindowFiring<OUT, K, W>,
): FiringContents<IN, W> {
  const { aggregation } = setup;
  return {
    setCurrentNamespace: (window) => state.setCurrentNamespace(window),
    mergeNamespaces: (target, sources) => state.mergeNamespaces(target, sources),
    add: (value, timestamp) => state.add({ value, timestamp }),
    clear: () => state.clear(),
    get: () => state.get().map((element) => element.value),
    fire(window) {
      const all = state.get();
      if (all.length === 0) return;
      const before = evictor.evictBefore?.(all, window, firing) ?? all;
      firing.fire(
        window,
        fold(
          aggregation,
          before.map((element) => element.value),
        ),
      );
      const after = evictor.evictAfter?.(before, window, firing) ?? before;
      if (after.length !== all.length) state.update(after);
    },
  };
}
