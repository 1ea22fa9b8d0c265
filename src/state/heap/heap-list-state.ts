import { ByteWriter, type ByteReader, StreamError } from "../../base/index.ts";
import type { ListState } from "../keyed-state.ts";
import { HeapState } from "./heap-states.ts";
import {
  LARGE_PART_COUNT,
  type LargeValueWriting,
  type StoredValueFormat,
} from "./stored-value.ts";
import type { ElementFormat } from "../ttl/ttl-value.ts";

/** A list per key, held as one array. Elements are appended in place; everything else makes a new array. */
export class HeapListState<N, T> extends HeapState<N> implements ListState<T> {
  /** The list as it lies in state: valid until the state's next change. */
  get(): readonly T[] {
    const { tables } = this;
    const slot = tables.locate();
    return slot < 0 ? [] : ((tables.current?.get(slot) ?? []) as T[]);
  }

  add(value: T): void {
    refuseAbsent(value);
    const { tables } = this;
    const slot = tables.locate();
    const table = tables.current;
    if (slot < 0 || table === undefined) {
      tables.add([value]);
      return;
    }
    table.touch(slot);
    const list = table.get(slot) as T[];
    list.push(value);
    table.set(slot, list);
  }

  addAll(values: readonly T[]): void {
    for (const value of values) refuseAbsent(value);
    for (const value of values) this.add(value);
  }

  update(values: readonly T[]): void {
    for (const value of values) refuseAbsent(value);
    if (values.length === 0) this.tables.clear();
    else this.tables.put([...values]);
  }

  protected override merge(a: unknown, b: unknown): unknown {
    const list = a as T[];
    for (const value of b as T[]) list.push(value);
    return list;
  }
}

/** Flink's list state holds no null. */
export function refuseAbsent(value: unknown): void {
  if (value !== undefined && value !== null) return;
  throw new StreamError("PARAMETER_INVALID", {
    what: "ListState",
    problem: `${String(value)} is not allowed as an element`,
  });
}

/** `i4` size, then the elements. */
export class ListFormat implements StoredValueFormat {
  readonly #type: ElementFormat;

  constructor(type: ElementFormat) {
    this.#type = type;
  }

  write(stored: unknown, out: ByteWriter): void {
    const list = stored as readonly unknown[];
    out.writeInt(list.length);
    for (const [index, element] of list.entries()) this.#writeElement(element, index, out);
  }

  #writeElement(element: unknown, index: number, out: ByteWriter): void {
    try {
      this.#type.write(element as never, out);
    } catch (error) {
      throw atPath(error, `[${index}]`);
    }
  }

  read(input: ByteReader): unknown {
    const count = input.readInt();
    const list: unknown[] = [];
    for (let index = 0; index < count; index++) list.push(this.#type.read(input));
    return list;
  }

  begin(stored: unknown): LargeValueWriting | undefined {
    const list = stored as readonly unknown[];
    const { length } = list;
    if (length <= LARGE_PART_COUNT) return undefined;
    const bytes = new ByteWriter(length * 8);
    bytes.writeInt(length);
    let next = 0;
    return {
      bytes,
      advance: (budget) => {
        const end = Math.min(length, next + budget);
        for (; next < end; next++) this.#writeElement(list[next], next, bytes);
        return next === length;
      },
      cancel: () => undefined,
    };
  }
}

/** The same error, with the place put before its path. */
export function atPath(error: unknown, place: string): unknown {
  if (!(error instanceof StreamError) || error.code !== "VALUE_NOT_SERIALIZABLE") return error;
  const { where, path, problem } = error.details as {
    readonly where: string | undefined;
    readonly path: string;
    readonly problem: string;
  };
  const joined = path === "" || path.startsWith("[") ? `${place}${path}` : `${place}.${path}`;
  return new StreamError("VALUE_NOT_SERIALIZABLE", { where, path: joined, problem });
}
