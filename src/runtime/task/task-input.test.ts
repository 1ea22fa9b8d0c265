import { describe, expect, test } from "vitest";

import { type BarrierHandler, createBarrierHandler } from "../../checkpoint/index.ts";
import { LocalChannel } from "../exchange/channel.ts";
import { TaskInput } from "./task-input.ts";

const LIMITS = { batchSize: 4, capacityRecords: 8, capacityBatches: 8 };
const OPTIONS = {
  mode: "EXACTLY_ONCE",
  unalignedEnabled: false,
  checkpointsAfterTasksFinish: true,
} as const;

function inputOf(
  channelCount: number,
  handler: BarrierHandler = createBarrierHandler(channelCount, OPTIONS),
) {
  const channels = Array.from({ length: channelCount }, () => new LocalChannel(LIMITS, false));
  const input = new TaskInput(
    channels.map((reader, indexInInput) => ({ reader, inputIndex: 0, indexInInput })),
    handler,
  );
  return { channels, input };
}

function send(channel: LocalChannel | undefined): void {
  const batch = channel?.newBatch();
  if (channel === undefined || batch === undefined) return;
  batch.length = 1;
  channel.sendBatch(batch);
}

/** Takes what comes next. @returns The channel it came from. */
function take(input: TaskInput): number | undefined {
  const next = input.next();
  if (next.kind === "nothing") return undefined;
  input.taken();
  return next.channelIndex;
}

describe("a task's input", () => {
  test("takes from the channels in turn, past empty ones", () => {
    const { channels, input } = inputOf(3);
    for (const channel of [channels[0], channels[0], channels[0], channels[2], channels[2]])
      send(channel);
    expect([take(input), take(input), take(input), take(input), take(input)]).toEqual([
      0, 2, 0, 2, 0,
    ]);
    expect(take(input)).toBeUndefined();
  });

  test("stays with a batch until it is taken", () => {
    const { channels, input } = inputOf(2);
    send(channels[0]);
    send(channels[1]);
    const first = input.next();
    expect(input.next()).toEqual(first);
    input.taken();
    expect(input.next()).toMatchObject({ channelIndex: 1 });
  });

  test("takes nothing from a channel whose barrier has come, until all have", () => {
    const handler = createBarrierHandler(2, OPTIONS);
    const { channels, input } = inputOf(2, handler);
    const barrier = {
      checkpointId: 1,
      triggeredAtMs: 0,
      options: {
        snapshot: { kind: "CHECKPOINT" },
        alignment: "ALIGNED",
        alignedTimeoutMs: undefined,
        targetDirectory: "/chk-1",
      },
    } as const;
    handler.onBarrier(0, barrier, 0);
    send(channels[0]);
    expect(take(input)).toBeUndefined();
    send(channels[1]);
    expect(take(input)).toBe(1);
    handler.onBarrier(1, barrier, 0);
    expect(take(input)).toBe(0);
  });

  test("has no more data when every channel said so, and is ended when every channel is", () => {
    const { input } = inputOf(2);
    input.endOfData(0);
    expect(input.isDataEnded).toBe(false);
    input.endOfPartition(1);
    expect(input.isDataEnded).toBe(true);
    expect(input.isEnded).toBe(false);
    input.endOfPartition(0);
    expect(input.isEnded).toBe(true);
  });
});
