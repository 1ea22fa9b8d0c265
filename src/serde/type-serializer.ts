import type { ByteReader, ByteWriter } from "../base/index.ts";

/**
 * How values of one type become bytes and come back. What `Types.…` makes: one declaration gives the codec, the
 * serializer of state, and its evolution.
 *
 * @remarks
 * `read(write(v))` equals `v`; equal values give equal bytes (maps, sets and undeclared objects: equal in the same order).
 * A serializer holds no state between calls.
 */
export interface TypeSerializer<T> {
  /** The type, in words a person reads: `struct{origin: string, delay: int}`. */
  readonly typeName: string;
  /** What is stored beside state, to decide at restore whether its bytes still fit. */
  readonly snapshot: SerializerSnapshot;
  /** The declared shape of a key of this type, which decides its hash; see `keyHash`. */
  readonly keyKind: KeyKind;
  /** Set if every value is a plain object of these numeric fields, so that state can lie in rows of doubles. */
  readonly rowFields: readonly string[] | undefined;
  /**
   * Appends the value.
   *
   * @throws StreamError VALUE_NOT_SERIALIZABLE with the path to the part that does not fit (`orders[3].customer`).
   */
  write(value: T, out: ByteWriter): void;
  /** Reads one value, leaving the input behind it. */
  read(input: ByteReader): T;
}

/**
 * How a key is hashed and which bytes stand for it. The scalar kinds and tuples of them have Java's hash.
 *
 * @remarks
 * `"canonical"` means that the value speaks for itself: a string, boolean or number (as a double) has Java's hash,
 * everything else is hashed over its canonical bytes. It is the kind of undeclared keys.
 */
export type KeyKind =
  | "string"
  | "boolean"
  | "int"
  | "long"
  | "double"
  | "canonical"
  | { readonly kind: "tuple"; readonly fields: readonly KeyKind[] };

/** What is stored of a serializer beside the state it wrote. */
export interface SerializerSnapshot {
  /**
   * Flink's snapshot class where the bytes are Flink's own (`…LongSerializer$LongSerializerSnapshot`), else a name of ours
   * that begins with `cutwater.`.
   */
  readonly className: string;
  readonly version: number;
  /** The class's own payload, without the length that stands before it where the class is ours. */
  readonly payload: Uint8Array;
}

/** What the bytes written by an old serializer mean for a new one. */
export type SerializerCompatibility<T> =
  | { readonly kind: "compatible" }
  | {
      /** The old bytes are read by `reader` and are written anew. */
      readonly kind: "migrate";
      readonly reader: { read(input: ByteReader): T };
    }
  | {
      readonly kind: "incompatible";
      /** One sentence for each reason, naming field, old type and new type. */
      readonly reasons: readonly string[];
    };
