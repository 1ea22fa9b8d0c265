import {
  buildStreamGraph,
  generateJobGraph,
  type JobGraph,
  type OperatorSettings,
  type OperatorTransformation,
  type Partitioner,
  type SourceTransformation,
  type Transformation,
} from "../../../graph/index.ts";
import type { OperatorFactory, Source, SourceSplit } from "../../../operators/index.ts";
import { Types } from "../../../serde/index.ts";
import { compareExactly, compareUnordered } from "../comparison.ts";
import type { Fields } from "../fields.ts";
import { ScenarioFault } from "../scenario.ts";
import type { ScenarioInstance, ScenarioKind } from "../scenario-kind.ts";

/** Config of kind `job-graph`. */
export interface JobGraphScenarioConfig {
  readonly operators: readonly JobGraphScenarioOperator[];
  readonly parallelism?: number;
  readonly chaining?: boolean;
  readonly chainDifferentMaxParallelism?: boolean;
}

export interface JobGraphScenarioOperator {
  readonly id: string;
  readonly inputs?: readonly { readonly from: string; readonly partitioner?: string }[];
  readonly kind?: "map" | "sink" | "connect";
  readonly parallelism?: number;
  readonly maxParallelism?: number;
  readonly uid?: string;
  readonly slotSharingGroup?: string;
  readonly chain?: "startNew" | "disable";
}

export const jobGraphKind: ScenarioKind = {
  kind: "job-graph",
  start(config): ScenarioInstance {
    const graph = scenarioJobGraph(readConfig(config));
    const operators = graph.vertices.flatMap((vertex) => vertex.operators);
    return {
      act(step) {
        throw new ScenarioFault(`${step.place} is an input, but this kind has none`);
      },
      check(_name, expected) {
        const { chains, operatorIds = {} } = expected as JobGraphExpectation;
        const actual = graph.vertices.map((vertex) => vertex.operators.map(({ name }) => name));
        const ids = operators.flatMap(({ name, id }) =>
          name in operatorIds ? [[name, id] as const] : [],
        );
        return (
          compareUnordered(chains, actual) ?? compareExactly(operatorIds, Object.fromEntries(ids))
        );
      },
    };
  },
};

interface JobGraphExpectation {
  readonly chains: readonly (readonly string[])[];
  readonly operatorIds?: Readonly<Record<string, string>>;
}

function readConfig(config: Fields): JobGraphScenarioConfig {
  return {
    operators: config.objects("operators").map(readOperator),
    ...(config.has("parallelism") ? { parallelism: config.number("parallelism") } : {}),
    ...(config.has("chaining") ? { chaining: config.boolean("chaining") } : {}),
    ...(config.has("chainDifferentMaxParallelism")
      ? { chainDifferentMaxParallelism: config.boolean("chainDifferentMaxParallelism") }
      : {}),
  };
}

function readOperator(fields: Fields): JobGraphScenarioOperator {
  const kind = fields.text("kind", "map");
  const chain = fields.has("chain") ? fields.text("chain") : undefined;
  if (kind !== "map" && kind !== "sink" && kind !== "connect") {
    throw fields.fault("kind", "`map`, `sink` or `connect`");
  }
  if (chain !== undefined && chain !== "startNew" && chain !== "disable") {
    throw fields.fault("chain", "`startNew` or `disable`");
  }
  const operator: JobGraphScenarioOperator = {
    id: fields.text("id"),
    kind,
    ...(fields.has("inputs") ? { inputs: fields.objects("inputs").map(readInput) } : {}),
    ...(fields.has("parallelism") ? { parallelism: fields.number("parallelism") } : {}),
    ...(fields.has("maxParallelism") ? { maxParallelism: fields.number("maxParallelism") } : {}),
    ...(fields.has("uid") ? { uid: fields.text("uid") } : {}),
    ...(fields.has("slotSharingGroup")
      ? { slotSharingGroup: fields.text("slotSharingGroup") }
      : {}),
    ...(chain === undefined ? {} : { chain }),
  };
  fields.done();
  return operator;
}

function readInput(fields: Fields): { readonly from: string; readonly partitioner: string } {
  const input = { from: fields.text("from"), partitioner: fields.text("partitioner", "none") };
  fields.done();
  return input;
}

/** The job graph of a scenario; its operators are named by their ids and do nothing. */
export function scenarioJobGraph(config: JobGraphScenarioConfig): JobGraph {
  const made = new Map<string, SourceTransformation | OperatorTransformation>();
  let lastId = 0;
  const nextId = (): number => ++lastId;
  for (const description of config.operators) {
    const inputs = (description.inputs ?? []).map(({ from, partitioner = "none" }) => {
      const input = made.get(from);
      if (input === undefined)
        throw new ScenarioFault(`Operator \`${from}\` does not stand before its readers`);
      return partitioned(input, partitionerOf(partitioner), nextId);
    });
    made.set(
      description.id,
      transformationOf(description, inputs, config.parallelism ?? 1, nextId),
    );
  }
  const operators = [...made.values()].filter(
    (transformation) => transformation.kind === "operator",
  );
  const graph = buildStreamGraph(operators, {
    isChainingEnabled: config.chaining ?? true,
    canChainDifferentMaxParallelism: config.chainDifferentMaxParallelism ?? true,
    maxParallelism: undefined,
  });
  return generateJobGraph("scenario", graph);
}

function partitioned(
  input: Transformation,
  partitioner: Partitioner | undefined,
  nextId: () => number,
): Transformation {
  return partitioner === undefined
    ? input
    : { kind: "partition", id: nextId(), input, partitioner };
}

function transformationOf(
  description: JobGraphScenarioOperator,
  inputs: readonly Transformation[],
  parallelism: number,
  nextId: () => number,
): SourceTransformation | OperatorTransformation {
  const common = {
    id: nextId(),
    settings: settingsOf(description, parallelism),
    outputType: undefined,
  };
  if (inputs.length === 0) {
    return { ...common, kind: "source", source: idleSource(description.id), watermarks: undefined };
  }
  const isUnion = inputs.length > 1 && description.kind !== "connect";
  return {
    ...common,
    kind: "operator",
    factory: idleFactory,
    inputs: isUnion ? [{ kind: "union", id: nextId(), inputs }] : inputs,
    keyType: undefined,
    isNonParallel: false,
  };
}

function settingsOf(operator: JobGraphScenarioOperator, parallelism: number): OperatorSettings {
  return {
    name: operator.id,
    uid: operator.uid,
    uidHash: undefined,
    parallelism: operator.parallelism ?? parallelism,
    maxParallelism: operator.maxParallelism,
    slotSharingGroup: operator.slotSharingGroup,
    chaining:
      operator.chain === undefined ? "ALWAYS" : operator.chain === "startNew" ? "HEAD" : "NEVER",
  };
}

function partitionerOf(name: string): Partitioner | undefined {
  switch (name) {
    case "none":
      return undefined;
    case "hash":
      return { kind: "hash", keySelector: (value) => value, keyType: Types.string() };
    case "forward":
    case "rebalance":
    case "rescale":
    case "shuffle":
    case "broadcast":
    case "global":
      return { kind: name };
    default:
      throw new ScenarioFault(`The partitioner \`${name}\` is not known`);
  }
}

const idleFactory: OperatorFactory = {
  kind: "Map",
  moduleUrl: import.meta.url,
  create: () => {
    throw new Error("The operators of a graph scenario do not run.");
  },
};

function idleSource(name: string): Source<unknown, SourceSplit, unknown> {
  const refuse = (): never => {
    throw new Error("The sources of a graph scenario do not run.");
  };
  return {
    name,
    boundedness: "BOUNDED",
    type: undefined,
    splitSerializer: Types.any(),
    enumeratorStateSerializer: Types.any(),
    createEnumerator: refuse,
    createReader: refuse,
  };
}
