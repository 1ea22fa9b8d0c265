import { keyHash, type KeyKind } from "../../../serde/index.ts";
import {
  defaultMaxParallelism,
  keyGroupOf,
  keyGroupRangeOf,
  murmurHash,
  operatorIndexOf,
} from "../../../state/index.ts";
import { compareExactly } from "../comparison.ts";
import type { Fields } from "../fields.ts";
import { ScenarioFault } from "../scenario.ts";
import type { ScenarioKind } from "../scenario-kind.ts";

export const keyGroupsKind: ScenarioKind = {
  kind: "key-groups",
  start() {
    let answer: unknown = undefined;
    return {
      act(step) {
        answer = answerOf(step);
      },
      check: (_name, expected) => compareExactly(expected, answer),
    };
  },
};

function answerOf(step: Fields): unknown {
  if (step.has("murmur")) return { value: murmurHash(step.number("murmur")) };
  if (step.has("defaultMaxParallelism")) {
    return { value: defaultMaxParallelism(step.number("defaultMaxParallelism")) };
  }
  if (step.has("ranges")) {
    const [maxParallelism, parallelism] = step.list("ranges").map(Number);
    if (maxParallelism === undefined || parallelism === undefined)
      throw step.fault("ranges", "a pair");
    const ranges = Array.from({ length: parallelism }, (_, index) => {
      const { first, last } = keyGroupRangeOf(index, maxParallelism, parallelism);
      return [first, last];
    });
    return { ranges };
  }
  const maxParallelism = step.number("maxParallelism");
  const type = step.text("type", "string");
  const hash = hashOf(step.any("key"), type);
  const keyGroup = keyGroupOf(hash, maxParallelism);
  const subtask = operatorIndexOf(keyGroup, maxParallelism, step.number("parallelism"));
  return { hashCode: hash, keyGroup, subtask };
}

function hashOf(key: unknown, type: string): number {
  switch (type) {
    case "string":
    case "int":
    case "boolean":
      return keyHash(key, type);
    case "double":
      return keyHash(Number(key), type);
    case "long": {
      const long = BigInt(String(key));
      const isSafe = long >= Number.MIN_SAFE_INTEGER && long <= Number.MAX_SAFE_INTEGER;
      return keyHash(isSafe ? Number(long) : long, type);
    }
    case "tuple": {
      if (!Array.isArray(key)) throw new ScenarioFault("A tuple key is no list");
      return keyHash(key, { kind: "tuple", fields: key.map(kindOf) });
    }
    default:
      throw new ScenarioFault(`The key type \`${type}\` is not known to this runner`);
  }
}

/** A tuple's numbers are ints where they fit. */
function kindOf(value: unknown): KeyKind {
  if (typeof value === "string") return "string";
  if (typeof value === "boolean") return "boolean";
  if (Array.isArray(value)) return { kind: "tuple", fields: value.map(kindOf) };
  if (typeof value !== "number") throw new ScenarioFault("A tuple has a field of an unknown type");
  return Number.isInteger(value) ? (value === (value | 0) ? "int" : "long") : "double";
}
