import { describe, expect, test } from "vitest";

import { madeDetail, recordedDetail, recordedPressures } from "../testing/recorded.ts";
import { ENGLISH } from "../text/english.ts";
import { verdictSentences } from "../text/verdict-sentence.ts";
import type { CheckpointDetail } from "./checkpoint.ts";
import { checkpointCourseOf } from "./critical-path.ts";
import { detailOf } from "./from-flink.ts";
import type { Pressures } from "./pressure.ts";
import { namedPlaces, type Verdict, verdictOf } from "./verdict.ts";

const NOBODY: Pressures = new Map();
const HOT_KEY_VERTEX = "8eeed16b661251f13cfc6a3c5e75c420";

function judge(detail: CheckpointDetail, pressures: Pressures = NOBODY): Verdict {
  return verdictOf(detail, checkpointCourseOf(detail, 10_000), pressures);
}

function say(detail: CheckpointDetail, pressures: Pressures = NOBODY): string {
  const { headline, explanation } = verdictSentences(
    ENGLISH,
    judge(detail, pressures),
    detail.topology,
  );
  return [headline, ...explanation].join(" ");
}

describe("recorded from real clusters", () => {
  test("of a hot key, the one subtask that did not acknowledge is named, not the sink that waits behind it", () => {
    const detail = recordedDetail("hot-key", 1);
    const verdict = judge(detail, recordedPressures("hot-key"));
    expect(namedPlaces(verdict)).toEqual([{ vertexId: HOT_KEY_VERTEX, subtaskIndex: 0 }]);
    expect(verdict).toMatchObject({
      kind: "silent",
      isSnapshotting: false,
      behindCount: 1,
      pressure: { kind: "skewed" },
    });
    expect(say(detail, recordedPressures("hot-key"))).toBe(
      "totals-per-customer (1/4) did not acknowledge within 8.08 s. " +
        "The barrier was on its way to it and never got through. The 4 others acknowledged within 326 ms. " +
        "One subtask behind could not begin. " +
        "At the moment it is 99 % busy and its siblings 0 %: most records have keys that belong to it.",
    );
  });

  test("of a storage that fails, the subtasks are named whose barrier went through but whose snapshot is missing", () => {
    const verdict = judge(recordedDetail("read-only-storage", 6));
    expect(verdict).toMatchObject({ kind: "silent", isSnapshotting: true, behindCount: 0 });
    expect(namedPlaces(verdict).map(({ subtaskIndex }) => subtaskIndex)).toEqual([0, 1]);
  });

  test("of a quick checkpoint nobody is blamed", () => {
    expect(judge(recordedDetail("read-only-storage", 3))).toMatchObject({
      kind: "held-up",
      isSlow: false,
    });
  });
});

describe("made up", () => {
  const source = { name: "source", inputs: [], courses: [[5, 0, 1, 2, 10]] } as const;

  test("a subtask whose input was long behind is named, though the sink after it answered last", () => {
    const detail = madeDetail([
      source,
      {
        name: "totals",
        inputs: ["source"],
        courses: [
          [7_000, 0, 5, 10, 7_030],
          [20, 0, 5, 10, 40],
        ],
      },
      { name: "sink", inputs: ["totals"], courses: [[30, 6_990, 5, 10, 7_060]] },
    ]);
    expect(say(detail)).toBe(
      "totals (1/2) held it up: the barrier waited in its input, behind records for 7 s of 7.06 s. " +
        "Its siblings needed 20 ms for the same.",
    );
  });

  test("before a slow sink the barrier waits everywhere, and the sink is named", () => {
    const detail = madeDetail([
      source,
      { name: "totals", inputs: ["source"], courses: [[4_500, 0, 5, 10, 4_530]] },
      { name: "sink", inputs: ["totals"], courses: [[8_000, 0, 5, 10, 8_060]] },
    ]);
    expect(namedPlaces(judge(detail))).toEqual([{ vertexId: "sink", subtaskIndex: 0 }]);
  });

  test("a long write is named with its phase", () => {
    const detail = madeDetail([
      source,
      {
        name: "totals",
        inputs: ["source"],
        courses: [
          [20, 0, 5, 9_000, 9_100],
          [20, 0, 5, 80, 110],
        ],
      },
    ]);
    expect(judge(detail)).toMatchObject({
      kind: "held-up",
      phase: "async",
      durationMs: 9_000,
      siblingMs: 80,
    });
  });

  test("a subtask that cannot emit is explained by the busy one after it", () => {
    const detail = madeDetail([
      source,
      { name: "totals", inputs: ["source"], courses: [undefined] },
      { name: "sink", inputs: ["totals"], courses: [undefined] },
    ]);
    const pressures: Pressures = new Map([
      ["totals", [{ subtaskIndex: 0, busyRatio: 0.02, backpressuredRatio: 0.95, idleRatio: 0 }]],
      ["sink", [{ subtaskIndex: 0, busyRatio: 1, backpressuredRatio: 0, idleRatio: 0 }]],
    ]);
    expect(judge(detail, pressures)).toMatchObject({
      group: { name: "totals" },
      pressure: { kind: "blocked", byVertexId: "sink", bySubtaskIndexes: [0] },
    });
  });

  test("along forward edges only the subtask of the same index is waited for", () => {
    const detail = madeDetail([
      { name: "source", inputs: [], courses: [undefined, [5, 0, 1, 2, 10]] },
      { name: "map", inputs: ["source"], shipStrategy: "FORWARD", courses: [undefined, undefined] },
    ]);
    const { silences } = checkpointCourseOf(detail, 10_000);
    const said = [...silences].map(
      ([{ vertexId, subtaskIndex }, silence]) => `${vertexId}-${subtaskIndex} ${silence}`,
    );
    expect(said).toEqual(["source-0 holding", "map-0 behind", "map-1 holding"]);
  });

  test("a decline names who declined and why", () => {
    const detail = madeDetail(
      [source, { name: "totals", inputs: ["source"], courses: [[20, 0, 0, 0, 0]] }],
      {
        status: "FAILED",
      },
    );
    const declined = {
      ...detail,
      vertices: detail.vertices.map((vertex) =>
        vertex.name === "source"
          ? vertex
          : {
              ...vertex,
              subtasks: vertex.subtasks.map((subtask) => ({
                ...subtask,
                status: "declined" as const,
                acknowledgedAtMs: undefined,
                declinedAtMs: 400,
                declineCause: "IOException: disk full",
              })),
            },
      ),
    };
    expect(say(declined)).toBe(
      "totals (1/1) declined the checkpoint after 400 ms. Reason given: IOException: disk full",
    );
  });

  test("a checkpoint of which no subtask is known says so", () => {
    expect(judge(madeDetail([]))).toEqual({ kind: "unknown" });
  });
});

test("of a checkpoint that a subtask declined, the failure's text names the subtask", () => {
  const topology = [{ vertexId: "a", name: "totals", parallelism: 2, inputs: [] }];
  const checkpoint = {
    id: 8,
    status: "FAILED",
    trigger_timestamp: 1_000,
    failure_timestamp: 1_006,
    failure_message:
      "Task name with subtask : totals (2/2)#0 Failure reason: Asynchronous task checkpoint failed.\nCaused by: IOException: Writing failed.\nCaused by: IOException: No space left on device",
  };
  const subtasks = new Map([["a", { subtasks: [{ index: 0 }, { index: 1 }] }]]);
  const detail = detailOf(checkpoint, topology, subtasks);
  expect(verdictOf(detail, checkpointCourseOf(detail, 0), new Map())).toEqual({
    kind: "declined",
    group: { vertexId: "a", name: "totals", parallelism: 2, subtaskIndexes: [1] },
    cause: "IOException: No space left on device",
    afterMs: 6,
  });
});
