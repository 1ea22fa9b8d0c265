import fc from "fast-check";
import { expect, test } from "vitest";

import { type Course, madeDetail, type MadeVertex, recordedDetail } from "../testing/recorded.ts";
import { checkpointCourseOf } from "./critical-path.ts";
import { waterfallOf } from "./waterfall.ts";

const milliseconds = fc.nat({ max: 5_000 });
const course: fc.Arbitrary<Course | undefined> = fc.option(
  fc
    .tuple(milliseconds, milliseconds, milliseconds, milliseconds, milliseconds)
    .map(([delay, alignment, sync, async, rest]): Course => [
      delay,
      alignment,
      sync,
      async,
      delay + alignment + sync + async + rest,
    ]),
  { nil: undefined },
);
const courses = fc.array(course, { minLength: 1, maxLength: 4 });
const job: fc.Arbitrary<readonly MadeVertex[]> = fc
  .tuple(courses, courses, courses)
  .map(([first, second, third]) => [
    { name: "source", inputs: [], courses: first },
    { name: "totals", inputs: ["source"], courses: second },
    { name: "sink", inputs: ["totals", "source"], courses: third },
  ]);

interface Stretch {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The stretches that have no length or do not begin where the one before ended. */
function holesIn(stretches: readonly Stretch[]): readonly Stretch[] {
  return stretches.filter(
    ({ fromMs, toMs }, index) =>
      toMs <= fromMs || (index > 0 && stretches[index - 1]?.toMs !== fromMs),
  );
}

test("the critical path has no hole and no overlap, and ends with the checkpoint", () => {
  fc.assert(
    fc.property(job, (vertices) => {
      const detail = madeDetail(vertices);
      const { criticalPath, lengthMs } = checkpointCourseOf(detail, 10_000);
      expect(holesIn(criticalPath)).toEqual([]);
      const endMs = detail.summary.status === "COMPLETED" ? criticalPath.at(-1)?.toMs : lengthMs;
      expect(endMs ?? 0).toBe(lengthMs);
    }),
  );
});

test("the segments of a row follow each other and stay within the checkpoint", () => {
  fc.assert(
    fc.property(job, (vertices) => {
      const detail = madeDetail(vertices);
      const whole = checkpointCourseOf(detail, 10_000);
      const { groups } = waterfallOf(detail, whole, new Map());
      for (const { segments } of groups.flatMap(({ rows }) => rows)) {
        expect(holesIn(segments)).toEqual([]);
        expect(segments.at(-1)?.toMs ?? 0).toBeLessThanOrEqual(whole.lengthMs);
      }
    }),
  );
});

test("of the recorded hot key it leads from the source into the silence of the one subtask", () => {
  const { criticalPath, lengthMs } = checkpointCourseOf(recordedDetail("hot-key", 2), 0);
  expect(criticalPath.map(({ phase }) => phase)).toEqual(["trigger", "silence"]);
  expect(criticalPath.at(-1)).toMatchObject({ subtaskIndex: 0, toMs: lengthMs });
});

test("a row of a subtask that waits says whether it holds the others up or waits for them", () => {
  const detail = recordedDetail("hot-key", 1);
  const { groups, phases } = waterfallOf(detail, checkpointCourseOf(detail, 0), new Map());
  const last = groups.map(({ rows }) => rows.map(({ segments }) => segments.at(-1)?.phase));
  expect(last).toEqual([
    ["acknowledgement"],
    ["holding", "acknowledgement", "acknowledgement", "acknowledgement"],
    ["behind"],
  ]);
  expect(phases).toContain("holding");
});

test("a collapsed vertex is represented by its row on the critical path", () => {
  const detail = recordedDetail("hot-key", 1);
  const collapsed = new Map(detail.vertices.map(({ vertexId }) => [vertexId, false]));
  const { groups } = waterfallOf(detail, checkpointCourseOf(detail, 0), collapsed);
  expect(groups.map(({ rows }) => rows.map(({ subtaskIndex }) => subtaskIndex))).toEqual([
    [0],
    [0],
    [0],
  ]);
});
