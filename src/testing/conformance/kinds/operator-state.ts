import {
  type OperatorStateHandle,
  type OperatorStatePartitions,
  redistributeOperatorState,
} from "../../../state/index.ts";
import { canonicalText, compareExactly } from "../comparison.ts";
import { Fields } from "../fields.ts";
import { isObject, ScenarioFault } from "../scenario.ts";
import type { ScenarioKind } from "../scenario-kind.ts";

export const operatorStateKind: ScenarioKind = {
  kind: "operator-state",
  start(config) {
    const old = config.list("old").map(toHandle);
    const dealt = redistributeOperatorState(old, config.number("newParallelism"));
    const actual = dealt.map((handles) => sortedLists(partitionsByName(handles)));
    return {
      act(step) {
        throw new ScenarioFault(`${step.place}: this kind has no input steps`);
      },
      check(_name, expected) {
        if (!Array.isArray(expected)) throw new ScenarioFault("`expect` is no list");
        return compareExactly(expected.map(sortedLists), actual);
      },
    };
  },
};

/** A handle whose file is named after the old subtask, and whose offsets are the numbers of the partitions. */
function toHandle(value: unknown, subtask: number): OperatorStateHandle | undefined {
  if (!isObject(value)) throw new ScenarioFault("An old subtask is no object");
  if (Object.keys(value).length === 0) return undefined;
  const states = Object.keys(value).map((name): OperatorStatePartitions => {
    const fields = new Fields(value, `old[${subtask}]`).object(name);
    const mode = fields.text("mode");
    const partitions = fields.number("partitions");
    fields.done();
    if (mode !== "SPLIT_DISTRIBUTE" && mode !== "UNION" && mode !== "BROADCAST") {
      throw new ScenarioFault(`The mode \`${mode}\` is not known to this runner`);
    }
    const offsets = Array.from({ length: partitions }, (_, index) => index);
    return { name, mode, offsets };
  });
  return {
    states,
    stream: { kind: "bytes", name: String(subtask), data: new Uint8Array() },
    merged: undefined,
  };
}

function partitionsByName(handles: readonly OperatorStateHandle[]): Record<string, string[]> {
  const partitions: Record<string, string[]> = {};
  for (const { states, stream } of handles) {
    const subtask = stream.kind === "bytes" ? stream.name : "?";
    for (const { name, offsets } of states) {
      (partitions[name] ??= []).push(...offsets.map((offset) => `${subtask}.${offset}`));
    }
  }
  return partitions;
}

/** The lists are sets; a state of which nothing came is as one that is not there. */
function sortedLists(value: unknown): unknown {
  if (!isObject(value)) throw new ScenarioFault("An expectation is no object");
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, list]) => {
      if (!Array.isArray(list)) throw new ScenarioFault("A state's partitions are no list");
      return list.length === 0 ? [] : [[name, list.map(canonicalText).toSorted()]];
    }),
  );
}
