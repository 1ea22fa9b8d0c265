import { expect, test } from "vitest";

import { MAX_TIMESTAMP, MIN_TIMESTAMP } from "../../base/index.ts";
import { type TypeSerializer, Types } from "../../serde/index.ts";
import { RecordBatch } from "../exchange/record-batch.ts";
import { ChannelStateWriter, readElements, readGateSnapshots } from "./channel-state-codec.ts";

/** The bytes of channel state of version 0. They stand on disks: another form needs another version, and a file of its own. */

test("in-flight records are written in the bytes of version 0, and read from them", async () => {
  const writer = new ChannelStateWriter(
    [
      { gateIndex: 0, channelIndex: 0, type: Types.int() as TypeSerializer<unknown> },
      { gateIndex: 1, channelIndex: 2, type: Types.string() as TypeSerializer<unknown> },
    ],
    [MIN_TIMESTAMP, 1_700_000_000_000],
  );
  writer.addRecords(0, batchOf([7, -1]), 0);
  writer.addWatermark(0, MAX_TIMESTAMP);
  writer.addRecords(1, batchOf(["left out", "\u00e9"]), 1);
  const state = writer.finish();
  const bytes = Buffer.concat(state?.chunks ?? []);
  const text = `${bytes.toString("hex")}\n${JSON.stringify(state?.channels, undefined, 2)}\n`;
  await expect(text).toMatchFileSnapshot("../../../test/golden/channel-state/format-0.txt");
  expect([...readGateSnapshots(bytes).keys()]).toEqual([0, 1]);
  const [int, string] = state?.channels ?? [];
  expect([...readElements(bytes, int?.offsets ?? [], Types.int())]).toEqual([
    { kind: "start", watermark: MIN_TIMESTAMP },
    { kind: "record", value: 7, timestamp: 0 },
    { kind: "record", value: -1, timestamp: 1 },
    { kind: "watermark", timestamp: MAX_TIMESTAMP },
  ]);
  expect([...readElements(bytes, string?.offsets ?? [], Types.string())]).toEqual([
    { kind: "start", watermark: 1_700_000_000_000 },
    { kind: "record", value: "\u00e9", timestamp: 1 },
  ]);
});

function batchOf(values: readonly unknown[]): RecordBatch {
  const batch = new RecordBatch(values.length, false);
  for (const [index, value] of values.entries()) {
    batch.values[index] = value;
    batch.timestamps[index] = index;
  }
  batch.length = values.length;
  return batch;
}
