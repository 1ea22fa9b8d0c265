import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { assert, present } from "../../../base/index.ts";
import { keyHash, Types, type TypeSerializer } from "../../../serde/index.ts";
import { LocalChannel } from "../channel.ts";
import {
  CHANNEL_LAWS,
  type ChannelEnds,
  type ChannelStep,
  sendRecords,
  takeElement,
} from "../channel-laws.ts";
import { RingReader, RingWriter } from "./ring-channel.ts";
import { allocateRings } from "./shared-ring.ts";
import { SlotPort } from "./slot-port.ts";

const LIMITS = { batchSize: 4, capacityRecords: 16, capacityBatches: 6 };

function ring(
  capacityBytes: number,
  type: TypeSerializer<unknown> = Types.any(),
  rung: number[] = [],
  key: TypeSerializer<unknown> | null = Types.string() as TypeSerializer<unknown>,
): ChannelEnds & { readonly port: SlotPort } {
  const memory = present(allocateRings(3, capacityBytes)[1], "there are three");
  const port = new SlotPort({ ring: (slot) => void rung.push(slot) });
  const codec = { type, keyType: key ?? undefined, edgeName: "a to b" };
  const end = { memory, codec, limits: LIMITS, port };
  return {
    writer: new RingWriter({ ...end, peerSlot: 1 }),
    reader: new RingReader({ ...end, peerSlot: 0 }),
    port,
  };
}

const KINDS: Readonly<Record<string, () => ChannelEnds>> = {
  "a channel within a slot": () => {
    const channel = new LocalChannel(LIMITS, true);
    return { writer: channel, reader: channel };
  },
  "a ring": () => ring(4096),
  "a ring that is smaller than its frames": () => ring(64),
};

const value = fc.oneof(
  fc.integer(),
  fc.string({ maxLength: 12 }),
  fc.constantFrom("AAL", "JFK", "a".repeat(300), "Zürich 東京"),
);
const step: fc.Arbitrary<ChannelStep> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("records" as const),
      values: fc.array(value, { minLength: 1, maxLength: 9 }),
    }),
  },
  { weight: 4, arbitrary: fc.constant({ kind: "take" as const }) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(
        { kind: "watermark" as const, timestamp: 5 },
        { kind: "status" as const, status: "IDLE" as const },
        { kind: "cancel" as const, checkpointId: 9 },
        {
          kind: "barrier" as const,
          barrier: {
            checkpointId: 3,
            triggeredAtMs: 12.5,
            options: {
              snapshot: { kind: "CHECKPOINT" as const },
              alignment: "ALIGNED" as const,
              alignedTimeoutMs: undefined,
              targetDirectory: "/chk-3",
            },
          },
        },
      )
      .map((element) => ({ kind: "control" as const, element })),
  },
);

for (const [name, create] of Object.entries(KINDS)) {
  describe(`${name}`, () => {
    for (const law of CHANNEL_LAWS) {
      test(`${law.name}`, () => {
        fc.assert(
          fc.property(fc.array(step, { maxLength: 60 }), (steps) => law.check(create, steps)),
          { numRuns: 200 },
        );
      });
    }
  });
}

describe("a ring", () => {
  test("sends a record that is larger than itself in pieces, and the records behind it after it", () => {
    const { writer, reader } = ring(1024);
    const large = "x".repeat(100_000);
    sendRecords(writer, [1, large, 2]);
    const taken: unknown[] = [];
    for (let turn = 0; turn < 1000 && taken.length < 3; turn++) {
      taken.push(...(takeElement(reader) ?? []));
      writer.hasRoom();
    }
    expect(taken).toEqual([{ value: 1 }, { value: large }, { value: 2 }]);
  });

  test("hands out one string object for equal text, also where it was sent long before", () => {
    const { writer, reader } = ring(
      1 << 16,
      Types.struct({ at: Types.string() }) as TypeSerializer<unknown>,
      [],
      null,
    );
    const bytesOf = (text: string) => {
      const batch = writer.newBatch();
      batch.values[0] = { at: text };
      batch.length = 1;
      writer.sendBatch(batch);
      const before = present(reader.peek(), "it has come");
      reader.drop();
      return before;
    };
    expect(bytesOf("a text that is long enough")).toMatchObject({ length: 1 });
    expect(bytesOf("a text that is long enough")).toMatchObject({
      values: expect.arrayContaining([{ at: "a text that is long enough" }]),
    });
  });

  test("carries keys of every kind with their hashes, and numbers among text", () => {
    const Trip = Types.struct({
      tail: Types.string(),
      miles: Types.int(),
      at: Types.timestamp(),
      note: Types.optional(Types.string()),
      fuel: Types.double(),
      isLate: Types.boolean(),
    });
    const trips = Array.from({ length: 9 }, (_, index) => ({
      tail: `N${index % 3}`,
      miles: index - 4,
      at: index === 5 ? Number.NEGATIVE_INFINITY : 1.7e12 + index,
      note: index % 2 === 0 ? undefined : `note ${index % 4}`,
      fuel: index === 3 ? Number.NaN : index / 8,
      isLate: index % 3 === 0,
    }));
    const keys: readonly (readonly [
      TypeSerializer<unknown>,
      (trip: (typeof trips)[0]) => unknown,
    ])[] = [
      [Types.int() as TypeSerializer<unknown>, ({ miles }) => miles],
      [Types.string() as TypeSerializer<unknown>, ({ tail }) => tail],
      [
        Types.tuple(Types.string(), Types.int()) as TypeSerializer<unknown>,
        ({ tail, miles }) => [tail, miles],
      ],
    ];
    for (const [keyType, select] of keys) {
      const { writer, reader } = ring(1024, Trip as TypeSerializer<unknown>, [], keyType);
      const taken: unknown[] = [];
      const sent = trips.map((trip) => {
        const key = select(trip);
        return { trip, key, hash: keyHash(key, keyType.keyKind), at: trip.at };
      });
      for (const { trip, key, hash, at } of sent) {
        const batch = writer.newBatch();
        batch.length = 1;
        batch.values[0] = trip;
        batch.timestamps[0] = at;
        present(batch.keys, "the edge is keyed")[0] = key;
        present(batch.hashes, "the edge is keyed")[0] = hash;
        writer.sendBatch(batch);
        const element = reader.peek();
        assert(element?.kind === "records", "a batch comes");
        taken.push({
          trip: element.values[0],
          key: element.keys?.[0],
          hash: element.hashes?.[0],
          at: element.timestamps[0],
        });
        reader.drop();
        reader.recycle(element);
      }
      expect(taken).toEqual(sent);
    }
  });

  test("rings at the receiver when something comes, and at the sender once half of it is free again", () => {
    const rung: number[] = [];
    const { writer, reader } = ring(256, Types.any(), rung);
    while (writer.hasRoom()) sendRecords(writer, [1]);
    expect(rung).toContain(1);
    rung.length = 0;
    expect(takeElement(reader)).toBeDefined();
    expect(rung).not.toContain(0);
    while (takeElement(reader) !== undefined);
    expect(rung).toContain(0);
  });

  test("what has no room is sent on by the slot's port, whoever sent it", () => {
    const { writer, reader, port } = ring(256);
    while (writer.hasRoom()) sendRecords(writer, [1]);
    writer.sendControl({ kind: "end-of-partition" });
    expect(port.drain()).toBe(false);
    const kinds: unknown[] = [];
    for (;;) {
      const taken = takeElement(reader);
      if (taken === undefined && !port.drain()) break;
      kinds.push(...(taken ?? []));
    }
    expect(kinds.at(-1)).toEqual({ control: { kind: "end-of-partition" } });
  });

  test("counts at both ends the same bytes and frames, whatever pieces they come in", () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(value, { minLength: 1, maxLength: 9 }), { maxLength: 12 }),
        (batches) => {
          const { writer, reader } = ring(128);
          for (const values of batches) sendRecords(writer, values);
          writer.sendControl({ kind: "watermark", timestamp: 5 });
          for (;;) {
            if (takeElement(reader) === undefined && writer.hasRoom() && reader.size() === 0) break;
          }
          const buffers = batches.reduce((sum, { length }) => sum + Math.ceil(length / 4), 1);
          expect(writer.traffic).toMatchObject({ buffers });
          expect(writer.traffic?.bytes).toBeGreaterThan(buffers * 5);
          expect(reader.traffic).toEqual(writer.traffic);
        },
      ),
    );
  });

  test("names the edge of a record that cannot be encoded, and sends nothing after it", () => {
    const { writer } = ring(1024, Types.int() as TypeSerializer<unknown>);
    expect(() => sendRecords(writer, ["no number"])).toThrow(/the edge from a to b/);
    expect(() => writer.sendControl({ kind: "end-of-partition" })).toThrow(/the edge from a to b/);
  });
});
