import { deepStrictEqual, strictEqual } from "node:assert";

import { ByteReader, ByteWriter } from "../base/index.ts";
import { resolveCompatibility, serializerFromSnapshot } from "./snapshot/compatibility.ts";
import { readSerializerSnapshot, writeSerializerSnapshot } from "./snapshot/serializer-snapshot.ts";
import type { SerializerSnapshot, TypeSerializer } from "./type-serializer.ts";

/** A statement that holds for every serializer and every value of its type. */
export interface SerializerLaw {
  readonly name: string;
  /**
   * Throws if the law is broken.
   *
   * @param value - Any value of the type.
   * @param another - Another one, unrelated.
   */
  check<T>(serializer: TypeSerializer<T>, value: T, another: T): void;
}

/**
 * Laws of {@link TypeSerializer}, as data, so that they need no test runner.
 *
 * @remarks
 * Values are compared strictly but for one thing: an optional field that is missing comes back as `undefined`, so values
 * are given in the form in which they are read.
 */
export const SERIALIZER_LAWS: readonly SerializerLaw[] = [
  {
    name: "reads back what it wrote",
    check(serializer, value) {
      deepStrictEqual(serializer.read(new ByteReader(bytesOf(serializer, value))), value);
    },
  },
  {
    name: "writes the same bytes for an equal value",
    check(serializer, value) {
      const bytes = bytesOf(serializer, value);
      const copy = serializer.read(new ByteReader(bytes));
      deepStrictEqual(bytesOf(serializer, copy), bytes);
    },
  },
  {
    name: "reads exactly the bytes that it wrote, and appends without touching what was there",
    check(serializer, value, another) {
      const out = new ByteWriter(1);
      out.writeInt(0x1234_5678);
      serializer.write(value, out);
      const end = out.length;
      serializer.write(another, out);
      out.writeByte(99);
      const input = new ByteReader(out.toBytes());
      strictEqual(input.readInt(), 0x1234_5678);
      deepStrictEqual(serializer.read(input), value);
      strictEqual(input.position, end);
      deepStrictEqual(serializer.read(input), another);
      strictEqual(input.readByte(), 99);
      strictEqual(input.remaining, 0);
    },
  },
  {
    name: "holds no state between calls",
    check(serializer, value, another) {
      const before = bytesOf(serializer, value);
      bytesOf(serializer, another);
      deepStrictEqual(bytesOf(serializer, value), before);
    },
  },
  {
    name: "gives values that do not lie in the input",
    check(serializer, value) {
      const bytes = bytesOf(serializer, value);
      const read = serializer.read(new ByteReader(bytes));
      bytes.fill(0x55);
      deepStrictEqual(read, value);
    },
  },
  {
    name: "refuses an input that ends too early",
    check(serializer, value) {
      const bytes = bytesOf(serializer, value);
      for (let length = Math.max(0, bytes.length - 20); length < bytes.length; length++) {
        strictEqual(
          endsEarly(serializer, bytes.subarray(0, length)),
          true,
          `${length} of ${bytes.length} bytes`,
        );
      }
    },
  },
  {
    name: "has a snapshot that comes back as it was and tells where it ends",
    check(serializer) {
      const out = new ByteWriter();
      writeSerializerSnapshot(serializer.snapshot, out);
      out.writeByte(99);
      const input = new ByteReader(out.toBytes());
      deepStrictEqual(plain(readSerializerSnapshot(input)), plain(serializer.snapshot));
      strictEqual(input.readByte(), 99);
    },
  },
  {
    name: "is compatible with itself",
    check(serializer) {
      deepStrictEqual(resolveCompatibility(serializer.snapshot, serializer), {
        kind: "compatible",
      });
    },
  },
  {
    name: "is described by its snapshot, if its class is known: that serializer reads and writes the same",
    check(serializer, value) {
      const described = serializerFromSnapshot(serializer.snapshot);
      if (described === undefined) return;
      const bytes = bytesOf(serializer, value);
      const read = described.read(new ByteReader(bytes));
      deepStrictEqual(bytesOf(described, read), bytes);
      deepStrictEqual(plain(described.snapshot), plain(serializer.snapshot));
    },
  },
];

function bytesOf<T>(serializer: TypeSerializer<T>, value: T): Uint8Array {
  const out = new ByteWriter();
  serializer.write(value, out);
  return out.toBytes();
}

function endsEarly<T>(serializer: TypeSerializer<T>, bytes: Uint8Array): boolean {
  try {
    serializer.read(new ByteReader(bytes));
    return false;
  } catch (error) {
    return error instanceof Error && error.name === "MalformedBytesError";
  }
}

function plain({ className, version, payload }: SerializerSnapshot): object {
  return { className, version, payload: [...payload] };
}
