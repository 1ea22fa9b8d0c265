import { expect, test } from "vitest";

import { isReadBy, spell } from "./option-names.ts";
import { parseDurationMs, parseSizeBytes } from "./quantities.ts";

const exactly = (release: number): { min: number; max: number; stated: string | undefined } => ({
  min: release,
  max: release,
  stated: undefined,
});

test.each([
  ["pekko.framesize", 117, "akka.framesize"],
  ["pekko.framesize", 118, "pekko.framesize"],
  ["execution.checkpointing.dir", 119, "state.checkpoints.dir"],
  ["execution.checkpointing.dir", 203, "execution.checkpointing.dir"],
  ["execution.checkpointing.unaligned.enabled", 110, undefined],
  ["execution.checkpointing.unaligned.enabled", 116, "execution.checkpointing.unaligned"],
  ["execution.checkpointing.data-inline-threshold", 111, "state.backend.fs.memory-threshold"],
  ["task.checkpoint.alignment.max-size", 112, undefined],
] as const)("%s in release %i is spelled %s", (option, release, spelling) => {
  expect(spell(option, exactly(release))).toBe(spelling);
});

test("over a range of releases the spelling is one that all of them read", () => {
  const range = { min: 114, max: 203, stated: undefined };
  const spelling = spell("execution.checkpointing.storage", range);
  expect(spelling).toBe("state.checkpoint-storage");
  expect(isReadBy("state.checkpoint-storage", range)).toBe(true);
  expect(isReadBy("execution.checkpointing.storage", exactly(114))).toBe(false);
});

test("durations and sizes are read as Flink reads them", () => {
  expect(["10 s", "10min", "500", "PT10S", "1 h"].map((text) => parseDurationMs(text))).toEqual([
    10_000, 600_000, 500, 10_000, 3_600_000,
  ]);
  expect(["64mb", "1g", "100", "20kb", "10485760b"].map((text) => parseSizeBytes(text))).toEqual([
    67_108_864, 1_073_741_824, 100, 20_480, 10_485_760,
  ]);
});
