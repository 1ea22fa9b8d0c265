import { expect, test } from "vitest";

import { decideStart, firstCheckpointId, type StartFacts } from "./start-decision.ts";

const nothing: StartFacts = {
  state: undefined,
  completeIds: [],
  completedId: undefined,
  isFresh: false,
  namedSnapshot: undefined,
};
const running = { status: "RUNNING", firstCheckpointId: 1, startedFrom: null } as const;

test("a job that never ran starts afresh", () => {
  expect(decideStart(nothing)).toEqual({ kind: "fresh", leftIds: [] });
});

test.each(["RUNNING", "FAILED", "CANCELED", "SUSPENDED"] as const)(
  "a job whose last run ended %s goes on from its newest checkpoint",
  (status) => {
    const facts = { ...nothing, state: { ...running, status }, completeIds: [3, 4] };
    expect(decideStart(facts)).toEqual({ kind: "go-on", ids: [3, 4] });
  },
);

test("a finished job starts afresh", () => {
  const facts = {
    ...nothing,
    state: { ...running, status: "FINISHED" as const },
    completeIds: [9],
  };
  expect(decideStart(facts)).toEqual({ kind: "fresh", leftIds: [9] });
});

test("a completed checkpoint that is gone is missed, unless the person names a snapshot or starts afresh", () => {
  const facts = { ...nothing, state: running, completeIds: [19], completedId: 20 };
  expect(decideStart(facts)).toEqual({ kind: "missing", id: 20, newestId: 19 });
  expect(decideStart({ ...facts, completeIds: [] })).toMatchObject({ kind: "missing", id: 20 });
  expect(decideStart({ ...facts, completeIds: [19, 20] })).toMatchObject({ kind: "go-on" });
  expect(decideStart({ ...facts, isFresh: true })).toMatchObject({ kind: "fresh" });
  expect(decideStart({ ...facts, namedSnapshot: "chk-19" })).toMatchObject({ kind: "named" });
  const later = { ...running, firstCheckpointId: 21 };
  expect(decideStart({ ...facts, state: later, completeIds: [] })).toMatchObject({ kind: "fresh" });
});

test("checkpoints without a job state are gone on from", () => {
  expect(decideStart({ ...nothing, completeIds: [2] })).toEqual({ kind: "go-on", ids: [2] });
});

test("asked for a fresh start, the checkpoints of the earlier life are left, and never gone on from again", () => {
  const facts = { ...nothing, state: running, completeIds: [3, 4] };
  expect(decideStart({ ...facts, isFresh: true })).toEqual({ kind: "fresh", leftIds: [3, 4] });
  const first = firstCheckpointId([3, 4]);
  expect(first).toBe(5);
  const crashedAtOnce = { ...facts, state: { ...running, firstCheckpointId: first } };
  expect(decideStart(crashedAtOnce)).toEqual({ kind: "fresh", leftIds: [3, 4] });
  expect(decideStart({ ...crashedAtOnce, completeIds: [3, 4, 5] })).toEqual({
    kind: "go-on",
    ids: [5],
  });
});

test("a job that was started from a named snapshot starts from it again until it has a checkpoint of its own", () => {
  const state = { ...running, firstCheckpointId: 8, startedFrom: "/s/savepoint-1" };
  expect(decideStart({ ...nothing, state, completeIds: [4] })).toEqual({
    kind: "named",
    path: "/s/savepoint-1",
    isAgain: true,
  });
  expect(decideStart({ ...nothing, state, completeIds: [4, 8] })).toEqual({
    kind: "go-on",
    ids: [8],
  });
});

test("a snapshot that is named wins over everything", () => {
  const facts = {
    ...nothing,
    state: running,
    completeIds: [3],
    damagedIds: [4],
    namedSnapshot: "/s",
  };
  expect(decideStart(facts)).toEqual({ kind: "named", path: "/s", isAgain: false });
});
