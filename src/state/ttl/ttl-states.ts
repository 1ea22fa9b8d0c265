import type { AggregateFunction } from "../descriptor.ts";
import type { AggregatingState, ListState, ReducingState, ValueState } from "../keyed-state.ts";
import { refuseAbsent } from "../heap/heap-list-state.ts";
import { HeapState, type StateTables } from "../heap/heap-states.ts";
import type { Ttl } from "./ttl.ts";
import type { TtlCleaner } from "./ttl-cleaner.ts";
import type { TtlValue } from "./ttl-value.ts";

/** A state whose tables hold a `TtlValue` for each key. */
abstract class TtlSingleState<N> extends HeapState<N> {
  protected readonly ttl: Ttl;
  protected readonly cleaner: TtlCleaner;

  constructor(
    tables: StateTables,
    identity: (namespace: N) => number | string,
    ttl: Ttl,
    cleaner: TtlCleaner,
  ) {
    super(tables, identity);
    this.ttl = ttl;
    this.cleaner = cleaner;
  }

  override clear(): void {
    super.clear();
    this.cleaner.step();
  }

  /** The value as a reader sees it now; removes it if it has expired, renews it if reads do. */
  protected readNow(): unknown {
    const held = this.tables.read() as TtlValue | undefined;
    let value: unknown = undefined;
    if (held !== undefined) {
      const access = this.ttl.access(held);
      value = access.value;
      if (access.kind === "expired") this.tables.clear();
      else if (access.renewed !== undefined) this.tables.put(access.renewed);
    }
    this.cleaner.step();
    return value;
  }

  protected write(value: unknown): void {
    this.tables.put(this.ttl.wrap(value));
    this.cleaner.step();
  }

  /** What an addition goes on from. */
  protected unexpired(held: unknown): unknown {
    if (held === undefined) return undefined;
    const access = this.ttl.access(held as TtlValue);
    return access.value;
  }

  protected override answer(held: unknown): unknown {
    return this.unexpired(held);
  }

  protected override merge(a: unknown, b: unknown): unknown {
    const left = this.unexpired(a);
    const right = this.unexpired(b);
    if (left === undefined) return this.ttl.wrap(right ?? (b as TtlValue).value);
    return this.ttl.wrap(right === undefined ? left : this.mergeValues(left, right));
  }

  protected abstract mergeValues(a: unknown, b: unknown): unknown;
}

export class TtlValueState<N, T> extends TtlSingleState<N> implements ValueState<T> {
  value(): T | undefined {
    return this.readNow() as T | undefined;
  }

  update(value: T | undefined): void {
    if (value === undefined) this.clear();
    else this.write(value);
  }

  protected override mergeValues(): never {
    throw new TypeError("Value state cannot be merged");
  }
}

export class TtlReducingState<N, T> extends TtlSingleState<N> implements ReducingState<T> {
  readonly #reduce: (accumulated: T, value: T) => T;

  constructor(
    tables: StateTables,
    identity: (namespace: N) => number | string,
    ttl: Ttl,
    cleaner: TtlCleaner,
    reduce: (accumulated: T, value: T) => T,
  ) {
    super(tables, identity, ttl, cleaner);
    this.#reduce = reduce;
  }

  get(): T | undefined {
    return this.readNow() as T | undefined;
  }

  add(value: T): void {
    const before = this.unexpired(this.tables.read());
    this.write(before === undefined ? value : this.#reduce(before as T, value));
  }

  protected override mergeValues(a: unknown, b: unknown): unknown {
    return this.#reduce(a as T, b as T);
  }
}

export class TtlAggregatingState<N, IN, ACC, OUT>
  extends TtlSingleState<N>
  implements AggregatingState<IN, OUT>
{
  readonly #aggregate: AggregateFunction<IN, ACC, OUT>;

  constructor(
    tables: StateTables,
    identity: (namespace: N) => number | string,
    ttl: Ttl,
    cleaner: TtlCleaner,
    aggregate: AggregateFunction<IN, ACC, OUT>,
  ) {
    super(tables, identity, ttl, cleaner);
    this.#aggregate = aggregate;
  }

  get(): OUT | undefined {
    const accumulator = this.readNow();
    return accumulator === undefined ? undefined : this.#aggregate.getResult(accumulator as ACC);
  }

  add(value: IN): void {
    const before = this.unexpired(this.tables.read());
    const accumulator =
      before === undefined ? this.#aggregate.createAccumulator() : (before as ACC);
    this.write(this.#aggregate.add(value, accumulator));
  }

  protected override answer(held: unknown): unknown {
    const accumulator = this.unexpired(held);
    return accumulator === undefined ? undefined : this.#aggregate.getResult(accumulator as ACC);
  }

  protected override mergeValues(a: unknown, b: unknown): unknown {
    return this.#aggregate.merge(a as ACC, b as ACC);
  }
}

/** Each element has a life of its own. */
export class TtlListState<N, T> extends HeapState<N> implements ListState<T> {
  readonly #ttl: Ttl;
  readonly #cleaner: TtlCleaner;

  constructor(
    tables: StateTables,
    identity: (namespace: N) => number | string,
    ttl: Ttl,
    cleaner: TtlCleaner,
  ) {
    super(tables, identity);
    this.#ttl = ttl;
    this.#cleaner = cleaner;
  }

  override clear(): void {
    super.clear();
    this.#cleaner.step();
  }

  get(): readonly T[] {
    const seen: T[] = [];
    const left: TtlValue[] = [];
    let changed = false;
    const held = (this.tables.read() ?? []) as readonly TtlValue[];
    for (const element of held) {
      const access = this.#ttl.access(element);
      if (access.value !== undefined) seen.push(access.value as T);
      if (access.kind === "expired") changed = true;
      else left.push(access.renewed ?? element);
      if (access.kind === "live" && access.renewed !== undefined) changed = true;
    }
    if (changed) this.#put(left);
    this.#cleaner.step();
    return seen;
  }

  add(value: T): void {
    this.addAll([value]);
  }

  addAll(values: readonly T[]): void {
    for (const value of values) refuseAbsent(value);
    if (values.length === 0) return;
    const { tables } = this;
    const slot = tables.locate();
    const table = tables.current;
    const added = values.map((value) => this.#ttl.wrap(value));
    if (slot < 0 || table === undefined) {
      tables.add(added);
    } else {
      table.touch(slot);
      const list = table.get(slot) as TtlValue[];
      for (const element of added) list.push(element);
      table.set(slot, list);
    }
    this.#cleaner.step();
  }

  update(values: readonly T[]): void {
    for (const value of values) refuseAbsent(value);
    this.#put(values.map((value) => this.#ttl.wrap(value)));
    this.#cleaner.step();
  }

  #put(elements: readonly TtlValue[]): void {
    if (elements.length === 0) this.tables.clear();
    else this.tables.put(elements);
  }

  protected override merge(a: unknown, b: unknown): unknown {
    return [...(a as TtlValue[]), ...(b as TtlValue[])];
  }
}
