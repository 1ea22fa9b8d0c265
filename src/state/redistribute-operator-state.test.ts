import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import * as fc from "fast-check";
import { redistributeOperatorState } from "./redistribute-operator-state.ts";
import type { OperatorStateHandle, OperatorStateMode } from "./state-handle.ts";

type Config = Readonly<
  Record<string, { readonly mode: OperatorStateMode; readonly partitions: number }>
>;

/** Old subtask i's partitions have the offsets 1000 i, 1000 i + 1, …, so that an offset tells where it came from. */
function handles(old: readonly Config[]): (OperatorStateHandle | undefined)[] {
  return old.map((states, subtask) => {
    if (Object.keys(states).length === 0) return undefined;
    return {
      stream: { kind: "bytes", name: `old-${subtask}`, data: new Uint8Array(0) },
      merged: undefined,
      states: Object.entries(states).map(([name, { mode, partitions }]) => ({
        name,
        mode,
        offsets: Array.from({ length: partitions }, (_, index) => subtask * 1000 + index),
      })),
    };
  });
}

function dealt(old: readonly Config[], parallelism: number): Record<string, string[]>[] {
  return redistributeOperatorState(handles(old), parallelism).map((given) => {
    const byName: Record<string, string[]> = {};
    for (const { name, offsets } of given.flatMap((handle) => handle.states)) {
      for (const offset of offsets)
        (byName[name] ??= []).push(`${Math.floor(offset / 1000)}.${offset % 1000}`);
    }
    return byName;
  });
}

const SCENARIOS = new URL("../../../shared/conformance/state/operator-state.json", import.meta.url);

interface Scenario {
  readonly id: string;
  readonly about: string;
  readonly config: { readonly old: readonly Config[]; readonly newParallelism: number };
  readonly steps: readonly [{ readonly expect: readonly Record<string, readonly string[]>[] }];
}

describe.skipIf(!existsSync(SCENARIOS))(
  "redistribution as Flink does it (needs ../shared/conformance)",
  () => {
    const { scenarios } = existsSync(SCENARIOS)
      ? (JSON.parse(readFileSync(SCENARIOS, "utf8")) as { scenarios: Scenario[] })
      : { scenarios: [] };
    test.each(scenarios.map((scenario) => [scenario.id, scenario.about, scenario] as const))(
      "%s %s",
      (_id, _about, { config, steps }) => {
        const expected = steps[0].expect.map((states) =>
          Object.fromEntries(
            Object.entries(states).map(([name, list]) => [name, [...list].sort()]),
          ),
        );
        const found = dealt(config.old, config.newParallelism).map((states) =>
          Object.fromEntries(Object.entries(states).map(([name, list]) => [name, list.sort()])),
        );
        expect(found).toEqual(expected);
      },
    );
  },
);

describe("redistribution of operator state", () => {
  test("rotates the surplus of several split states", () => {
    const old: Config[] = [
      { "t-1": { mode: "SPLIT_DISTRIBUTE", partitions: 2 } },
      { "t-2": { mode: "SPLIT_DISTRIBUTE", partitions: 2 } },
    ];
    expect(dealt(old, 3)).toEqual([
      { "t-1": ["0.1"], "t-2": ["1.0"] },
      { "t-2": ["1.1"] },
      { "t-1": ["0.0"] },
    ]);
  });

  test("gives every partition of a split state to exactly one subtask, evenly and in order", () => {
    const counts = fc.array(fc.nat(9), { minLength: 1, maxLength: 8, size: "max" });
    fc.assert(
      fc.property(counts, fc.integer({ min: 1, max: 9 }), (partitions, parallelism) => {
        const old = partitions.map((count): Config => ({
          s: { mode: "SPLIT_DISTRIBUTE", partitions: count },
        }));
        const result = dealt(old, parallelism).map((states) => states["s"] ?? []);
        const all = partitions.flatMap((count, subtask) =>
          Array.from({ length: count }, (_, index) => `${subtask}.${index}`),
        );
        expect(result.flat()).toEqual(all);
        if (parallelism === partitions.length) return;
        const sizes = result.map((list) => list.length);
        expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
      }),
    );
  });
});
