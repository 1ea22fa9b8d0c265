import { describe, expect, test } from "vitest";
import { keyHash, Types } from "../../serde/index.ts";
import type { InternalTimerService, ProcessingTimeService } from "../keyed-state.ts";
import type { KeyedStateBackend } from "../keyed-state-backend.ts";
import { ManualProcessingTime } from "../manual-processing-time.ts";
import { heapKeyedStateBackend } from "../heap/heap-backend-factory.ts";

/** Counts the system timers that are set. */
class CountingTime implements ProcessingTimeService {
  readonly manual = new ManualProcessingTime();
  readonly set: number[] = [];
  open = 0;

  nowMs(): number {
    return this.manual.nowMs();
  }

  registerTimer(atMs: number, callback: (atMs: number) => void): () => void {
    this.set.push(atMs);
    this.open++;
    const cancel = this.manual.registerTimer(atMs, (firedAtMs) => {
      this.open--;
      callback(firedAtMs);
    });
    return () => {
      this.open--;
      cancel();
    };
  }
}

function make(clock: ProcessingTimeService): KeyedStateBackend {
  return heapKeyedStateBackend.create(undefined, {
    keyType: Types.string(),
    maxParallelism: 4,
    keyGroupRange: { first: 0, last: 3 },
    processingTime: clock,
    ownerName: "Timers (1/1)",
  });
}

function setKey(backend: KeyedStateBackend, key: string): void {
  backend.setCurrentKey(key, keyHash(key, "string"));
}

function serviceOf(
  backend: KeyedStateBackend,
  fired: string[],
  onFire?: (service: InternalTimerService<number>, time: number) => void,
): InternalTimerService<number> {
  const note = (time: number, space: number): void => {
    fired.push(`${String(backend.currentKey)} ${space} ${time}`);
    onFire?.(service, time);
  };
  const service = backend.timerService(
    "t",
    { type: Types.int(), identity: (space: number) => space, layout: "key-major" },
    { onEventTime: note, onProcessingTime: note },
  );
  return service;
}

describe("the timer service", () => {
  test("has one system timer, for the earliest processing timer", () => {
    const clock = new CountingTime();
    const backend = make(clock);
    const fired: string[] = [];
    const service = serviceOf(backend, fired);
    setKey(backend, "a");
    for (const time of [50, 70, 30, 90]) service.registerProcessingTimeTimer(1, time);
    expect([clock.set, clock.open]).toEqual([[50, 30], 1]);
    clock.manual.set(60);
    expect([fired, clock.open]).toEqual([["a 1 30", "a 1 50"], 1]);
    service.deleteProcessingTimeTimer(1, 70);
    clock.manual.set(80);
    expect(fired).toHaveLength(2);
    clock.manual.set(90);
    expect([fired.at(-1), clock.open]).toEqual(["a 1 90", 0]);
  });

  test("fires overdue processing timers at once after a restore", () => {
    const backend = make(new ManualProcessingTime());
    const service = serviceOf(backend, []);
    setKey(backend, "b");
    service.registerProcessingTimeTimer(2, 100);
    const snapshot = backend.snapshot(1);
    while (!snapshot.advance(10));
    const { range, offsets, chunks } = snapshot.result();
    const clock = new ManualProcessingTime();
    clock.set(5000);
    const again = make(clock);
    again.restore({ range, offsets, bytes: Buffer.concat(chunks) });
    const fired: string[] = [];
    serviceOf(again, fired);
    clock.set(5000);
    expect(fired).toEqual(["b 2 100"]);
  });

  test("fires in slices, and what a callback registers at or before the watermark in the same sweep", () => {
    const backend = make(new ManualProcessingTime());
    const fired: string[] = [];
    const service = serviceOf(backend, fired, (own, time) => {
      if (time < 5) own.registerEventTimeTimer(0, time + 2);
    });
    setKey(backend, "a");
    for (const time of [1, 2, 9]) service.registerEventTimeTimer(0, time);
    expect(service.advanceWatermarkSlice(8, 2)).toBe(false);
    expect([fired, service.currentWatermark]).toEqual([["a 0 1", "a 0 2"], 8]);
    expect(service.advanceWatermarkSlice(8, 2)).toBe(false);
    expect(service.advanceWatermarkSlice(8, 3)).toBe(true);
    expect(fired.slice(2)).toEqual(["a 0 3", "a 0 4", "a 0 5", "a 0 6"]);
    service.registerEventTimeTimer(0, 7);
    expect(fired).toHaveLength(6);
    service.advanceWatermark(8);
    expect(fired.at(-1)).toBe("a 0 7");
  });

  test("does not fire when the backend is disposed of", () => {
    const clock = new CountingTime();
    const backend = make(clock);
    setKey(backend, "a");
    serviceOf(backend, []).registerProcessingTimeTimer(1, 10);
    backend.dispose();
    expect(clock.open).toBe(0);
  });
});
