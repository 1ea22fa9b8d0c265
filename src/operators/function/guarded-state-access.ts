import type {
  AggregatingState,
  ListState,
  MapState,
  ReducingState,
  ValueState,
} from "../../state/index.ts";
import type { KeyedStateAccess } from "./user-function.ts";

/** Keyed state whose every use is checked first: for functions that have a key only part of the time. */
export function guardedStateAccess(
  access: KeyedStateAccess,
  check: (state: string) => void,
): KeyedStateAccess {
  return {
    getState: (descriptor) =>
      guardedValue(access.getState(descriptor), () => check(descriptor.name)),
    getListState: (descriptor) =>
      guardedList(access.getListState(descriptor), () => check(descriptor.name)),
    getMapState: (descriptor) =>
      guardedMap(access.getMapState(descriptor), () => check(descriptor.name)),
    getReducingState: (descriptor) =>
      guardedFolding(access.getReducingState(descriptor), () => check(descriptor.name)),
    getAggregatingState: (descriptor) =>
      guardedFolding(access.getAggregatingState(descriptor), () => check(descriptor.name)),
  };
}

function guardedValue<T>(state: ValueState<T>, check: () => void): ValueState<T> {
  return {
    value() {
      check();
      return state.value();
    },
    update(value) {
      check();
      state.update(value);
    },
    clear() {
      check();
      state.clear();
    },
  };
}

function guardedList<T>(state: ListState<T>, check: () => void): ListState<T> {
  return {
    get() {
      check();
      return state.get();
    },
    add(value) {
      check();
      state.add(value);
    },
    addAll(values) {
      check();
      state.addAll(values);
    },
    update(values) {
      check();
      state.update(values);
    },
    clear() {
      check();
      state.clear();
    },
  };
}

function guardedMap<K, V>(state: MapState<K, V>, check: () => void): MapState<K, V> {
  const checked = (): MapState<K, V> => {
    check();
    return state;
  };
  return {
    get: (key) => checked().get(key),
    put: (key, value) => checked().put(key, value),
    putAll: (entries) => checked().putAll(entries),
    remove: (key) => checked().remove(key),
    contains: (key) => checked().contains(key),
    isEmpty: () => checked().isEmpty(),
    entries: () => checked().entries(),
    keys: () => checked().keys(),
    values: () => checked().values(),
    clear: () => checked().clear(),
  };
}

function guardedFolding<IN, OUT>(
  state: AggregatingState<IN, OUT>,
  check: () => void,
): AggregatingState<IN, OUT> & ReducingState<IN & OUT> {
  const checked = (): AggregatingState<IN, OUT> => {
    check();
    return state;
  };
  return {
    get: () => checked().get() as (IN & OUT) | undefined,
    add: (value: IN) => checked().add(value),
    clear: () => checked().clear(),
  };
}
