import { describe, expect, test } from "vitest";

import {
  formatDurationMs,
  formatDurationNs,
  parseDurationMs,
  parseDurationNs,
} from "./duration.ts";

describe("parseDurationNs", () => {
  test.each([
    ["10 s", 10_000_000_000n],
    ["10sec", 10_000_000_000n],
    ["7 m", 420_000_000_000n],
    ["3 Hours", 10_800_000_000_000n],
    ["2d", 172_800_000_000_000n],
    ["5 µs", 5_000n],
    ["5", 5_000_000n],
    [" 155 ms ", 155_000_000n],
    ["PT1M30.5S", 90_500_000_000n],
    ["p1dt2h", 93_600_000_000_000n],
  ])("reads %s", (text, nanoseconds) => expect(parseDurationNs(text)).toBe(nanoseconds));

  test.each([
    "",
    "  ",
    "s",
    "-1 s",
    "+5 s",
    "1.5 s",
    "5us",
    "1 week",
    "1s2m",
    "P",
    "PT",
    "P1DT",
    "٣ s",
    "PT-1S",
  ])("refuses %j", (text) => expect(parseDurationNs(text)).toBeUndefined());

  test("refuses more than Java's longest duration", () => {
    expect(parseDurationNs("9223372036854775807 s")).toBeDefined();
    expect(parseDurationNs("9223372036854775808 s")).toBeUndefined();
  });

  test("drops parts of a millisecond", () => expect(parseDurationMs("1999 µs")).toBe(1));
});

test.each([
  [0n, "0 ms"],
  [1_500_000n, "1500 µs"],
  [90_000_000_000n, "90 s"],
  [129_600_000_000_000n, "36 h"],
])("%d ns is written %s", (nanoseconds, text) => expect(formatDurationNs(nanoseconds)).toBe(text));

test("what is written is read back", () =>
  expect(parseDurationMs(formatDurationMs(86_400_000))).toBe(86_400_000));
