import { expect, test } from "vitest";
import { durationMs } from "./duration-argument.ts";
import { isStreamError } from "./errors.ts";

test("text as in Flink's configuration and numbers of milliseconds are the same", () => {
  expect(durationMs("5 min", "it")).toBe(300_000);
  expect(durationMs(300_000, "it")).toBe(300_000);
  expect(durationMs("-8 h", "an offset", Number.NEGATIVE_INFINITY)).toBe(-28_800_000);
  expect(durationMs(-5, "an offset", Number.NEGATIVE_INFINITY)).toBe(-5);
});

test.each(["five minutes", Number.NaN, Number.POSITIVE_INFINITY, "", -1, "-1 s", "--1 s"])(
  "%j is refused by name",
  (duration) => {
    try {
      durationMs(duration, "EventTimeSessionWindows.withGap");
      expect.unreachable();
    } catch (error) {
      expect(isStreamError(error, "PARAMETER_INVALID")).toBe(true);
      expect(String(error)).toContain("EventTimeSessionWindows.withGap");
    }
  },
);
