import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { Types } from "../../serde/index.ts";
import { freezeDeeply, guarded, throughBytes } from "./portable-value.ts";

const refuse = (path: string): Error => new RangeError(`changed at ${path}`);

interface Order {
  id: number;
  items: { name: string; tags: string[] }[];
  byDay: Map<string, { count: number }>;
  seen: Set<number>;
  at: Date;
  note?: string;
}

function order(): Order {
  return {
    id: 1,
    items: [{ name: "a", tags: ["x"] }],
    byDay: new Map([["mon", { count: 1 }]]),
    seen: new Set([1]),
    at: new Date(5),
  };
}

const CHANGES: readonly (readonly [string, string, (value: Order) => unknown])[] = [
  ["a field", "id", (value) => (value.id = 2)],
  ["a nested field", "items[0].name", (value) => ((value.items[0] as { name: string }).name = "b")],
  [
    "an element",
    "items[0].tags[0]",
    (value) => ((value.items[0] as { tags: string[] }).tags[0] = "y"),
  ],
  ["an array, appended to", "items", (value) => value.items.push({ name: "b", tags: [] })],
  ["an array, sorted", "items[0].tags", (value) => value.items[0]?.tags.sort()],
  ["a map", "byDay", (value) => value.byDay.set("tue", { count: 1 })],
  [
    "a value in a map",
    "byDay<value>.count",
    (value) => (value.byDay.get("mon") as { count: number }).count++,
  ],
  ["a set", "seen", (value) => value.seen.delete(1)],
  ["a date", "at", (value) => value.at.setHours(3)],
];

describe.each([
  ["guarded", (value: Order): Order => guarded(value, refuse)],
  [
    "frozen",
    (value: Order): Order => {
      freezeDeeply(value, refuse);
      return value;
    },
  ],
] as const)("a value that is %s", (_name, make) => {
  test("reads as before, and its copy can be changed", () => {
    const value = make(order());
    expect(value).toEqual(order());
    expect(JSON.stringify(value)).toBe(JSON.stringify(order()));
    for (const copy of [structuredClone(value), { ...value, id: 0 }]) {
      copy.id = 7;
      expect(copy).toEqual({ ...order(), id: 7 });
    }
    expect(throughBytes(Types.any<Order>(), value)).toEqual(order());
  });

  test.each(CHANGES)("refuses to be changed in place: %s", (_what, path, change) => {
    const value = make(order());
    expect(() => change(value)).toThrow(`changed at ${path}`);
    expect(value).toEqual(order());
  });

  test("refuses a field more or less", () => {
    const value = make(order());
    expect(() => (value.note = "x")).toThrow(TypeError);
    expect(() => delete (value as Partial<Order>).id).toThrow(TypeError);
  });
});

test("what is guarded stays as it is, bytes too", () => {
  const value = { bytes: Uint8Array.of(1, 2), list: [1] };
  const view = guarded(value, refuse);
  view.bytes[0] = 9;
  value.list.push(2);
  expect(value).toEqual({ bytes: Uint8Array.of(1, 2), list: [1, 2] });
  expect(view.list).toEqual([1]);
});

test("freezing twice, cycles and instances of classes do no harm", () => {
  class Customer {
    name = "a";
  }
  const customer = new Customer();
  const value: { self?: unknown; customer: Customer } = { customer };
  value.self = value;
  freezeDeeply(value, refuse);
  freezeDeeply(value, refuse);
  customer.name = "b";
  expect(value.customer.name).toBe("b");
});

test("plain data of any form is guarded without loss", () => {
  fc.assert(
    fc.property(
      fc.anything({ withDate: true, withMap: true, withSet: true, withBigInt: true }),
      (value) => {
        expect(guarded(value, refuse)).toEqual(value);
      },
    ),
  );
});
