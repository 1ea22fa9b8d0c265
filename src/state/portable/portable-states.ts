import { locatedError, type TypeSerializer } from "../../serde/index.ts";
import type {
  AggregatingState,
  ListState,
  MapState,
  Mergeable,
  NamespaceCursor,
  Namespaced,
  NamespaceTables,
  ReducingState,
  RollingState,
  ValueState,
} from "../keyed-state.ts";
import { freezeDeeply, guarded, type RefuseChange, throughBytes } from "./portable-value.ts";

/** How one state hands values in and out. */
export class StateBorder {
  readonly #where: string;
  readonly refuse: RefuseChange;

  constructor(where: string, refuse: RefuseChange) {
    this.#where = where;
    this.refuse = refuse;
  }

  /** What is stored for a value of the user's, which is frozen. */
  taken<T>(type: TypeSerializer<T>, value: T): T {
    const copy = this.copied(type, value);
    freezeDeeply(value, this.refuse);
    return copy;
  }

  copied<T>(type: TypeSerializer<T>, value: T): T {
    try {
      return throughBytes(type, value);
    } catch (error) {
      throw locatedError(error, this.#where);
    }
  }

  /** What the user sees of what is stored. */
  shown<T>(value: T): T {
    return guarded(value, this.refuse);
  }
}

/** What all states with a namespace can do, handed on. */
type Inner<N, OUT> = Partial<Namespaced<N> & Mergeable<N> & NamespaceTables<N, OUT>>;

abstract class PortableState<N, OUT>
  implements Namespaced<N>, Mergeable<N>, NamespaceTables<N, OUT>
{
  readonly #inner: Inner<N, OUT> & { clear(): void };
  protected readonly border: StateBorder;

  constructor(inner: Inner<N, OUT> & { clear(): void }, border: StateBorder) {
    this.#inner = inner;
    this.border = border;
  }

  clear(): void {
    this.#inner.clear();
  }

  setCurrentNamespace(namespace: N): void {
    this.#inner.setCurrentNamespace?.(namespace);
  }

  mergeNamespaces(target: N, sources: readonly N[]): void {
    this.#inner.mergeNamespaces?.(target, sources);
  }

  namespaces(): readonly N[] {
    return this.#inner.namespaces?.() ?? [];
  }

  cursor(namespace: N): NamespaceCursor<OUT> {
    const cursor = this.#inner.cursor?.(namespace);
    return {
      advance: () => cursor?.advance() ?? false,
      value: () => this.border.shown(cursor?.value() as OUT),
    };
  }

  clearNamespace(namespace: N): void {
    this.#inner.clearNamespace?.(namespace);
  }
}

export class PortableValueState<N, T> extends PortableState<N, T> implements ValueState<T> {
  readonly #state: ValueState<T>;
  readonly #type: TypeSerializer<T>;

  constructor(state: ValueState<T>, border: StateBorder, type: TypeSerializer<T>) {
    super(state as never, border);
    this.#state = state;
    this.#type = type;
  }

  value(): T | undefined {
    return this.border.shown(this.#state.value());
  }

  update(value: T | undefined): void {
    this.#state.update(value === undefined ? undefined : this.border.taken(this.#type, value));
  }
}

export class PortableListState<N, T> extends PortableState<N, T> implements ListState<T> {
  readonly #state: ListState<T>;
  readonly #type: TypeSerializer<T>;

  constructor(state: ListState<T>, border: StateBorder, type: TypeSerializer<T>) {
    super(state as never, border);
    this.#state = state;
    this.#type = type;
  }

  get(): readonly T[] {
    return this.border.shown(this.#state.get());
  }

  add(value: T): void {
    this.#state.add(this.#taken(value));
  }

  addAll(values: readonly T[]): void {
    this.#state.addAll(values.map((value) => this.#taken(value)));
  }

  update(values: readonly T[]): void {
    this.#state.update(values.map((value) => this.#taken(value)));
  }

  /** What is absent is left to the state to refuse. */
  #taken(value: T): T {
    return value === undefined || value === null ? value : this.border.taken(this.#type, value);
  }
}

export class PortableMapState<N, K, V> extends PortableState<N, V> implements MapState<K, V> {
  readonly #state: MapState<K, V>;
  readonly #keyType: TypeSerializer<K>;
  readonly #valueType: TypeSerializer<V>;

  constructor(
    state: MapState<K, V>,
    border: StateBorder,
    types: { readonly keyType: TypeSerializer<K>; readonly valueType: TypeSerializer<V> },
  ) {
    super(state as never, border);
    this.#state = state;
    this.#keyType = types.keyType;
    this.#valueType = types.valueType;
  }

  get(key: K): V | undefined {
    return this.border.shown(this.#state.get(key));
  }

  put(key: K, value: V): void {
    const stored =
      value === undefined || value === null ? value : this.border.taken(this.#valueType, value);
    this.#state.put(this.border.taken(this.#keyType, key), stored);
  }

  putAll(entries: Iterable<readonly [K, V]>): void {
    for (const [key, value] of entries) this.put(key, value);
  }

  remove(key: K): void {
    this.#state.remove(key);
  }

  contains(key: K): boolean {
    return this.#state.contains(key);
  }

  isEmpty(): boolean {
    return this.#state.isEmpty();
  }

  entries(): Iterable<readonly [K, V]> {
    return Array.from(
      this.#state.entries(),
      ([key, value]) => [this.border.shown(key), this.border.shown(value)] as const,
    );
  }

  keys(): Iterable<K> {
    return Array.from(this.#state.keys(), (key) => this.border.shown(key));
  }

  values(): Iterable<V> {
    return Array.from(this.#state.values(), (value) => this.border.shown(value));
  }
}

/** Reducing and aggregating state: what is folded is copied where it is folded. */
export class PortableFoldedState<N, IN, OUT>
  extends PortableState<N, OUT>
  implements RollingState<IN, OUT>
{
  readonly #state: AggregatingState<IN, OUT>;
  readonly #taken: (value: IN) => IN;

  constructor(
    state: AggregatingState<IN, OUT> | ReducingState<IN>,
    border: StateBorder,
    taken: (value: IN) => IN,
  ) {
    super(state as never, border);
    this.#state = state as AggregatingState<IN, OUT>;
    this.#taken = taken;
  }

  get(): OUT | undefined {
    return this.border.shown(this.#state.get());
  }

  add(value: IN): void {
    this.#state.add(this.#taken(value));
  }

  addAndGet(value: IN): OUT {
    return this.border.shown((this.#state as RollingState<IN, OUT>).addAndGet(this.#taken(value)));
  }
}
