import { StreamError } from "../base/index.ts";
import { compareKeys, type KeyKind } from "../serde/index.ts";
import { KeyContext } from "./heap/key-context.ts";
import type { BroadcastState, OperatorListState } from "./operator-state.ts";

/** A live list. */
export class HeapOperatorListState<T> implements OperatorListState<T> {
  #elements: T[] = [];

  /** The list as it lies in state: valid until the state's next change. */
  get(): readonly T[] {
    return this.#elements;
  }

  add(value: T): void {
    refuseAbsent(value);
    this.#elements.push(value);
  }

  addAll(values: readonly T[]): void {
    for (const value of values) refuseAbsent(value);
    for (const value of values) this.#elements.push(value);
  }

  update(values: readonly T[]): void {
    for (const value of values) refuseAbsent(value);
    this.#elements = [...values];
  }

  clear(): void {
    this.#elements = [];
  }
}

/** Flink's list states hold no null. */
function refuseAbsent(value: unknown): void {
  if (value !== undefined && value !== null) return;
  throw new StreamError("PARAMETER_INVALID", {
    what: "OperatorListState",
    problem: `${String(value)} is not allowed as an element`,
  });
}

/** A live map, of which every subtask has a copy. */
export class HeapBroadcastState<K, V> implements BroadcastState<K, V> {
  readonly #keys: KeyContext;
  readonly #entries = new Map<unknown, readonly [K, V]>();

  constructor(keyKind: KeyKind) {
    this.#keys = new KeyContext(keyKind === "int" ? "double" : keyKind);
  }

  get(key: K): V | undefined {
    return this.#entries.get(this.#keys.identityOf(key))?.[1];
  }

  put(key: K, value: V): void {
    this.#entries.set(this.#keys.identityOf(key), [key, value]);
  }

  putAll(entries: Iterable<readonly [K, V]>): void {
    for (const [key, value] of entries) this.put(key, value);
  }

  remove(key: K): void {
    this.#entries.delete(this.#keys.identityOf(key));
  }

  contains(key: K): boolean {
    return this.#entries.has(this.#keys.identityOf(key));
  }

  isEmpty(): boolean {
    return this.#entries.size === 0;
  }

  entries(): readonly (readonly [K, V])[] {
    return [...this.#entries.values()].sort(([a], [b]) => compareKeys(a, b));
  }

  keys(): readonly K[] {
    return this.entries().map(([key]) => key);
  }

  values(): readonly V[] {
    return this.entries().map(([, value]) => value);
  }

  clear(): void {
    this.#entries.clear();
  }
}
