import fc from "fast-check";
import { describe, expect, test } from "vitest";

import type { Partitioner } from "../../graph/index.ts";
import { keyHash, Types } from "../../serde/index.ts";
import { keyGroupOf, operatorIndexOf } from "../../state/index.ts";
import { LocalChannel } from "./channel.ts";
import { createRecordOutput, type RecordOutput } from "./record-output.ts";

const LIMITS = { batchSize: 3, capacityRecords: 6, capacityBatches: 4 };

function outputTo(channelCount: number, partitioner: Partitioner) {
  const channels = Array.from(
    { length: channelCount },
    () => new LocalChannel(LIMITS, partitioner.kind === "hash"),
  );
  const flow = { isFull: false };
  const output: RecordOutput = createRecordOutput({
    channels,
    flow,
    partitioner,
    maxParallelism: 128,
    emittedCount: () => 0,
    random: () => 0,
    userError: (method, record, error) =>
      new Error(`${method} on ${String(record)}: ${String(error)}`),
  });
  return { channels, flow, output };
}

/** What lies in a channel: values, and controls by their kind. */
function contents(channel: LocalChannel): readonly unknown[] {
  const found: unknown[] = [];
  for (let element = channel.peek(); element !== undefined; element = channel.peek()) {
    channel.drop();
    if (element.kind === "records") found.push(...element.values.slice(0, element.length));
    else found.push(element.kind);
  }
  return found;
}

function sent(channelCount: number, partitioner: Partitioner, values: readonly number[]) {
  const { channels, output } = outputTo(channelCount, partitioner);
  for (const value of values) output.processElement(value, 0);
  output.flush();
  return channels.map(contents);
}

describe("an output", () => {
  test("forward and global use the first channel alone", () => {
    expect(sent(1, { kind: "forward" }, [1, 2, 3, 4])).toEqual([[1, 2, 3, 4]]);
    expect(sent(2, { kind: "global" }, [1, 2, 3, 4])).toEqual([[1, 2, 3, 4], []]);
  });

  test("rebalance goes round from a first channel that chance chooses; rescale begins with the first", () => {
    expect(sent(3, { kind: "rebalance" }, [1, 2, 3, 4])).toEqual([[3], [1, 4], [2]]);
    expect(sent(3, { kind: "rescale" }, [1, 2, 3, 4])).toEqual([[1, 4], [2], [3]]);
  });

  test("broadcast gives every record to every channel", () => {
    expect(sent(2, { kind: "broadcast" }, [1, 2])).toEqual([
      [1, 2],
      [1, 2],
    ]);
  });

  test("a keyed record goes to the subtask that owns its key group, with key and hash", () => {
    const keyType = Types.int();
    fc.assert(
      fc.property(fc.array(fc.integer()), fc.integer({ min: 2, max: 9 }), (keys, parallelism) => {
        const { channels, output } = outputTo(parallelism, {
          kind: "hash",
          keySelector: (value) => value,
          keyType,
        });
        for (const key of keys) output.processElement(key, 0);
        output.flush();
        for (const [subtask, channel] of channels.entries()) {
          for (let element = channel.peek(); element !== undefined; element = channel.peek()) {
            channel.drop();
            if (element.kind !== "records") continue;
            for (let at = 0; at < element.length; at++) {
              const key = element.keys?.[at];
              const hash = keyHash(key, keyType.keyKind);
              expect(element.values[at]).toBe(key);
              expect(element.hashes?.[at]).toBe(hash);
              expect(operatorIndexOf(keyGroupOf(hash, 128), 128, parallelism)).toBe(subtask);
            }
          }
        }
      }),
    );
  });

  test("a custom partitioner chooses, and what is no channel is its author's error, naming the record", () => {
    const modulo: Partitioner = {
      kind: "custom",
      keySelector: (value) => value,
      partition: (key, count) => Number(key) % count,
    };
    expect(sent(2, modulo, [1, 2, 3])).toEqual([[2], [1, 3]]);
    expect(() => sent(2, { ...modulo, partition: () => 5 }, [1])).toThrow(
      /partition on 1: RangeError: The partitioner returned 5/,
    );
  });

  test("an error of the key selector names the record", () => {
    const failing: Partitioner = {
      kind: "hash",
      keySelector: () => {
        throw new Error("no key");
      },
      keyType: Types.int(),
    };
    expect(() => sent(1, failing, [7])).toThrow("keyBy on 7: Error: no key");
    expect(() => sent(2, failing, [7])).toThrow("keyBy on 7: Error: no key");
  });

  test("sends what it holds before a watermark, a status or a barrier, to every channel", () => {
    const { channels, output } = outputTo(2, { kind: "rebalance" });
    output.processElement(1, 0);
    output.processWatermark(5);
    output.processWatermarkStatus("IDLE");
    output.broadcast({ kind: "cancel", checkpointId: 1 });
    expect(channels.map(contents)).toEqual([
      ["watermark", "status", "cancel"],
      [1, "watermark", "status", "cancel"],
    ]);
  });

  test("says that it is full as soon as a channel is, and takes what still comes", () => {
    const { channels, flow, output } = outputTo(1, { kind: "forward" });
    for (let value = 0; value < 5; value++) output.processElement(value, 0);
    expect(flow.isFull).toBe(false);
    output.processElement(5, 0);
    expect(flow.isFull).toBe(true);
    for (let value = 6; value < 20; value++) output.processElement(value, 0);
    output.flush();
    expect(channels.map(contents)).toEqual([Array.from({ length: 20 }, (_, index) => index)]);
  });
});
