import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

import { operationStateOf } from "../rest/job-actions.ts";
import { verdictSentences } from "../text/verdict-sentence.ts";
import { ENGLISH } from "../text/english.ts";
import { flinkOptionsOf } from "./configuration.ts";
import { checkpointCourseOf } from "./critical-path.ts";
import { detailOf, historyOf, stateSizesOf } from "./from-flink.ts";
import { jobOf, leastWatermark, metricSum, subtaskFactsOf, watermarksOf } from "./job.ts";
import { pressuresOf } from "./pressure.ts";
import { verdictOf } from "./verdict.ts";

/** The body of an answer that was recorded from a real Flink 2.3.0. */
function answer(name: string): unknown {
  const folder = join(import.meta.dirname, "../../../test/golden/rest/flink-2.3.0");
  const recording = JSON.parse(readFileSync(join(folder, `${name}.json`), "utf8")) as {
    readonly body: unknown;
  };
  return recording.body;
}

test("a real job is read with its vertices in the order of the flow", () => {
  const job = jobOf(answer("job"));
  expect(job.state).toBe("RUNNING");
  expect(job.topology.length).toBeGreaterThan(1);
  expect(job.topology[0]?.inputs).toEqual([]);
  expect(job.topology.at(-1)?.inputs?.length).toBeGreaterThan(0);
});

test("what a real vertex says of itself is read", () => {
  const job = jobOf(answer("job"));
  expect(leastWatermark(watermarksOf(answer("vertex-watermarks")))).toBeGreaterThan(0);
  expect(metricSum(answer("vertex-subtasks-metrics-get"), "numRecordsIn")).toBeGreaterThan(0);
  expect(subtaskFactsOf(answer("vertex")).map(({ state }) => state)).toEqual([
    "RUNNING",
    "RUNNING",
  ]);
  expect(pressuresOf(answer("vertex-backpressure")).map(({ idleRatio }) => idleRatio)).toEqual([
    1, 1,
  ]);
  expect(job.topology.map(({ vertexId }) => job.vertexStates.get(vertexId))).not.toContain(
    undefined,
  );
});

test("a real history and a real checkpoint are read with their sizes", () => {
  const { checkpoints, counts } = historyOf(answer("checkpoints-with-savepoint"));
  expect(checkpoints.length).toBeGreaterThan(0);
  const newestFirst = checkpoints.map(({ checkpointId }) => checkpointId);
  expect(newestFirst).toEqual(newestFirst.toSorted((left, right) => right - left));
  expect(counts.completed).toBeGreaterThan(0);
  expect(
    [...stateSizesOf(answer("checkpoint-completed")).values()].every((size) => size >= 0),
  ).toBe(true);
});

test("of a checkpoint that a source could not take, the source is named", () => {
  const job = jobOf(answer("job"));
  const [source] = job.topology;
  const subtasks = new Map([[source?.vertexId ?? "", answer("checkpoint-failed-subtasks")]]);
  const detail = detailOf(answer("checkpoint-failed"), job.topology, subtasks);
  const verdict = verdictOf(detail, checkpointCourseOf(detail, 0), new Map());
  expect(verdictSentences(ENGLISH, verdict, job.topology).headline).toMatch(
    /Source: numbers.* did not acknowledge/,
  );
});

test("real operations end with a place or a reason", () => {
  expect(operationStateOf(answer("savepoint-status"))).toMatchObject({
    kind: "done",
    location: expect.stringContaining("/savepoint-"),
  });
  expect(operationStateOf(answer("savepoint-status-failed"))).toEqual({
    kind: "failed",
    reason: "An Exception occurred while triggering the checkpoint. IO-problem detected.",
  });
  expect(operationStateOf(answer("checkpoint-status"))).toEqual({ kind: "done", location: "" });
});

test("a real configuration is read", () => {
  const keys = flinkOptionsOf(answer("job-config"), answer("jobmanager-config")).map(
    ({ key }) => key,
  );
  expect(keys).toContain("restart-strategy");
  expect(keys).toContain("jobmanager.rpc.address");
});
