import { expect, test } from "vitest";

import type { RestFacts, RestSubtaskAnswer, RestVertex } from "../evidence/evidence.ts";
import { barrierPassed, type MissingAcknowledgement } from "./barrier-passed.ts";

const PLACE = { file: "job.json", line: 1 };

function vertex(
  id: string,
  position: number,
  inputs: readonly (readonly [vertexId: string, shipStrategy: string])[] | undefined,
  parallelism = 2,
): RestVertex {
  return {
    id,
    name: id,
    parallelism,
    maxParallelism: 128,
    status: "RUNNING",
    position,
    inputs: inputs?.map(([vertexId, shipStrategy]) => ({ vertexId, shipStrategy })),
    busyMs: undefined,
    backpressuredMs: undefined,
    place: PLACE,
  };
}

/** Subtasks of a vertex; those in `completed` acknowledged. */
function answer(vertexId: string, completed: readonly number[], count = 2): RestSubtaskAnswer {
  return {
    checkpointId: 7,
    status: "FAILED",
    vertexId,
    vertexName: vertexId,
    subtasks: Array.from({ length: count }, (_, index) => ({
      index,
      completed: completed.includes(index),
      durationMs: undefined,
      stateBytes: undefined,
      syncMs: undefined,
      asyncMs: undefined,
      alignmentMs: undefined,
      persistedBytes: undefined,
      startDelayMs: undefined,
      unaligned: undefined,
    })),
    place: PLACE,
  };
}

const silent = (vertexId: string, ...missing: readonly number[]): MissingAcknowledgement => ({
  vertexId,
  vertexName: vertexId,
  missing,
  subtasks: 2,
  checkpointId: 7,
});

const passed = (
  vertices: readonly RestVertex[],
  subtasks: readonly RestSubtaskAnswer[],
  missing: MissingAcknowledgement,
): boolean => barrierPassed({ vertices, subtasks } satisfies Partial<RestFacts>, [missing]);

test("an acknowledgement behind the silent subtask shows that the barrier went through", () => {
  const line = [
    vertex("a", 0, []),
    vertex("b", 1, [["a", "HASH"]]),
    vertex("c", 2, [["b", "HASH"]]),
  ];
  expect(passed(line, [answer("c", [1])], silent("a", 0))).toBe(true);
  expect(passed(line, [answer("a", [0, 1]), answer("c", [])], silent("b", 0))).toBe(false);
});

test("an acknowledgement in another branch says nothing, if the edges are known", () => {
  const branches = (areEdgesKnown: boolean) => [
    vertex("a", 0, areEdgesKnown ? [] : undefined),
    vertex("slow", 1, areEdgesKnown ? [["a", "HASH"]] : undefined),
    vertex("quick", 2, areEdgesKnown ? [["a", "HASH"]] : undefined),
  ];
  expect(passed(branches(true), [answer("quick", [0, 1])], silent("slow", 0))).toBe(false);
  expect(passed(branches(false), [answer("quick", [0, 1])], silent("slow", 0))).toBe(true);
});

test("a pointwise edge speaks only of the subtasks that it connects", () => {
  const line = [vertex("a", 0, [], 4), vertex("b", 1, [["a", "RESCALE"]])];
  expect(passed(line, [answer("b", [0])], silent("a", 1))).toBe(true);
  expect(passed(line, [answer("b", [0])], silent("a", 2))).toBe(false);
  const wider = [vertex("a", 0, []), vertex("b", 1, [["a", "FORWARD"]], 4)];
  expect(passed(wider, [answer("b", [1], 4)], silent("a", 0))).toBe(true);
  expect(passed(wider, [answer("b", [1], 4)], silent("a", 1))).toBe(false);
});
