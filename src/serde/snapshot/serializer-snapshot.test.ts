import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { afterEach, describe, expect, test, vi } from "vitest";

import { ByteReader, ByteWriter, isStreamError, writeUtf } from "../../base/index.ts";
import { compileCodec } from "../codec/compiled-codec.ts";
import { locatedError } from "../located-error.ts";
import {
  compositeParts,
  compositeSnapshot,
  readNestedSnapshot,
  readSerializerSnapshot,
  TIMER_SNAPSHOT_CLASS,
  writeSerializerSnapshot,
} from "./serializer-snapshot.ts";
import { shapeOf } from "../shape-serializer.ts";
import { shapeOfSnapshot, snapshotOfShape } from "./shape-snapshot.ts";
import { Types, voidNamespace } from "../type-factory.ts";

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}

describe("the framing is Flink's", () => {
  test("for a simple type: framing version, class, version, no payload", () => {
    const out = new ByteWriter();
    writeSerializerSnapshot(Types.long().snapshot, out);
    const expected = new ByteWriter();
    expected.writeInt(2);
    writeUtf(
      "org.apache.flink.api.common.typeutils.base.LongSerializer$LongSerializerSnapshot",
      expected,
    );
    expected.writeInt(3);
    expect(hex(out.toBytes())).toBe(hex(expected.toBytes()));
  });

  test("for a tuple: magic numbers around the class of the tuple, then the fields", () => {
    const { payload } = Types.tuple(Types.long()).snapshot;
    expect(hex(payload.subarray(0, 10))).toBe("000de704000000020026");
    const parts = compositeParts(Types.tuple(Types.long()).snapshot);
    expect(parts?.nested).toEqual([Types.long().snapshot]);
    expect(parts?.outerVersion).toBe(2);
  });

  test("for timers: key and namespace inside", () => {
    const timers = compositeSnapshot(TIMER_SNAPSHOT_CLASS, 2, [
      Types.string().snapshot,
      voidNamespace.snapshot,
    ]);
    const out = new ByteWriter();
    writeSerializerSnapshot(timers, out);
    expect(readSerializerSnapshot(new ByteReader(out.toBytes()))).toEqual(timers);
    expect(hex(timers.payload.subarray(0, 20))).toBe("000de70400000002001457fd0000000100000002");
  });
});

test("a class of ours that is not known is skipped by its length; one of another package is named", () => {
  const out = new ByteWriter();
  writeUtf("cutwater.FutureSnapshot", out);
  out.writeInt(9);
  out.writeInt(2);
  out.writeBytes(Uint8Array.of(1, 2));
  out.writeByte(99);
  const input = new ByteReader(out.toBytes());
  const future = readNestedSnapshot(input);
  expect(future).toEqual({
    className: "cutwater.FutureSnapshot",
    version: 9,
    payload: Uint8Array.of(1, 2),
  });
  expect(input.readByte()).toBe(99);
  expect(shapeOfSnapshot(future)).toBe(undefined);

  const foreign = new ByteWriter();
  writeUtf("com.example.OrderSerializerSnapshot", foreign);
  foreign.writeInt(1);
  let refused: unknown;
  try {
    readNestedSnapshot(new ByteReader(foreign.toBytes()));
  } catch (error) {
    refused = error;
  }
  expect(isStreamError(refused, "SERIALIZER_SNAPSHOT_UNKNOWN") && refused.details.className).toBe(
    "com.example.OrderSerializerSnapshot",
  );
});

test("a type with a part of an unknown version is not described", () => {
  const { className, payload } = Types.set(Types.int()).snapshot;
  expect(shapeOfSnapshot({ className, version: 1, payload })?.kind).toBe("set");
  expect(shapeOfSnapshot({ className, version: 2, payload })).toBe(undefined);
});

const samples = fileURLToPath(new URL("../../../../shared/flink-snapshots", import.meta.url));

/** Where a class name of Flink's composites begins, with its length before it. */
const COMPOSITE =
  /org\.apache\.flink\.api\.(common\.typeutils\.base\.(List|Map)|java\.typeutils\.runtime\.Tuple)SerializerSnapshot/gu;

test.skipIf(!existsSync(samples))(
  "snapshots of lists, maps and tuples that Flink wrote are read and written again byte for byte",
  () => {
    let count = 0;
    for (const entry of readdirSync(samples, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const bytes = readFileSync(join(entry.parentPath, entry.name));
      for (const { index } of bytes.toString("latin1").matchAll(COMPOSITE)) {
        const input = new ByteReader(bytes, index - 2);
        try {
          const snapshot = readNestedSnapshot(input);
          const shape = shapeOfSnapshot(snapshot);
          if (shape === undefined) continue;
          expect(hex(snapshotOfShape(shape).payload)).toBe(hex(snapshot.payload));
          count++;
        } catch (error) {
          if (!isStreamError(error, "SERIALIZER_SNAPSHOT_UNKNOWN")) throw error; // holds a class of a user
        }
      }
    }
    expect(count).toBeGreaterThan(100);
  },
);

describe("where code generation is forbidden", () => {
  afterEach(() => vi.unstubAllGlobals());

  test("values are written and read all the same", () => {
    const type = Types.struct({ a: Types.string(), b: Types.array(Types.any()) });
    const value = { a: "x", b: Array.from({ length: 40 }, (_, n) => ({ n })) };
    const generated = new ByteWriter();
    type.write(value, generated);
    vi.stubGlobal("Function", function forbidden() {
      throw new EvalError("Code generation from strings disallowed for this context");
    });
    const codec = compileCodec(shapeOf(type));
    const interpreted = new ByteWriter();
    codec.write(value, interpreted);
    expect(hex(interpreted.toBytes())).toBe(hex(generated.toBytes()));
    expect(codec.read(new ByteReader(interpreted.toBytes()))).toEqual(value);
  });
});

test("whoever knows what the value is for names it in the error", () => {
  let refused: unknown;
  try {
    Types.any().write({ orders: [() => 1] }, new ByteWriter());
  } catch (error) {
    refused = locatedError(error, 'state "orders"');
  }
  expect(refused).toMatchObject({
    code: "VALUE_NOT_SERIALIZABLE",
    message: '`orders[0]` of the value of state "orders" cannot be serialized: it is a function.',
  });
  const other = new Error("other");
  expect(locatedError(other, "x")).toBe(other);
});
