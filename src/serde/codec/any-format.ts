/**
 * The self-describing form of a value: one tag byte, then what the tag says.
 *
 * Invariants:
 *
 * - A1. A tag, once released, keeps its meaning; a new kind of value gets a new tag.
 * - A2. A value has one form only, so equal values (fields, entries and elements in the same order) have equal bytes.
 */
export const ANY_TAG = {
  undefined: 0,
  null: 1,
  false: 2,
  true: 3,
  /** A whole number of at most 31 bits and no -0: zigzag varint. */
  int: 4,
  /** Any other number: 8 bytes. */
  double: 5,
  string: 6,
  /** Varint of the count of bytes, then two's complement, high byte first. */
  bigint: 7,
  /** Milliseconds as a double; NaN for an invalid one. */
  date: 8,
  /** Varint length, then the elements; a run of holes is `holes`. */
  array: 9,
  /** Varint length of a run of missing elements. */
  holes: 10,
  /** Varint of the bytes that the field names take, the names, then their values in the same order. */
  object: 11,
  /** As `object`, of an object without prototype. */
  bareObject: 12,
  map: 13,
  set: 14,
  /** Source, flags, varint of `lastIndex`. */
  regExp: 15,
  /** One byte of {@link typedArrayKindOf}, varint count of bytes, the bytes with the low one first. */
  typedArray: 16,
} as const;

/** Deepest nesting of an undeclared value. */
export const MAX_DEPTH = 1000;

/** Whether the value is what an object literal makes. */
export function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

type TypedArrayMaker = (bytes: ArrayBuffer) => object;

interface TypedArrayKind {
  readonly name: string;
  /** Size of an element, which on a big-endian machine is turned around. */
  readonly elementBytes: number;
  readonly make: TypedArrayMaker;
}

/** By the number that stands in the bytes. A row is never moved. */
export const TYPED_ARRAY_KINDS: readonly TypedArrayKind[] = [
  { name: "ArrayBuffer", elementBytes: 1, make: (bytes) => bytes },
  { name: "Buffer", elementBytes: 1, make: (bytes) => Buffer.from(bytes) },
  { name: "Uint8Array", elementBytes: 1, make: (bytes) => new Uint8Array(bytes) },
  { name: "Uint8ClampedArray", elementBytes: 1, make: (bytes) => new Uint8ClampedArray(bytes) },
  { name: "Int8Array", elementBytes: 1, make: (bytes) => new Int8Array(bytes) },
  { name: "Uint16Array", elementBytes: 2, make: (bytes) => new Uint16Array(bytes) },
  { name: "Int16Array", elementBytes: 2, make: (bytes) => new Int16Array(bytes) },
  { name: "Uint32Array", elementBytes: 4, make: (bytes) => new Uint32Array(bytes) },
  { name: "Int32Array", elementBytes: 4, make: (bytes) => new Int32Array(bytes) },
  { name: "BigUint64Array", elementBytes: 8, make: (bytes) => new BigUint64Array(bytes) },
  { name: "BigInt64Array", elementBytes: 8, make: (bytes) => new BigInt64Array(bytes) },
  { name: "Float32Array", elementBytes: 4, make: (bytes) => new Float32Array(bytes) },
  { name: "Float64Array", elementBytes: 8, make: (bytes) => new Float64Array(bytes) },
  { name: "DataView", elementBytes: 1, make: (bytes) => new DataView(bytes) },
];

const KIND_BY_PROTOTYPE: ReadonlyMap<unknown, number> = new Map(
  TYPED_ARRAY_KINDS.map(({ make }, index) => [
    Object.getPrototypeOf(make(new ArrayBuffer(0))),
    index,
  ]),
);

/** The number of the value's kind, if it is a typed array, `ArrayBuffer` or `DataView` and no instance of a derived class. */
export function typedArrayKindOf(value: object): number | undefined {
  return KIND_BY_PROTOTYPE.get(Object.getPrototypeOf(value));
}
