import { assert, describe, expect, test } from "vitest";

import { flinkOptionsOf, optionsOf } from "./configuration.ts";
import { checkpointCourseOf } from "./critical-path.ts";
import { findingsOf } from "./findings.ts";
import { parseHistory } from "./from-history.ts";
import { leastWatermark, loadsOf, metricSum, watermarksOf } from "./job.ts";
import { stackAreas } from "./stacked-areas.ts";

describe("what the server says of a job", () => {
  test("a vertex has a watermark only when each subtask has one", () => {
    const none = "-9223372036854775808";
    const watermarks = (...values: readonly string[]) =>
      watermarksOf(values.map((value, index) => ({ id: `${index}.currentInputWatermark`, value })));
    expect(leastWatermark(watermarks("2000", "1000"))).toBe(1_000);
    expect(leastWatermark(watermarks("2000", none))).toBeUndefined();
    expect(leastWatermark(watermarks())).toBeUndefined();
  });

  test("a metric is found by its name", () => {
    expect(
      metricSum(
        [
          { id: "a", sum: 1 },
          { id: "b", sum: "2.5" },
        ],
        "b",
      ),
    ).toBe(2.5);
    expect(metricSum(undefined, "b")).toBeUndefined();
  });

  test("the load of a source is what it gives out", () => {
    const facts = { subtaskIndex: 0, state: "RUNNING", host: "", attempt: 0 };
    expect(loadsOf([{ ...facts, recordsIn: 0, recordsOut: 7 }])).toEqual([7]);
    expect(loadsOf([{ ...facts, recordsIn: 5, recordsOut: 7 }])).toEqual([5]);
  });
});

describe("extras of the server", () => {
  test("the best supported finding comes first, and Flink's own lines lead to their checkpoint", () => {
    const { findings, verdict } = findingsOf({
      verdict: "cause",
      findings: [
        { cause: "weak", confidence: 0.4 },
        {
          cause: "strong",
          confidence: 0.9,
          article: { title: "It is this", why: "Because.", fix: "Do that." },
          evidence: [
            { file: "log", line: 3, text: "Checkpoint 8 of job x expired before completing." },
          ],
        },
      ],
    });
    expect(verdict).toBe("cause");
    expect(findings.map(({ title }) => title)).toEqual(["It is this", "weak"]);
    expect(findings[0]?.evidence[0]).toMatchObject({ line: 3, checkpointId: 8 });
  });

  test("a verdict that is not known is none, and unknown kinds of evidence are left out", () => {
    const found = findingsOf({
      verdict: "?",
      notAssessed: [{ cause: "gc-pause", needs: ["gc", "moon"] }],
    });
    expect(found).toMatchObject({
      verdict: "undetermined",
      notAssessed: [{ cause: "gc-pause", needs: ["gc"] }],
    });
  });

  test("an unknown origin is not shown as one", () => {
    expect(optionsOf({ options: [{ key: "k", value: 3, origin: "moon", place: null }] })).toEqual([
      { key: "k", value: "3", origin: undefined, place: undefined },
    ]);
  });

  test("of a Flink, the job's settings stand before the cluster's", () => {
    const job = { "execution-config": { "job-parallelism": 4, "user-config": { "a.b": "c" } } };
    const keys = flinkOptionsOf(job, [
      { key: "z", value: "1" },
      { key: "y", value: "2" },
    ]).map(({ key }) => key);
    expect(keys).toEqual(["job-parallelism", "object-reuse-mode", "a.b", "y", "z"]);
  });
});

describe("a history file", () => {
  test("unreadable lines are named and the others are kept", () => {
    const line = {
      format: 1,
      jobId: "j",
      checkpointId: 1,
      status: "COMPLETED",
      triggeredAtMs: 5,
      failure: null,
      vertices: [],
    };
    const { checkpoints, unreadable } = parseHistory(
      [JSON.stringify(line), "{", "", "[]", JSON.stringify({ ...line, format: 2 })].join("\n"),
    );
    expect(checkpoints).toHaveLength(1);
    expect(unreadable).toEqual([
      { lineNumber: 2, reason: "not-json" },
      { lineNumber: 4, reason: "not-a-record" },
      { lineNumber: 5, reason: "newer-format" },
    ]);
  });
});

/** A record in which `sink` waits for the branch `slow`; the branch `late` passed its barrier on later but leads elsewhere. */
function branches(isEdgeKnown: boolean): string {
  const vertex = (name: string, startDelayMs: number, ...inputs: readonly string[]) => ({
    vertexId: name,
    name,
    parallelism: 1,
    ...(isEdgeKnown
      ? { inputs: inputs.map((vertexId) => ({ vertexId, shipStrategy: "HASH" })) }
      : {}),
    subtasks: [
      {
        subtaskIndex: 0,
        status: "ACKNOWLEDGED",
        isTriggeredByCoordinator: name === "source",
        acknowledgedAtMs: startDelayMs + 10,
        startDelayMs,
        alignmentDurationMs: 0,
        syncDurationMs: 1,
        asyncDurationMs: 5,
        declineCauses: [],
      },
    ],
  });
  return JSON.stringify({
    format: 1,
    jobId: "j",
    checkpointId: 1,
    kind: "CHECKPOINT",
    status: "COMPLETED",
    triggeredAtMs: 0,
    endedAtMs: 1_200,
    failure: null,
    vertices: [
      vertex("source", 1),
      vertex("slow", 700, "source"),
      vertex("late", 900, "source"),
      vertex("sink", 1_000, "slow"),
    ],
  });
}

describe("the edges of a history", () => {
  test.each([
    [true, ["source", "slow", "sink"]],
    [false, ["source", "slow", "late", "sink"]],
  ])("known: %s; the critical path leads through %j", (isEdgeKnown, expected) => {
    const [detail] = parseHistory(branches(isEdgeKnown)).checkpoints;
    assert(detail !== undefined);
    const { criticalPath } = checkpointCourseOf(detail, 0);
    expect([...new Set(criticalPath.map(({ vertexId }) => vertexId))]).toEqual(expected);
  });
});

describe("stacked areas", () => {
  test("the upper line is the sum, and the axis ends at a round size above it", () => {
    const { areas, top, ticks, xs } = stackAreas([
      { atMs: 0, values: [1_024, 1_024] },
      { atMs: 100, values: [3_072, 5_120] },
    ]);
    expect(xs).toEqual([0, 1]);
    expect(top).toBe(8_192);
    expect(ticks).toEqual([0, 2_048, 4_096, 6_144, 8_192]);
    expect(areas.map(({ upper }) => upper[1])).toEqual([0.375, 1]);
    expect(areas[1]?.lower).toEqual(areas[0]?.upper);
  });

  test("nothing at all has an axis, too", () => {
    expect(stackAreas([]).ticks.length).toBeGreaterThan(1);
  });
});
