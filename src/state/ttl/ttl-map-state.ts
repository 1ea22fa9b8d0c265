import type { KeyKind } from "../../serde/index.ts";
import { HeapMapState, type MapEntry } from "../heap/heap-map-state.ts";
import type { StateTables } from "../heap/heap-states.ts";
import type { Ttl } from "./ttl.ts";
import type { TtlCleaner } from "./ttl-cleaner.ts";
import type { TtlValue } from "./ttl-value.ts";

/** A map whose entries have each a life of their own. Only `isEmpty` sees expired entries that nobody has touched. */
export class TtlMapState<N, K, V> extends HeapMapState<N, K, V> {
  readonly #ttl: Ttl;
  readonly #cleaner: TtlCleaner;

  constructor(
    tables: StateTables,
    identity: (namespace: N) => number | string,
    keyKind: KeyKind,
    ttl: Ttl,
    cleaner: TtlCleaner,
  ) {
    super(tables, identity, keyKind);
    this.#ttl = ttl;
    this.#cleaner = cleaner;
  }

  override clear(): void {
    super.clear();
    this.#cleaner.step();
  }

  override get(key: K): V | undefined {
    const seen = this.#access(this.cell()?.entries.get(this.idOf(key)));
    this.#cleaner.step();
    return seen?.value as V | undefined;
  }

  override contains(key: K): boolean {
    const seen = this.#access(this.cell()?.entries.get(this.idOf(key)));
    this.#cleaner.step();
    return seen !== undefined;
  }

  override put(key: K, value: V): void {
    this.putRaw(key, this.#ttl.wrap(value));
    this.#cleaner.step();
  }

  override remove(key: K): void {
    super.remove(key);
    this.#cleaner.step();
  }

  override entries(): Iterable<readonly [K, V]> {
    const seen: (readonly [K, V])[] = [];
    for (const entry of this.sorted()) {
      const access = this.#access(entry);
      if (access !== undefined) seen.push([entry.key as K, access.value as V]);
    }
    this.#cleaner.step();
    return seen;
  }

  override keys(): Iterable<K> {
    return [...this.entries()].map(([key]) => key);
  }

  /** What a reader sees of an entry, in a box since it may be undefined; none if it has expired unseen. */
  #access(entry: MapEntry | undefined): { readonly value: unknown } | undefined {
    if (entry === undefined) return undefined;
    const held = entry.value as TtlValue;
    const access = this.#ttl.access(held);
    const key = entry.key as K;
    if (access.kind === "expired") {
      super.remove(key);
      return access.value === undefined ? undefined : { value: access.value };
    }
    if (access.renewed !== undefined) this.putRaw(key, access.renewed);
    return { value: access.value };
  }
}
