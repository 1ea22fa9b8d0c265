import { expect, test } from "vitest";

import { decideSlots } from "./slot-decision.ts";

const FACTS = { configured: undefined, required: 4, coreCount: 8, hasModule: true };

test("a job runs in as many slots as it can make use of and the machine has cores", () => {
  expect(decideSlots(FACTS)).toEqual({ kind: "workers", count: 4 });
  expect(decideSlots({ ...FACTS, coreCount: 2 })).toEqual({ kind: "workers", count: 2 });
});

test("more slots than cores only if they are asked for, and never more than there are subtasks", () => {
  expect(decideSlots({ ...FACTS, coreCount: 2, configured: 3 })).toEqual({
    kind: "workers",
    count: 3,
  });
  expect(decideSlots({ ...FACTS, configured: 100 })).toEqual({ kind: "workers", count: 4 });
});

test("a job for one slot runs in the main thread", () => {
  const main = { kind: "main-thread", ignored: false };
  expect(decideSlots({ ...FACTS, required: 1, configured: 3 })).toEqual(main);
  expect(decideSlots({ ...FACTS, configured: 1 })).toEqual(main);
  expect(decideSlots({ ...FACTS, coreCount: 1 })).toEqual(main);
});

test("so does a job that other threads cannot load, which is told if slots were asked for", () => {
  expect(decideSlots({ ...FACTS, hasModule: false })).toEqual({
    kind: "main-thread",
    ignored: false,
  });
  expect(decideSlots({ ...FACTS, hasModule: false, configured: 2 })).toEqual({
    kind: "main-thread",
    ignored: true,
  });
});
