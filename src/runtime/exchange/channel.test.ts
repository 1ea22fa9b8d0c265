import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { LocalChannel } from "./channel.ts";
import type { StreamElement } from "./stream-element.ts";

const LIMITS = { batchSize: 4, capacityRecords: 8, capacityBatches: 3 };

function send(channel: LocalChannel, values: readonly number[]): void {
  const batch = channel.newBatch();
  for (const value of values) batch.values[batch.length++] = value;
  channel.sendBatch(batch);
}

function take(channel: LocalChannel): string | undefined {
  const element: StreamElement | undefined = channel.peek();
  if (element === undefined) return undefined;
  channel.drop();
  if (element.kind !== "records")
    return element.kind === "watermark" ? `w${element.timestamp}` : element.kind;
  const text = element.values.slice(0, element.length).join(",");
  channel.recycle(element);
  return text;
}

describe("a channel within a slot", () => {
  test("gives back in order what was sent, whatever was sent and taken in between", () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant("batch" as const), size: fc.integer({ min: 1, max: 4 }) }),
      fc.record({ kind: fc.constant("watermark" as const) }),
      fc.record({ kind: fc.constant("take" as const) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const channel = new LocalChannel(LIMITS, false);
        const expected: (string | undefined)[] = [];
        const taken: (string | undefined)[] = [];
        const wanted: (string | undefined)[] = [];
        let next = 0;
        for (const { kind, ...rest } of steps) {
          if (kind === "batch") {
            const values = Array.from({ length: (rest as { size: number }).size }, () => next++);
            send(channel, values);
            expected.push(values.join(","));
          } else if (kind === "watermark") {
            channel.sendControl({ kind: "watermark", timestamp: next });
            expected.push(`w${next++}`);
          } else {
            taken.push(take(channel));
            wanted.push(expected.shift());
          }
        }
        for (const rest of [...expected, undefined]) {
          taken.push(take(channel));
          wanted.push(rest);
        }
        expect(taken).toEqual(wanted);
        expect(channel.queuedRecords()).toBe(0);
      }),
    );
  });

  test("has no room once it holds as many records as it may, and has room again when they are taken", () => {
    const channel = new LocalChannel(LIMITS, false);
    send(channel, [1, 2, 3, 4]);
    expect(channel.hasRoom()).toBe(true);
    send(channel, [5, 6, 7, 8]);
    expect(channel.hasRoom()).toBe(false);
    take(channel);
    expect(channel.hasRoom()).toBe(true);
  });

  test("has no room once it holds as many batches as it may, however small they are", () => {
    const channel = new LocalChannel(LIMITS, false);
    for (let sent = 0; sent < 3; sent++) send(channel, [sent]);
    expect(channel.hasRoom()).toBe(false);
  });

  test("takes barriers beyond its bound", () => {
    const channel = new LocalChannel(LIMITS, false);
    for (let sent = 0; sent < 3; sent++) send(channel, [sent]);
    channel.sendControl({ kind: "cancel", checkpointId: 7 });
    expect(channel.size()).toBe(4);
  });

  test("knows when the receiver has taken the end of data", () => {
    const channel = new LocalChannel(LIMITS, false);
    channel.sendControl({ kind: "end-of-data", drain: true });
    expect(channel.isEndOfDataTaken()).toBe(false);
    take(channel);
    expect(channel.isEndOfDataTaken()).toBe(true);
  });
});
