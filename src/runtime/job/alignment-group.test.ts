import { expect, test } from "vitest";

import { MAX_TIMESTAMP, MIN_TIMESTAMP } from "../../base/index.ts";
import { AlignmentGroup } from "./alignment-group.ts";

test("a group allows the lowest watermark and the drift, of those that have reported", () => {
  const group = new AlignmentGroup();
  expect(group.maxAllowed(10)).toBe(MIN_TIMESTAMP);
  group.report("a/0", 5);
  group.report("b/0", 7);
  expect(group.maxAllowed(10)).toBe(15);
  group.report("a/0", MAX_TIMESTAMP);
  expect(group.maxAllowed(10)).toBe(17);
  group.report("b/0", MAX_TIMESTAMP);
  expect(group.maxAllowed(10)).toBe(MAX_TIMESTAMP);
  group.report("b/0", 3);
  expect(group.maxAllowed(0)).toBe(3);
  expect(group.maxAllowed(Number.MAX_SAFE_INTEGER)).toBe(MAX_TIMESTAMP);
});
