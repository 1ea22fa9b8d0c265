import { expect, test } from "vitest";

import { formatLogLine } from "./log-line.ts";

test("a log line has Flink's form, its values, and causes that its message does not name", () => {
  const error = new Error("could not write", { cause: new Error("disk full") });
  expect(formatLogLine("WARN", "Checkpoint 3 failed.", { bytes: 7, error }, 0)).toBe(
    "1970-01-01 00:00:00,000 WARN  cutwater [] - Checkpoint 3 failed. bytes=7\n" +
      "Error: could not write\nCaused by: Error: disk full\n",
  );
  expect(formatLogLine("INFO", "It could not write.", { error: new Error("not write.") }, 0)).toBe(
    "1970-01-01 00:00:00,000 INFO  cutwater [] - It could not write.\n",
  );
});
