import { importModuleInstance, present } from "../../base/index.ts";
import type { ChainedOperator, JobVertex } from "../../graph/index.ts";
import {
  type OneInputOperator,
  type Operator,
  type OperatorFactory,
  OperatorMeters,
  type Output,
  type OutputTag,
} from "../../operators/index.ts";
import {
  type KeyedStateBackend,
  type OperatorStateBackend,
  portableOperatorState,
} from "../../state/index.ts";
import type { FanOutModule } from "../exchange/fan-out.ts";
import * as sharedFanOut from "../exchange/fan-out.ts";
import type { RecordOutput } from "../exchange/record-output.ts";
import { SideCounts } from "./side-counts.ts";
import { type TaskFacts, TaskOperatorContext } from "./task-operator-context.ts";

/**
 * Whether each operator gets a copy of its code for itself.
 *
 * @remarks
 * `own` is three to eight times faster once several pipelines have run in the process; `shared` saves the imports, which
 * simulations and tests want.
 */
export type Isolation = "own" | "shared";

/** An edge that leaves the task. */
export interface ChainEdge {
  readonly sourceOperator: number;
  readonly tag: OutputTag<unknown> | undefined;
  readonly output: RecordOutput;
  /** Whether a barrier may overtake records on it. */
  readonly supportsUnaligned: boolean;
}

/** One operator in its task. */
export interface ChainLink {
  readonly spec: ChainedOperator;
  readonly operator: Operator;
  readonly context: TaskOperatorContext;
  /** What it has emitted to side outputs. */
  readonly sides: SideCounts;
  readonly keyed: KeyedStateBackend | undefined;
  readonly operatorState: OperatorStateBackend;
}

/** What the state of one operator is made of, before the operator itself is. */
export interface LinkState {
  readonly keyed: KeyedStateBackend | undefined;
  readonly operatorState: OperatorStateBackend;
}

export interface ChainParameters {
  readonly facts: TaskFacts;
  readonly vertex: JobVertex;
  readonly isolation: Isolation;
  readonly edges: readonly ChainEdge[];
  /** State by operator, in the order of the vertex. */
  readonly states: readonly LinkState[];
  /** The factory of each operator, in the order of the vertex: a source's is made by the task. */
  readonly factories: readonly OperatorFactory[];
  readonly execute: (action: () => void) => void;
  readonly fail: (error: unknown) => void;
}

/** The key under which a task's module instances are kept: the same job run again gets the same instances. */
export function instanceKey(facts: TaskFacts, operatorId: string, part = ""): string {
  return `${facts.jobName}/${operatorId}${part}`;
}

/** How errors of its state name an operator's subtask. */
export function ownerNameOf(facts: TaskFacts, { name }: ChainedOperator): string {
  return `${name} (${facts.subtaskIndex + 1}/${facts.parallelism})`;
}

/** Makes the operators of a chain and joins them, tail first. @returns Them, head first. */
export async function buildChain(parameters: ChainParameters): Promise<readonly ChainLink[]> {
  const { vertex, factories } = parameters;
  const own = await Promise.all(
    factories.map((factory, index) => ownModule(parameters, factory, index)),
  );
  const fanOuts = await Promise.all(
    vertex.operators.map((_, index) => fanOutModule(parameters, index)),
  );

  const links: (ChainLink | undefined)[] = vertex.operators.map(() => undefined);
  for (let index = vertex.operators.length - 1; index >= 0; index--) {
    links[index] = makeLink(
      parameters,
      links,
      index,
      own[index],
      present(fanOuts[index], "one per operator"),
    );
  }
  return links.map((link) => present(link, "every operator of the chain is made"));
}

function makeLink(
  parameters: ChainParameters,
  links: readonly (ChainLink | undefined)[],
  index: number,
  own: unknown,
  fanOut: FanOutModule,
): ChainLink {
  const { facts, vertex, states, factories } = parameters;
  const spec = present(vertex.operators[index], "the operator exists");
  const state = present(states[index], "every operator has its state");
  const targets = targetsOf(parameters, links, index);
  const metrics = new OperatorMeters((text) => facts.log.log("WARN", `${spec.name}: ${text}`));
  if (spec.chainedTo !== undefined) {
    const { chainedTo, chainedTag } = spec;
    metrics.takesFrom(() => emittedBy(links[chainedTo], chainedTag));
  }
  const sides = new SideCounts();
  const context = new TaskOperatorContext(facts, {
    operatorName: spec.name,
    operatorId: spec.id,
    metrics,
    keyed: state.keyed,
    operatorState: facts.isPortable
      ? portableOperatorState(state.operatorState, ownerNameOf(facts, spec))
      : state.operatorState,
    sideOutput: (tag) => sides.counted(tag, () => sideOutputOf(targets, tag, fanOut)),
    execute: parameters.execute,
    fail: parameters.fail,
  });
  const factory = present(factories[index], "every operator has a factory");
  const operator = factory.create(own, { context, output: mainOutputOf(targets, fanOut) });
  return { spec, operator, context, sides, ...state };
}

/** How many records an operator has emitted: the main ones, or those of a side output. */
export function emittedBy(
  link: ChainLink | undefined,
  tag: OutputTag<unknown> | undefined,
): number {
  if (link === undefined) return 0;
  return tag === undefined ? link.context.metrics.emittedCount : link.sides.countOf(tag);
}

interface Target {
  readonly tag: OutputTag<unknown> | undefined;
  readonly output: Output<unknown>;
}

/** Whoever takes what this operator emits: operators chained to it, then edges, each in the order of the graph. */
function targetsOf(
  { vertex, edges }: ChainParameters,
  links: readonly (ChainLink | undefined)[],
  index: number,
): readonly Target[] {
  const chained = vertex.operators.flatMap((operator, at): readonly Target[] => {
    if (operator.chainedTo !== index) return [];
    const link = present(links[at], "the operators downstream are made first");
    // Only operators with one input are chained.
    return [{ tag: operator.chainedTag, output: link.operator as OneInputOperator<unknown> }];
  });
  return [...chained, ...edges.filter((edge) => edge.sourceOperator === index)];
}

function mainOutputOf(targets: readonly Target[], fanOut: FanOutModule): Output<unknown> {
  const main = targets.filter(({ tag }) => tag === undefined).map(({ output }) => output);
  const only = main[0];
  if (only !== undefined && targets.length === 1) return only;
  if (targets.length === 0) return NOWHERE;
  return fanOut.createFanOut(
    main,
    targets.map(({ output }) => output),
  );
}

function sideOutputOf(
  targets: readonly Target[],
  tag: OutputTag<unknown>,
  fanOut: FanOutModule,
): Output<unknown> {
  const takers = targets.filter((target) => target.tag?.id === tag.id).map(({ output }) => output);
  const only = takers[0];
  if (only === undefined) return NOWHERE;
  return takers.length === 1 ? only : fanOut.createFanOut(takers, takers);
}

/** Takes what nobody reads. */
const NOWHERE: Output<unknown> = {
  processElement() {},
  processWatermark() {},
  processWatermarkStatus() {},
};

async function ownModule(
  { facts, vertex, isolation }: ChainParameters,
  factory: OperatorFactory,
  index: number,
): Promise<unknown> {
  if (isolation === "shared") return undefined;
  const spec = present(vertex.operators[index], "the operator exists");
  return importModuleInstance(factory.moduleUrl, instanceKey(facts, spec.id));
}

async function fanOutModule(
  { facts, vertex, isolation, edges }: ChainParameters,
  index: number,
): Promise<FanOutModule> {
  const takers =
    vertex.operators.filter(({ chainedTo }) => chainedTo === index).length +
    edges.filter(({ sourceOperator }) => sourceOperator === index).length;
  const spec = present(vertex.operators[index], "the operator exists");
  if (isolation === "shared" || takers < 2) return sharedFanOut;
  return importModuleInstance(sharedFanOut.moduleUrl, instanceKey(facts, spec.id, "/fan-out"));
}
