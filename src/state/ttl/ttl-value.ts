import {
  type ByteReader,
  type ByteWriter,
  longToTimestamp,
  timestampToLong,
} from "../../base/index.ts";

/** A value with the time of its last access, in milliseconds since the epoch. */
export interface TtlValue {
  readonly value: unknown;
  readonly lastAccessMs: number;
}

/** What a list, a map or a single value is made of, as bytes. */
export interface ElementFormat {
  write(value: never, out: ByteWriter): void;
  read(input: ByteReader): unknown;
}

/** Writes a `TtlValue`: `i8` last access, then the value, as Flink's `TtlSerializer` does. */
export function ttlElement(type: ElementFormat): ElementFormat {
  return {
    write: ({ value, lastAccessMs }: TtlValue, out) => {
      out.writeLong(timestampToLong(lastAccessMs));
      type.write(value as never, out);
    },
    read: readingTtl(type, true, true, 0),
  };
}

/** Reads a value with or without a last access in its bytes, into one with or without. */
export function readingTtl(
  type: { read(input: ByteReader): unknown },
  hadTtl: boolean,
  hasTtl: boolean,
  nowMs: number,
): (input: ByteReader) => unknown {
  return (input) => {
    const lastAccessMs = hadTtl ? longToTimestamp(input.readLong()) : nowMs;
    const value = type.read(input);
    return hasTtl ? ({ value, lastAccessMs } satisfies TtlValue) : value;
  };
}
