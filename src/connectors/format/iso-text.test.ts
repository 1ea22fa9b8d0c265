import fc from "fast-check";
import { expect, test } from "vitest";

import { isoText } from "./iso-text.ts";

test("is what Date makes of a moment", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.date({ noInvalidDate: true }).map((date) => date.getTime()),
        fc.integer({ min: -1_000_000_000, max: 1_000_000_000 }),
        fc.double({ min: -8.64e15, max: 8.64e15, noNaN: true }),
        fc.constantFrom(-8.64e15, 8.64e15, -1, 0, -0, -0.5),
      ),
      (timestamp) => {
        expect(isoText(timestamp)).toBe(new Date(timestamp).toISOString());
      },
    ),
  );
});

test("leaves what is no moment a number", () => {
  expect(isoText(8.64e15 + 1)).toBe("8640000000000001");
  expect(isoText(Number.NEGATIVE_INFINITY)).toBe("-Infinity");
  expect(isoText(Number.NaN)).toBe("NaN");
});
