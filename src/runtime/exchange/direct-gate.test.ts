import fc from "fast-check";
import { expect, test } from "vitest";

import { Types } from "../../serde/index.ts";
import { LocalChannel } from "./channel.ts";
import type { FlowControl } from "./flow-control.ts";
import { createRecordOutput } from "./record-output.ts";

/** What happens on the two sides of one channel. */
const actions = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: fc.constant("record") },
    { weight: 3, arbitrary: fc.constantFrom("turn", "receiver-free") },
    { weight: 1, arbitrary: fc.constantFrom("watermark", "flush", "receiver-full") },
  ),
  { minLength: 50, maxLength: 200 },
);

test("no element overtakes another, whichever way each goes", () => {
  let direct = 0;
  fc.assert(
    fc.property(actions, fc.integer({ min: 1, max: 5 }), (steps, batchSize) => {
      const limits = {
        batchSize,
        capacityRecords: 4 * batchSize,
        capacityBatches: 8,
        isDirect: true,
      };
      const channel = new LocalChannel(limits, true);
      const flow: FlowControl = { isFull: false };
      const receiverFlow = { isFull: false };
      let emitted = 0;
      let driven = 0;
      const output = createRecordOutput({
        channels: [channel],
        flow,
        partitioner: { kind: "hash", keySelector: (value) => value, keyType: Types.int() },
        emittedCount: () => emitted,
        maxParallelism: 128,
        random: () => 0,
        userError: (_method, _record, error) => error,
      });
      const sent: string[] = [];
      const seen: string[] = [];
      let key: unknown;
      const take = (value: unknown, of: unknown): void => {
        expect(of).toBe(value);
        seen.push(String(value));
      };
      const { gate } = channel;
      if (gate === undefined) throw new Error("the channel has a gate");
      gate.input = {
        target: {
          processElement(value) {
            direct++;
            driven++;
            take(value, key);
          },
        },
        keyed: { setCurrentKey: (given) => void (key = given) },
        flow: receiverFlow,
        watermark: (timestamp) => {
          seen.push(`w${timestamp}`);
          return timestamp % 3 !== 0;
        },
        status: () => true,
        fail: (error) => {
          throw error;
        },
        namesInTurn: () => ["receiver"],
      };
      const turn = (): void => {
        for (;;) {
          const element = channel.peek();
          if (element === undefined) {
            if (gate.pull()) continue;
            break;
          }
          channel.drop();
          if (element.kind === "records") {
            for (let at = 0; at < element.length; at++)
              take(element.values[at], element.keys?.[at]);
            channel.recycle(element);
          } else if (element.kind === "watermark") seen.push(`w${element.timestamp}`);
        }
        gate.isClosed = receiverFlow.isFull || !gate.isDrained || channel.size() > 0;
      };
      let next = 0;
      for (const step of steps) {
        if (step === "record") {
          sent.push(String(next));
          emitted++;
          output.processElement(next++, 0);
        } else if (step === "watermark") {
          sent.push(`w${next}`);
          output.processWatermark(next++);
        } else if (step === "flush") output.flush();
        else if (step === "turn") turn();
        else receiverFlow.isFull = step === "receiver-full";
      }
      turn();
      expect(seen).toEqual(sent);
      expect([gate.drivenCount, output.recordCount]).toEqual([driven, emitted]);
    }),
    { numRuns: 300 },
  );
  expect(direct).toBeGreaterThan(1000);
});
