import {
  formatDurationNs,
  formatMemorySize,
  humanReadableMemorySize,
  type MemoryUnit,
  parseDurationNs,
  parseMemorySize,
} from "../../../base/index.ts";
import { compareExactly } from "../comparison.ts";
import type { Fields } from "../fields.ts";
import type { ScenarioInstance, ScenarioKind } from "../scenario-kind.ts";

/** Durations and sizes as text, one at a time. All numbers come and go as text, since they may have 64 bits and more. */
export const valuesKind: ScenarioKind = {
  kind: "values",
  start(): ScenarioInstance {
    let result: unknown;
    return {
      act(step) {
        result = undefined;
        result = resultOf(step);
      },
      check: (_name, expected) => compareExactly(expected, result),
    };
  },
};

function resultOf(step: Fields): unknown {
  if (step.has("parseDuration")) return { nanos: parsed(parseDurationNs, step, "parseDuration") };
  if (step.has("parseMemory")) {
    const unit = step.text("defaultUnit", "BYTES") as MemoryUnit;
    return { bytes: parsed((text) => parseMemorySize(text, unit), step, "parseMemory") };
  }
  if (step.has("formatDurationNs"))
    return { text: formatDurationNs(long(step, "formatDurationNs")) };
  if (step.has("humanReadable"))
    return { text: humanReadableMemorySize(long(step, "humanReadable")) };
  return { text: formatMemorySize(long(step, "memoryToString")) };
}

/** The functions of `base` answer undefined where Flink throws. */
function parsed(parse: (text: string) => bigint | undefined, step: Fields, field: string): string {
  const text = step.text(field);
  const value = parse(text);
  if (value === undefined) throw new RangeError(`"${text}" is refused`);
  return value.toString();
}

function long(step: Fields, field: string): bigint {
  return BigInt(step.text(field));
}
