import { readFileSync } from "node:fs";

import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { ByteReader, ByteWriter, MAX_TIMESTAMP, MIN_TIMESTAMP } from "../base/index.ts";
import { type CellBlock, readCells, type StateCell, writeCells } from "./cell-block.ts";
import { type Frame, FrameReader } from "./frame.ts";
import type { Hello } from "./hello.ts";
import { type EncodedEntries, readEntry, type StageEntry, writeEntry } from "./stage-entry.ts";
import {
  dataBytes,
  flushedBytes,
  orderBytes,
  outBytes,
  readOrder,
  readReport,
  reportBytes,
} from "./stage-message.ts";

/** Every frame of version 1, as bytes: what another end of this border is written against. */
const GOLDEN = new URL("../../test/golden/frames/frames-1.txt", import.meta.url);

const HELLO: Hello = {
  protocol: 1,
  program: { module: "/job/bundle.mjs", name: "per-user" },
  jobName: "clicks",
  jobId: "0123456789abcdef0123456789abcdef",
  subtaskIndex: 1,
  parallelism: 4,
  maxParallelism: 128,
  keyGroupRange: { first: 32, last: 63 },
  attempt: 2,
  restoredCheckpointId: 17,
  isCheckpointed: true,
  autoWatermarkIntervalMs: 200,
  nowMs: 1_700_000_000_000,
  changesEveryEntries: 1000,
};

const KEY = { hash: -836_031_825, bytes: Uint8Array.of(7, 0x75, 0x31) };

const ENTRIES: readonly StageEntry[] = [
  { kind: "record", port: 0, timestamp: 1_700_000_000_123, key: KEY, value: Uint8Array.of(1, 2) },
  { kind: "record", port: 1, timestamp: MIN_TIMESTAMP, key: undefined, value: Uint8Array.of() },
  { kind: "watermark", watermark: -5 },
  { kind: "watermark", watermark: MAX_TIMESTAMP },
  { kind: "idle" },
  { kind: "active" },
  { kind: "tick", nowMs: 1_700_000_000_500 },
  { kind: "end", port: 1 },
];

const OUTPUTS: readonly StageEntry[] = [
  { kind: "record", port: 2, timestamp: 9, key: undefined, value: Uint8Array.of(0xff) },
  { kind: "watermark", watermark: 1_700_000_000_000 },
];

const CELLS: CellBlock = {
  declarations: [
    { id: 0, operatorId: "ab".repeat(16), name: "count", description: Uint8Array.of(9, 9) },
    {
      id: 1,
      operatorId: "ab".repeat(16),
      name: "_timer_state/event_t",
      description: Uint8Array.of(),
    },
  ],
  cells: [
    {
      stateId: 0,
      keyHash: KEY.hash,
      key: KEY.bytes,
      namespace: undefined,
      mapKey: undefined,
      value: Uint8Array.of(3),
    },
    {
      stateId: 1,
      keyHash: KEY.hash,
      key: KEY.bytes,
      namespace: Uint8Array.of(5, 6),
      mapKey: Uint8Array.of(1),
      value: Uint8Array.of(),
    },
    {
      stateId: 0,
      keyHash: 2,
      key: Uint8Array.of(1),
      namespace: undefined,
      mapKey: undefined,
      value: undefined,
    },
  ],
};

const BLOBS = [
  {
    operatorId: "cd".repeat(16),
    states: [
      { name: "positions", mode: "SPLIT_DISTRIBUTE" as const, offsets: [0, 4] },
      { name: "rules", mode: "BROADCAST" as const, offsets: [8] },
    ],
    bytes: Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8, 9),
  },
];

const FAILURE = {
  name: "StreamError",
  message: 'map of operator "m", subtask (1/1), failed.',
  stack: "StreamError: at /job/clicks.ts:12:9",
  code: "USER_FUNCTION_FAILED",
  details: { operator: "m" },
  cause: {
    name: "TypeError",
    message: "x is not a function",
    stack: "",
    code: undefined,
    details: undefined,
    cause: undefined,
  },
};

function encoded(entries: readonly StageEntry[]): EncodedEntries {
  const out = new ByteWriter();
  for (const entry of entries) writeEntry(entry, out);
  return { count: entries.length, bytes: out.toBytes() };
}

const PROGRESS = {
  countedEntries: 8,
  nextTimerAtMs: 1_700_000_001_000,
  outputs: encoded(OUTPUTS),
  changes: CELLS,
};

/** Name, bytes, and what they say. */
const FRAMES: readonly (readonly [string, Uint8Array, unknown])[] = [
  ["HELLO", orderBytes({ kind: "hello", hello: HELLO }), { kind: "hello", hello: HELLO }],
  [
    "LOAD",
    orderBytes({ kind: "load", cells: CELLS, operatorStates: BLOBS }),
    { kind: "load", cells: CELLS, operatorStates: BLOBS },
  ],
  [
    "LOAD_END",
    orderBytes({ kind: "load-end", cellCount: 3, blobCount: 1 }),
    { kind: "load-end", cellCount: 3, blobCount: 1 },
  ],
  ["DATA", dataBytes(encoded(ENTRIES)), { kind: "data", entries: ENTRIES }],
  [
    "FLUSH",
    orderBytes({ kind: "flush", checkpointId: 18, reason: "SAVEPOINT" }),
    { kind: "flush", checkpointId: 18, reason: "SAVEPOINT" },
  ],
  [
    "NOTIFY",
    orderBytes({ kind: "notify", checkpointId: 18, isComplete: true }),
    { kind: "notify", checkpointId: 18, isComplete: true },
  ],
  ["CLOSE", orderBytes({ kind: "close" }), { kind: "close" }],
  ["READY", reportBytes({ kind: "ready" }), { kind: "ready" }],
  [
    "OUT",
    outBytes(PROGRESS, true),
    { kind: "out", covers: true, progress: { ...PROGRESS, outputs: OUTPUTS } },
  ],
  [
    "FLUSHED",
    flushedBytes(18, { ...PROGRESS, nextTimerAtMs: MAX_TIMESTAMP }, BLOBS),
    {
      kind: "flushed",
      checkpointId: 18,
      progress: { ...PROGRESS, nextTimerAtMs: MAX_TIMESTAMP, outputs: OUTPUTS },
      operatorStates: BLOBS,
    },
  ],
  [
    "METRICS",
    reportBytes({ kind: "metrics", metrics: { numRecordsIn: 7 } }),
    { kind: "metrics", metrics: { numRecordsIn: 7 } },
  ],
  [
    "ERROR",
    reportBytes({ kind: "error", failure: FAILURE }),
    { kind: "error", failure: JSON.parse(JSON.stringify(FAILURE)) as unknown },
  ],
];

function read(frame: Frame): unknown {
  const goesToStage = ["HELLO", "LOAD", "LOAD_END", "DATA", "FLUSH", "NOTIFY", "CLOSE"];
  return goesToStage.includes(frame.type) ? readOrder(frame) : readReport(frame);
}

describe("frames of version 1", () => {
  test("are the bytes that were written down when the version began", () => {
    const text = FRAMES.map(
      ([name, bytes]) => `${name} ${Buffer.from(bytes).toString("hex")}\n`,
    ).join("");
    expect(text).toBe(readFileSync(GOLDEN, "utf8"));
  });

  test.each(FRAMES)("%s is read back as what was written", (name, bytes, message) => {
    const [frame, ...others] = new FrameReader().push(bytes);
    expect(others).toEqual([]);
    expect(frame?.type).toBe(name);
    expect(frame === undefined ? undefined : read(frame)).toEqual(message);
  });

  test.each(FRAMES)("%s that ends too early, or goes the other way, is refused", (_name, bytes) => {
    const [frame] = new FrameReader().push(bytes);
    if (frame === undefined) throw new Error("a frame is read");
    for (let length = 0; length < frame.payload.length; length++) {
      const cut = { ...frame, payload: frame.payload.subarray(0, length) };
      expect(() => read(cut)).toThrow(/at byte/);
    }
    expect(() =>
      read({ ...frame, payload: Buffer.concat([frame.payload, Uint8Array.of(0)]) }),
    ).toThrow(/at byte/);
    const isOrder = Object.hasOwn(
      message(() => readOrder(frame)),
      "kind",
    );
    expect(() => (isOrder ? readReport(frame) : readOrder(frame))).toThrow("goes the other way");
  });

  test("frames are cut out of pieces of any size", () => {
    const all = Buffer.concat(FRAMES.map(([, bytes]) => bytes));
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1 }), (sizes) => {
        const reader = new FrameReader();
        const types: string[] = [];
        for (let at = 0, piece = 0; at < all.length; piece++) {
          const size = sizes[piece % sizes.length] ?? 1;
          types.push(...reader.push(all.subarray(at, at + size)).map(({ type }) => type));
          at += size;
        }
        expect(types).toEqual(FRAMES.map(([name]) => name));
        expect(reader.isInsideFrame).toBe(false);
      }),
    );
  });

  test("text that user code prints is no frame", () => {
    expect(() => new FrameReader().push(new TextEncoder().encode("hello world\n"))).toThrow(
      "What is no frame at byte 0",
    );
  });

  test("a HELLO of another protocol, or with a field missing, is refused", () => {
    const say = (hello: unknown): unknown =>
      readOrder(
        new FrameReader().push(orderBytes({ kind: "hello", hello: hello as Hello }))[0] as Frame,
      );
    expect(() => say({ ...HELLO, protocol: 2 })).toThrow("Protocol 2, while this end speaks 1");
    expect(() => say({ ...HELLO, maxParallelism: undefined })).toThrow(
      "A HELLO without maxParallelism",
    );
    expect(() => say({ ...HELLO, program: {} })).toThrow("A HELLO without program");
  });
});

function message(action: () => unknown): object {
  try {
    return action() as object;
  } catch {
    return {};
  }
}

const bytes = fc.uint8Array({ maxLength: 6 });
const time = fc.oneof(
  fc.maxSafeInteger(),
  fc.constantFrom(Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY),
);

test("entries and cells are read back, whatever they are", () => {
  const entry: fc.Arbitrary<StageEntry> = fc.oneof(
    fc.record({
      kind: fc.constant("record" as const),
      port: fc.nat(65_535),
      timestamp: time,
      key: fc.option(fc.record({ hash: fc.integer(), bytes }), { nil: undefined }),
      value: bytes,
    }),
    fc.record({ kind: fc.constant("watermark" as const), watermark: time }),
    fc.record({ kind: fc.constant("end" as const), port: fc.nat(65_535) }),
  );
  const cell: fc.Arbitrary<StateCell> = fc.record({
    stateId: fc.nat(65_535),
    keyHash: fc.constantFrom(1, -7),
    key: fc.constantFrom(Uint8Array.of(1), Uint8Array.of(1, 2)),
    namespace: fc.option(bytes, { nil: undefined }),
    mapKey: fc.option(bytes, { nil: undefined }),
    value: fc.option(bytes, { nil: undefined }),
  });
  fc.assert(
    fc.property(fc.array(entry), fc.array(cell), (entries, cells) => {
      // One key has one hash.
      const whole = cells.map((one) => ({ ...one, keyHash: one.key.length }));
      const out = new ByteWriter();
      for (const one of entries) writeEntry(one, out);
      writeCells({ declarations: [], cells: whole }, out);
      const input = new ByteReader(out.toBytes());
      expect(entries.map(() => readEntry(input))).toEqual(entries);
      expect(readCells(input).cells).toEqual(whole);
      expect(input.remaining).toBe(0);
    }),
  );
});
