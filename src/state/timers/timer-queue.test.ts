import * as fc from "fast-check";
import { expect, test } from "vitest";
import { KeyContext } from "../heap/key-context.ts";
import { TimerQueue } from "./timer-queue.ts";

interface Command {
  readonly kind: "add" | "delete" | "advance";
  readonly key: number;
  readonly space: number;
  readonly time: number;
}

const COMMAND: fc.Arbitrary<Command> = fc.record({
  kind: fc.constantFrom("add", "add", "add", "delete", "advance"),
  key: fc.integer({ min: -3, max: 3 }),
  space: fc.nat(2),
  time: fc.oneof(
    fc.integer({ min: -5000, max: 5000 }),
    fc.constantFrom(Infinity, -Infinity, 1e15, 0.5, 999, 1000),
  ),
});

/** A queue beside a list that is sorted at each step. */
class Pair {
  readonly #context = new KeyContext("int");
  readonly queue: TimerQueue;
  timers: { key: number; space: number; time: number }[] = [];

  constructor(spaced: boolean) {
    this.queue = new TimerQueue(
      this.#context,
      spaced,
      (queue, a, b) =>
        (queue.keyAt(a) as number) - (queue.keyAt(b) as number) ||
        (queue.spaceAt(a) as number) - (queue.spaceAt(b) as number),
    );
  }

  add(key: number, space: number, time: number): boolean {
    this.#context.set(key, key);
    const isNew = !this.timers.some(
      (timer) => timer.key === key && timer.space === space && timer.time === time,
    );
    if (isNew) this.timers.push({ key, space, time });
    return this.queue.add(space, space, time) === isNew;
  }

  delete(key: number, space: number, time: number): boolean {
    this.#context.set(key, key);
    const before = this.timers.length;
    this.timers = this.timers.filter(
      (timer) => timer.key !== key || timer.space !== space || timer.time !== time,
    );
    return this.queue.delete(space, time) === this.timers.length < before;
  }

  /** What was found, and what should have been. */
  run(kind: Command["kind"], key: number, space: number, time: number): [unknown, unknown] {
    if (kind === "advance") return this.advance(time);
    return [kind === "add" ? this.add(key, space, time) : this.delete(key, space, time), true];
  }

  /** Fires up to a time; each third timer sets another one while it fires. */
  advance(until: number): [unknown[], unknown[]] {
    const found: unknown[] = [];
    const expected: unknown[] = [];
    for (let count = 0; ; count++) {
      const slot = this.queue.firstDue(until);
      this.timers.sort((a, b) =>
        a.time === b.time ? a.key - b.key || a.space - b.space : a.time < b.time ? -1 : 1,
      );
      const first = this.timers[0];
      if (first !== undefined && first.time <= until) expected.push(this.timers.shift());
      if (slot < 0) return [found, expected];
      const { key, space, time } = {
        key: this.queue.keyAt(slot) as number,
        space: (this.queue.spaceAt(slot) ?? 0) as number,
        time: this.queue.timeAt(slot),
      };
      found.push({ key, space, time });
      this.queue.takeFirst(slot);
      if (count % 3 === 0 && count < 30) this.add(key, space, time + 1 + count * 300);
    }
  }
}

test.each([true, false])(
  "timers come in the order of a sorted list (with namespaces: %s)",
  (spaced) => {
    fc.assert(
      fc.property(fc.array(COMMAND, { maxLength: 200, size: "max" }), (commands) => {
        const pair = new Pair(spaced);
        for (const { kind, key, space: given, time } of commands) {
          const [found, expected] = pair.run(kind, key, spaced ? given : 0, time);
          expect(found).toEqual(expected);
          expect(pair.queue.size).toBe(pair.timers.length);
        }
        const [found, expected] = pair.advance(Infinity);
        expect(found).toEqual(expected);
      }),
      { numRuns: 120 },
    );
  },
);

test("timers that are set and deleted over and over need no more room", () => {
  const queue = new TimerQueue(new KeyContext("int"), false, () => 0);
  queue.context.set(1, 1);
  for (let round = 0; round < 100_000; round++) {
    queue.add(null, 0, round + 10_000_000);
    queue.delete(0, round + 9_999_999);
  }
  expect(queue.size).toBe(1);
  expect(queue.limit).toBeLessThanOrEqual(3);
});

test("a timer that goes under a walk is saved once, if the walk has not come to it", () => {
  const queue = new TimerQueue(new KeyContext("int"), false, () => 0);
  for (const key of [1, 2, 3]) {
    queue.context.set(key, key);
    queue.add(null, 0, key);
  }
  queue.context.epoch++;
  const saved: unknown[] = [];
  const walk = {
    epoch: queue.context.epoch,
    cursor: 1,
    limit: queue.limit,
    save: (slot: number) => saved.push(queue.keyAt(slot)),
  };
  queue.walks = [walk];
  queue.add(null, 0, 9);
  queue.delete(0, 9);
  queue.delete(0, 3);
  queue.takeFirst(queue.firstDue(1));
  queue.takeFirst(queue.firstDue(2));
  expect(saved).toEqual([3, 2]);
});
