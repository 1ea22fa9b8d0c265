import { type OptionTable, type OptionType, OptionTypes } from "../base/index.ts";
import { MAX_MAX_PARALLELISM } from "../state/index.ts";

/** What configuration says about the shape of a job. */
export interface GraphOptions {
  /** Parallelism of every operator that does not set its own; -1 is 1. */
  readonly parallelism: number;
  /** Number of key groups of every operator that does not set its own; -1 derives it from the parallelism. */
  readonly maxParallelism: number;
  /** Whether operators that exchange records one to one share a task. */
  readonly isChainingEnabled: boolean;
  /** Whether operators that differ in their max parallelism alone may share a task. */
  readonly canChainDifferentMaxParallelism: boolean;
}

const COUNT: OptionType<number> = OptionTypes.integer({ min: 1, max: MAX_MAX_PARALLELISM });

/** A number of subtasks or key groups, or Flink's -1. */
const COUNT_OR_NONE: OptionType<number> = {
  expected: `-1 or ${COUNT.expected}`,
  parse: (text) => (text.trim() === "-1" ? -1 : COUNT.parse(text)),
};

export const GRAPH_OPTIONS: OptionTable<GraphOptions> = {
  parallelism: {
    key: "parallelism.default",
    deprecatedKeys: [],
    type: COUNT_OR_NONE,
    initial: 1,
    description: "Subtasks of every operator that does not set its own parallelism; -1 is 1.",
  },
  maxParallelism: {
    key: "pipeline.max-parallelism",
    deprecatedKeys: [],
    type: COUNT_OR_NONE,
    initial: -1,
    description:
      "Key groups of every operator that does not set its own max parallelism; -1 derives it from the parallelism. Existing state fixes it.",
  },
  isChainingEnabled: {
    key: "pipeline.operator-chaining.enabled",
    deprecatedKeys: ["pipeline.operator-chaining"],
    type: OptionTypes.boolean(),
    initial: true,
    description:
      "Whether operators that exchange records one to one share a task. Changes the ids of operators without a uid.",
  },
  canChainDifferentMaxParallelism: {
    key: "pipeline.operator-chaining.chain-operators-with-different-max-parallelism",
    deprecatedKeys: [],
    type: OptionTypes.boolean(),
    initial: true,
    description: "Whether operators that differ in their max parallelism alone may share a task.",
  },
};
