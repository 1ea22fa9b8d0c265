import { describe, expect, test } from "vitest";
import * as fc from "fast-check";
import { Types } from "../serde/index.ts";
import { OperatorStateBackend } from "./operator-state-backend.ts";
import { redistributeOperatorState } from "./redistribute-operator-state.ts";
import type { OperatorStateHandle } from "./state-handle.ts";

const SPLITS = { name: "splits", type: Types.string() };
const OFFSETS = {
  name: "offsets",
  type: Types.struct({ partition: Types.int(), offset: Types.long() }),
};
const RULES = { name: "rules", keyType: Types.string(), valueType: Types.int() };

function filled(subtask: number): OperatorStateBackend {
  const backend = new OperatorStateBackend(`Source (${subtask + 1}/2)`);
  backend.listState(SPLITS).addAll([`a${subtask}`, `b${subtask}`, `c${subtask}`]);
  backend.unionListState(OFFSETS).add({ partition: subtask, offset: 7 });
  backend.broadcastState(RULES).putAll([
    ["z", 1],
    ["y", 2],
  ]);
  return backend;
}

function handleOf(backend: OperatorStateBackend): OperatorStateHandle | undefined {
  const snapshot = backend.snapshot();
  if (snapshot === undefined) return undefined;
  const { states, bytes } = snapshot;
  return { states, stream: { kind: "bytes", name: "op", data: bytes }, merged: undefined };
}

function restored(handles: readonly OperatorStateHandle[]): OperatorStateBackend {
  const backend = new OperatorStateBackend("Source (1/3)");
  for (const { states, stream } of handles) {
    if (stream.kind === "bytes") backend.restore({ states, bytes: stream.data });
  }
  return backend;
}

describe("operator state", () => {
  test("goes from two subtasks to three", () => {
    const dealt = redistributeOperatorState([filled(0), filled(1)].map(handleOf), 3).map(restored);
    expect(dealt.map((backend) => backend.listState(SPLITS).get())).toEqual([
      ["a0", "b0"],
      ["c0", "a1"],
      ["b1", "c1"],
    ]);
    for (const backend of dealt) {
      expect(backend.unionListState(OFFSETS).get()).toEqual([
        { partition: 0, offset: 7 },
        { partition: 1, offset: 7 },
      ]);
      expect([...backend.broadcastState(RULES).entries()]).toEqual([
        ["y", 2],
        ["z", 1],
      ]);
    }
  });

  test("that is never declared is written on as it came", () => {
    const twice = [...Array(2).keys()].reduce(
      (handle: OperatorStateHandle | undefined) =>
        handleOf(restored(handle === undefined ? [] : [handle])),
      handleOf(filled(0)),
    );
    const backend = restored(twice === undefined ? [] : [twice]);
    expect(backend.listState(SPLITS).get()).toEqual(["a0", "b0", "c0"]);
    expect([...backend.broadcastState(RULES).keys()]).toEqual(["y", "z"]);
  });

  test("of another mode or type is refused, naming state and operator", () => {
    const handle = handleOf(filled(0));
    const handles = handle === undefined ? [] : [handle];
    expect(() => restored(handles).unionListState(SPLITS)).toThrow(
      /"splits" of Source \(1\/3\).*SPLIT_DISTRIBUTE/,
    );
    expect(() => restored(handles).listState({ ...SPLITS, type: Types.bigint() })).toThrow(
      /"splits"/,
    );
    const backend = filled(0);
    expect(() => backend.broadcastState({ ...RULES, name: "splits" })).toThrow(
      expect.objectContaining({ code: "STATE_DECLARED_DIFFERENTLY" }),
    );
  });

  test("that cannot be written names state and path", () => {
    const backend = filled(0);
    backend.unionListState(OFFSETS).add({ partition: 1.5, offset: 0 });
    expect(() => backend.snapshot()).toThrow(/`partition`.*state "offsets" of Source \(1\/2\)/);
  });

  test("with any flipped bit or cut anywhere is refused, or was not touched by it", () => {
    const { states, bytes } = filled(0).snapshot() ?? { states: [], bytes: new Uint8Array(0) };
    fc.assert(
      fc.property(fc.nat(bytes.length * 8 - 1), (bit) => {
        const damaged = bytes.slice();
        damaged[bit >> 3] = (damaged[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        // Without its magic the file passes for one of Flink's, and its data are whole.
        if (bit >> 3 >= bytes.length - 8) return;
        expect(() => new OperatorStateBackend("x").restore({ states, bytes: damaged })).toThrow(
          expect.objectContaining({ code: "STATE_BYTES_CORRUPT" }),
        );
      }),
    );
  });
});
