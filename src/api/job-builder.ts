import { type Configuration, type ConfigurationEntry, resolveOptions } from "../base/index.ts";
import {
  buildStreamGraph,
  generateJobGraph,
  GRAPH_OPTIONS,
  type GraphOptions,
  type JobGraph,
  type OperatorSettings,
  type OperatorTransformation,
  type SourceTransformation,
  type Transformation,
} from "../graph/index.ts";
import type {
  Operator,
  OperatorFactory,
  Source,
  SourceSplit,
  WatermarkStrategy,
} from "../operators/index.ts";
import type { TypeSerializer } from "../serde/index.ts";
import type { FunctionObjects } from "./function-objects.ts";

/** What an operator is made of, beside its factory. */
export interface OperatorParts {
  readonly inputs: readonly Transformation[];
  readonly keyType?: TypeSerializer<unknown> | undefined;
  readonly outputType: TypeSerializer<unknown> | undefined;
  /** Instead of the factory's kind. */
  readonly name?: string;
  readonly isNonParallel?: boolean;
}

/** Collects what a job's code says, and makes the job graph of it. One per call of the job's function. */
export class JobBuilder {
  readonly jobName: string;
  readonly functions: FunctionObjects;
  private readonly given: Configuration;
  private fromCode: readonly ConfigurationEntry[] = [];
  private readonly operators: OperatorTransformation[] = [];
  private lastId = 0;
  /** Undefined until it is asked for, and after each setting. */
  private resolved: Readonly<GraphOptions> | undefined;

  constructor(jobName: string, given: Configuration, functions: FunctionObjects) {
    this.jobName = jobName;
    this.given = given;
    this.functions = functions;
  }

  /** All settings: what was given, and weaker, what the code has set so far. */
  get configuration(): Configuration {
    return this.given.with(this.fromCode);
  }

  get options(): Readonly<GraphOptions> {
    this.resolved ??= resolveOptions(GRAPH_OPTIONS, this.configuration).values;
    return this.resolved;
  }

  set(key: string, value: string): void {
    const entry: ConfigurationEntry = {
      key,
      value,
      origin: "code",
      place: `job "${this.jobName}"`,
    };
    this.resolved = undefined;
    this.fromCode = [...this.fromCode.filter((other) => other.key !== key), entry];
  }

  nextId(): number {
    this.lastId += 1;
    return this.lastId;
  }

  addSource(
    source: Source<unknown, SourceSplit, unknown>,
    watermarks: WatermarkStrategy<unknown> | undefined,
    name: string,
  ): SourceTransformation {
    const settings = this.newSettings(name);
    return {
      kind: "source",
      id: this.nextId(),
      settings,
      source,
      watermarks,
      outputType: source.type,
    };
  }

  addOperator<O extends Operator, OUT>(
    factory: OperatorFactory<O, OUT>,
    parts: OperatorParts,
  ): OperatorTransformation {
    const isNonParallel = parts.isNonParallel ?? false;
    const settings = this.newSettings(parts.name ?? factory.kind);
    if (isNonParallel) settings.parallelism = 1;
    const operator: OperatorTransformation = {
      kind: "operator",
      id: this.nextId(),
      settings,
      factory,
      inputs: parts.inputs,
      keyType: parts.keyType,
      isNonParallel,
      outputType: parts.outputType,
    };
    this.operators.push(operator);
    return operator;
  }

  build(): JobGraph {
    const options = this.options;
    const streamGraph = buildStreamGraph(this.operators, {
      isChainingEnabled: options.isChainingEnabled,
      canChainDifferentMaxParallelism: options.canChainDifferentMaxParallelism,
      maxParallelism: options.maxParallelism === -1 ? undefined : options.maxParallelism,
    });
    return { ...generateJobGraph(this.jobName, streamGraph), configuration: this.fromCode };
  }

  private newSettings(name: string): OperatorSettings {
    return {
      name,
      uid: undefined,
      uidHash: undefined,
      parallelism: Math.max(1, this.options.parallelism),
      maxParallelism: undefined,
      slotSharingGroup: undefined,
      chaining: "ALWAYS",
    };
  }
}
