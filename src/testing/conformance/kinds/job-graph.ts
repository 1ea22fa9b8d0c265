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
import { present } from "../../../base/index.ts";

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

export interface JobGraphScenarioResult {
  readonly chains: readonly (readonly string[])[];
  readonly operatorIds: Readonly<Record<string, string>>;
}

/** Which operators of the scenario chain, and their ids. Every operator is named by its scenario id. */
export function jobGraphResult(config: JobGraphScenarioConfig): JobGraphScenarioResult {
  const { vertices } = scenarioJobGraph(config);
  return {
    chains: vertices.map((vertex) => vertex.operators.map((operator) => operator.name)),
    operatorIds: Object.fromEntries(
      vertices.flatMap((vertex) =>
        vertex.operators.map((operator) => [operator.name, operator.id]),
      ),
    ),
  };
}

/** The job graph of a scenario; its operators do nothing. */
export function scenarioJobGraph(config: JobGraphScenarioConfig): JobGraph {
  const made = new Map<string, SourceTransformation | OperatorTransformation>();
  const operators: OperatorTransformation[] = [];
  let nextId = 1;
  for (const description of config.operators) {
    const settings = settingsOf(description, config.parallelism ?? 1);
    const inputs = (description.inputs ?? []).map(({ from, partitioner }): Transformation => {
      const input = present(
        made.get(from),
        `the scenario's operator ${from} stands before its readers`,
      );
      const chosen = partitionerOf(partitioner ?? "none");
      return chosen === undefined
        ? input
        : { kind: "partition", id: nextId++, input, partitioner: chosen };
    });
    const id = nextId++;
    if (inputs.length === 0) {
      made.set(description.id, {
        kind: "source",
        id,
        settings,
        source: idleSource(description.id),
        watermarks: undefined,
        outputType: undefined,
      });
      continue;
    }
    const isUnion = inputs.length > 1 && description.kind !== "connect";
    const operator: OperatorTransformation = {
      kind: "operator",
      id,
      settings,
      factory: idleFactory,
      inputs: isUnion ? [{ kind: "union", id: nextId++, inputs }] : inputs,
      keyType: undefined,
      isNonParallel: false,
      outputType: undefined,
    };
    made.set(description.id, operator);
    operators.push(operator);
  }
  const graph = buildStreamGraph(operators, {
    isChainingEnabled: config.chaining ?? true,
    canChainDifferentMaxParallelism: config.chainDifferentMaxParallelism ?? true,
    maxParallelism: undefined,
  });
  return generateJobGraph("scenario", graph);
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
      throw new Error(`The scenario names the partitioner ${name}, which is not known.`);
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
