import { expect, test } from "vitest";

import { formatLogLine } from "./log-line.ts";

function withoutStack(error: Error): Error {
  return Object.assign(error, { stack: "" });
}

test("a log line has Flink's form, its values, and causes that its message does not name", () => {
  const cause = withoutStack(new Error("disk full"));
  const error = new Error("could not write", { cause });
  expect(formatLogLine("WARN", "Checkpoint 3 failed.", { bytes: 7, error }, 0)).toBe(
    "1970-01-01 00:00:00,000 WARN  cutwater [] - Checkpoint 3 failed. bytes=7\n" +
      "Error: could not write\nCaused by: Error: disk full\n",
  );
  const inMessage = withoutStack(new Error("not write."));
  expect(formatLogLine("INFO", "It could not write.", { error: inMessage }, 0)).toBe(
    "1970-01-01 00:00:00,000 INFO  cutwater [] - It could not write.\n",
  );
});

test("a log line ends with where in the user's files its first cause arose", () => {
  const cause = new Error("no fives");
  cause.stack = `Error: no fives\n    at double (/jobs/bad.ts:4:22)\n    at ${import.meta.url}:1:1\n    at node:fs:1:2`;
  const error = new Error("The map failed.", { cause });
  expect(formatLogLine("WARN", "Source (1/1) failed.", { error }, 0)).toBe(
    "1970-01-01 00:00:00,000 WARN  cutwater [] - Source (1/1) failed.\n" +
      "Error: The map failed.\nCaused by: Error: no fives\n\tat double (/jobs/bad.ts:4:22)\n",
  );
});
