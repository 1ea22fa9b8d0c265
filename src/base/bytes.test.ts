import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { ByteReader, ByteWriter, MalformedBytesError } from "./bytes.ts";
import { doubleHash } from "./double-hash.ts";

const text = fc
  .array(
    fc.oneof(
      fc.string(),
      fc.string({ unit: "binary" }),
      fc.constantFrom("\ud800", "\udfff", "\u3fff", "\u4000"),
    ),
  )
  .map((parts) => parts.join(""));

/** Flink's `StringValue`, restated plainly. */
function expectedString(value: string): number[] {
  const varint = (number: number): number[] =>
    number < 0x80 ? [number] : [(number & 0x7f) | 0x80, ...varint(number >> 7)];
  return [
    value.length + 1,
    ...Array.from({ length: value.length }, (_, i) => value.charCodeAt(i)),
  ].flatMap(varint);
}

test("text has the bytes of Flink's StringValue, whatever room is left in the buffer", () => {
  fc.assert(
    fc.property(text, fc.nat(40), fc.nat(300), (value, before, capacity) => {
      const out = new ByteWriter(capacity);
      for (let count = 0; count < before; count++) out.writeByte(7);
      out.writeString(value);
      out.writeByte(99);
      const bytes = out.toBytes();
      expect([...bytes]).toEqual([
        ...Array.from({ length: before }, () => 7),
        ...expectedString(value),
        99,
      ]);
      const input = new ByteReader(bytes, before);
      expect(input.readString()).toBe(value);
      expect(input.readByte()).toBe(99);
    }),
    { numRuns: 500 },
  );
});

test("long ASCII text with one other character at its end keeps both", () => {
  for (const last of ["é", "日", "\ud800", "🙂"]) {
    for (let length = 20; length < 60; length++) {
      const out = new ByteWriter(length + 1);
      out.writeString("x".repeat(length) + last);
      expect(new ByteReader(out.toBytes()).readString()).toBe("x".repeat(length) + last);
    }
  }
});

describe("numbers", () => {
  test("come back as they were", () => {
    fc.assert(
      fc.property(
        fc.maxSafeInteger(),
        fc.double(),
        fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
        (whole, double, long) => {
          const out = new ByteWriter(1);
          out.writeLongNumber(whole);
          out.writeDouble(double);
          out.writeLong(long);
          out.writeVarint(Math.abs(whole));
          const input = new ByteReader(out.toBytes());
          expect(input.readLongNumber()).toBe(whole + 0);
          expect(input.readDouble()).toBe(double);
          expect(input.readLong()).toBe(long);
          expect(input.readVarint()).toBe(Math.abs(whole));
          expect(input.remaining).toBe(0);
        },
      ),
    );
  });

  test("have the same 64 bits as number and as bigint", () => {
    for (const value of [0, -1, 1, 2 ** 32, -(2 ** 32), 2 ** 53 - 1, -(2 ** 53) + 1]) {
      const asNumber = new ByteWriter();
      asNumber.writeLongNumber(value);
      const asBigint = new ByteWriter();
      asBigint.writeLong(BigInt(value));
      expect(asNumber.toBytes()).toEqual(asBigint.toBytes());
    }
  });

  test("NaN has one form, whatever its bits were", () => {
    const odd = new Float64Array(new BigUint64Array([0xfff8_0000_0000_1234n]).buffer)[0] ?? 0;
    const out = new ByteWriter();
    out.writeDouble(odd);
    expect(Buffer.from(out.toBytes()).toString("hex")).toBe("7ff8000000000000");
    expect(doubleHash(odd)).toBe(0x7ff8_0000);
  });
});

test("an input that ends early is refused with the place", () => {
  expect(() => new ByteReader(Uint8Array.of(1, 2)).readInt()).toThrow(MalformedBytesError);
  expect(() => new ByteReader(Uint8Array.of(5, 97)).readString()).toThrow(
    "4 characters expected, 1 bytes left at byte 1",
  );
  expect(() => new ByteReader(Uint8Array.of(0)).readString()).toThrow("null");
  expect(() => new ByteReader(Uint8Array.of(0x80)).readVarint()).toThrow(MalformedBytesError);
  expect(() => new ByteReader(Uint8Array.of(2, 0x80)).readString()).toThrow("Text ends too early");
});

test("a copy of bytes that were read from a Buffer is a copy", () => {
  const source = Buffer.from([1, 2, 3]);
  const copy = new ByteReader(source).readBytes(2).slice();
  source.fill(9);
  expect(copy).toEqual(Uint8Array.of(1, 2));
});
