import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { isStreamError } from "../../base/index.ts";
import {
  type KeyedStateHandle,
  keyGroupRangeOf,
  type KeyGroupsStateHandle,
  type OperatorStateMode,
  operatorIndexOf,
} from "../../state/index.ts";
import {
  EMPTY_SUBTASK_STATE,
  type OperatorState,
  type OperatorSubtaskState,
} from "../operator-state.ts";
import { assignRestoredState, type RestoringVertex } from "./assign-restored-state.ts";

const A = "a".repeat(32);
const B = "b".repeat(32);
const STREAM = { kind: "bytes", name: "s", data: new Uint8Array(0) } as const;

function keyed(
  subtaskIndex: number,
  parallelism: number,
  maxParallelism: number,
): KeyGroupsStateHandle {
  const range = keyGroupRangeOf(subtaskIndex, maxParallelism, parallelism);
  const groups = Array.from(
    { length: range.last - range.first + 1 },
    (_, index) => range.first + index,
  );
  return {
    kind: "key-groups",
    tag: 3,
    range,
    // The offset tells the key group, so that a wrong cut shows.
    offsets: groups.map((group) => 1_000 * group),
    stream: { ...STREAM, name: `old ${subtaskIndex}` },
    handleId: undefined,
  };
}

function operator(
  operatorId: string,
  parallelism: number,
  stateOf: (subtaskIndex: number) => Partial<OperatorSubtaskState> | "finished" | undefined,
  more: Partial<OperatorState> = {},
): OperatorState {
  return {
    operatorName: undefined,
    operatorUid: undefined,
    operatorId,
    parallelism,
    maxParallelism: 128,
    coordinatorState: undefined,
    isFullyFinished: false,
    subtaskStates: Array.from({ length: parallelism }, (_, subtaskIndex) => {
      const state = stateOf(subtaskIndex);
      return {
        subtaskIndex,
        isFinished: state === "finished",
        state: { ...EMPTY_SUBTASK_STATE, ...(state === "finished" ? {} : state) },
        referenceCheckpointId: undefined,
      };
    }),
    ...more,
  };
}

function vertex(
  operatorId: string,
  parallelism: number,
  more: Partial<RestoringVertex> = {},
): RestoringVertex {
  return {
    vertexId: operatorId,
    name: operatorId === A ? "source" : "window",
    parallelism,
    maxParallelism: 128,
    isMaxParallelismConfigured: false,
    inputVertexIds: [],
    operators: [{ operatorId, uid: undefined, name: "op" }],
    ...more,
  };
}

const STRICT = { allowNonRestoredState: false };

describe("keyed state", () => {
  test("each key group goes to exactly the subtask that owns it, with its own offset", () => {
    const sizes = fc
      .integer({ min: 1, max: 200 })
      .chain((max) =>
        fc.tuple(fc.constant(max), fc.integer({ min: 1, max }), fc.integer({ min: 1, max })),
      );
    fc.assert(
      fc.property(sizes, ([maxParallelism, oldParallelism, newParallelism]) => {
        const state = operator(
          A,
          oldParallelism,
          (index) => ({ managedKeyed: keyed(index, oldParallelism, maxParallelism) }),
          {
            maxParallelism,
          },
        );
        const decision = assignRestoredState([state], [vertex(A, newParallelism)], STRICT);
        if (decision.kind === "refused") throw decision.error;
        const restored = decision.vertices.get(A);
        expect(restored?.maxParallelism).toBe(maxParallelism);
        const owners = new Map<number, number>();
        for (const [index, subtask] of (restored?.operators.get(A)?.subtasks ?? []).entries()) {
          for (const handle of subtask.managedKeyed as readonly KeyGroupsStateHandle[]) {
            expect(handle.offsets).toHaveLength(handle.range.last - handle.range.first + 1);
            for (const [at, offset] of handle.offsets.entries()) {
              expect(offset).toBe(1_000 * (handle.range.first + at));
              expect(owners.has(handle.range.first + at)).toBe(false);
              owners.set(handle.range.first + at, index);
            }
          }
        }
        const expected = Array.from({ length: maxParallelism }, (_, group) => [
          group,
          operatorIndexOf(group, maxParallelism, newParallelism),
        ]);
        expect([...owners].toSorted(([a], [b]) => a - b)).toEqual(expected);
      }),
    );
  });

  test("a handle that cannot be cut goes whole to every subtask that shares key groups with it", () => {
    const handle: KeyedStateHandle = {
      kind: "incremental",
      tag: 11,
      checkpointId: 1,
      backendId: "b",
      range: { first: 0, last: 127 },
      checkpointedSizeBytes: 0,
      meta: STREAM,
      shared: new Map(),
      private: new Map(),
      handleId: undefined,
    };
    const decision = assignRestoredState(
      [operator(A, 1, () => ({ managedKeyed: handle }))],
      [vertex(A, 2)],
      STRICT,
    );
    if (decision.kind === "refused") throw decision.error;
    const subtasks = decision.vertices.get(A)?.operators.get(A)?.subtasks;
    expect(subtasks?.map(({ managedKeyed }) => managedKeyed)).toEqual([[handle], [handle]]);
  });
});

describe("operator state", () => {
  const withMode = (mode: OperatorStateMode) =>
    operator(A, 2, (index) => ({
      managedOperator: {
        states: [
          {
            name: "list",
            mode,
            offsets: mode === "BROADCAST" ? [0] : [10 * index, 10 * index + 1],
          },
        ],
        stream: { ...STREAM, name: `old ${index}` },
        merged: undefined,
      },
    }));

  test.each([
    ["SPLIT_DISTRIBUTE", [2, 1, 1]],
    ["UNION", [4, 4, 4]],
    ["BROADCAST", [1, 1, 1]],
  ] as const)("%s at another parallelism", (mode, counts) => {
    const decision = assignRestoredState([withMode(mode)], [vertex(A, 3)], STRICT);
    if (decision.kind === "refused") throw decision.error;
    const subtasks = decision.vertices.get(A)?.operators.get(A)?.subtasks ?? [];
    const found = subtasks.map(
      ({ managedOperator }) =>
        managedOperator.flatMap(({ states }) => states.flatMap(({ offsets }) => offsets)).length,
    );
    expect(found).toEqual(counts);
  });
});

describe("a restore is refused", () => {
  const errorOf = (
    states: readonly OperatorState[],
    vertices: readonly RestoringVertex[],
    allow = false,
  ) => {
    const decision = assignRestoredState(states, vertices, { allowNonRestoredState: allow });
    return decision.kind === "refused" ? decision.error : undefined;
  };
  const state = (index: number) => ({ managedKeyed: keyed(index, 1, 128) });

  test("with state of operators that the job lacks, all of them named; allowed, they are skipped", () => {
    const states = [
      operator(A, 1, state, { operatorName: "Sum", operatorUid: "sum" }),
      operator(B, 1, () => undefined, { coordinatorState: STREAM }),
    ];
    const error = errorOf(states, []);
    expect(isStreamError(error, "STATE_NOT_MATCHED")).toBe(true);
    expect(error?.message).toBe(
      `The snapshot has state of operators that the job does not have: "Sum", uid sum, id ${A}; id ${B}.`,
    );
    expect(error?.remedy).toContain("--allowNonRestoredState");
    const allowed = assignRestoredState(states, [], { allowNonRestoredState: true });
    expect(allowed.kind === "assigned" && allowed.skipped).toEqual(states);
  });

  test("not for operators of which nothing would be lost", () => {
    expect(errorOf([operator(A, 2, () => undefined)], [])).toBeUndefined();
    expect(
      errorOf([operator(A, 1, () => undefined, { isFullyFinished: true, subtaskStates: [] })], []),
    ).toBeUndefined();
  });

  test("with another maximum parallelism than the snapshot's, if it was set", () => {
    const configured = vertex(A, 1, { maxParallelism: 256, isMaxParallelismConfigured: true });
    const error = errorOf([operator(A, 1, state)], [configured]);
    expect(isStreamError(error, "MAX_PARALLELISM_CHANGED")).toBe(true);
    expect(error?.details).toEqual({
      operator: `id ${A}`,
      snapshotMaxParallelism: 128,
      jobMaxParallelism: 256,
    });
    expect(
      errorOf([operator(A, 1, state)], [vertex(A, 1, { maxParallelism: 256 })]),
    ).toBeUndefined();
  });

  test("with a parallelism above the maximum", () => {
    const error = errorOf(
      [operator(A, 1, (i) => ({ managedKeyed: keyed(i, 1, 4) }), { maxParallelism: 4 })],
      [vertex(A, 5)],
    );
    expect(isStreamError(error, "PARALLELISM_ABOVE_MAXIMUM")).toBe(true);
    expect(error?.remedy).toBe("Reduce its parallelism to 4 or less.");
  });

  test("with the state of one operator twice", () => {
    expect(
      isStreamError(
        errorOf([operator(A, 1, state), operator(A, 1, state)], [vertex(A, 1)]),
        "SNAPSHOT_INCONSISTENT",
      ),
    ).toBe(true);
  });

  test("with a finished vertex behind one that has not finished, or beside a new operator in its chain", () => {
    const finished = operator(B, 1, () => undefined, { isFullyFinished: true, subtaskStates: [] });
    const behind = vertex(B, 1, { inputVertexIds: [A] });
    expect(errorOf([finished], [vertex(A, 1), behind])?.message).toContain(
      "source before it had not",
    );
    const chained = vertex(B, 1, {
      operators: [B, A].map((operatorId) => ({ operatorId, uid: undefined, name: "op" })),
    });
    expect(isStreamError(errorOf([finished], [chained]), "FINISHED_OPERATOR_MOVED")).toBe(true);
  });
});

describe("what had finished", () => {
  test("a fully finished vertex is not run again", () => {
    const finished = operator(A, 2, () => undefined, { isFullyFinished: true, subtaskStates: [] });
    const decision = assignRestoredState([finished], [vertex(A, 2)], STRICT);
    expect(decision.kind === "assigned" && decision.vertices.get(A)?.isFullyFinished).toBe(true);
  });

  test("a finished subtask of a source stays finished, unless the parallelism changes", () => {
    const partly = operator(A, 2, (index) => (index === 1 ? "finished" : undefined));
    const finishedAt = (parallelism: number, inputVertexIds: readonly string[] = []) => {
      const vertices = [vertex(A, parallelism, { inputVertexIds })];
      const decision = assignRestoredState([partly], vertices, STRICT);
      return decision.kind === "assigned" ? decision.vertices.get(A)?.finishedSubtasks : undefined;
    };
    expect(finishedAt(2)).toEqual([false, true]);
    expect(finishedAt(3)).toEqual([false, false, false]);
    expect(finishedAt(2, [B])).toEqual([false, false]);
  });
});
