import { expect, test } from "vitest";

import { formatMemorySize, humanReadableMemorySize, parseMemorySize } from "./memory-size.ts";

test.each([
  ["64 mb", 67_108_864n],
  ["1G", 1_073_741_824n],
  ["4096", 4_096n],
  ["2 kibibytes", 2_048n],
  [" 155 bytes ", 155n],
])("reads %s", (text, bytes) => expect(parseMemorySize(text)).toBe(bytes));

test.each(["", "mb", "-1 b", "1.5 kb", "1 pb", "9223372036854775807 k"])("refuses %j", (text) =>
  expect(parseMemorySize(text)).toBeUndefined(),
);

test("a bare number takes the default unit", () =>
  expect(parseMemorySize("7", "MEGA_BYTES")).toBe(7_340_032n));

test.each([
  [0n, "0 bytes", "0 bytes"],
  [1_024n, "1 kb", "1024 bytes"],
  [67_108_864n, "64 mb", "64.000mb (67108864 bytes)"],
  [1_536n, "1536 bytes", "1.500kb (1536 bytes)"],
  [1_099_511_627_776n, "1099511627776 bytes", "1024.000gb (1099511627776 bytes)"],
])("%d bytes are written as Flink writes them", (bytes, text, human) => {
  expect(formatMemorySize(bytes)).toBe(text);
  expect(humanReadableMemorySize(bytes)).toBe(human);
});
