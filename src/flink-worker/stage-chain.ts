import { type Logger, type Platform, present } from "../base/index.ts";
import {
  type OneInputOperator,
  type Operator,
  type OperatorContext,
  OperatorMeters,
  type Output,
} from "../operators/index.ts";
import type { Hello } from "../stage/index.ts";
import {
  heapKeyedStateBackend,
  type KeyedStateBackend,
  type ManualProcessingTime,
  OperatorStateBackend,
} from "../state/index.ts";
import type { StageOutputs } from "./stage-output.ts";
import type { StageOperator, StageProgram } from "./stage-program.ts";

/** One operator of a stage, with its state. */
export interface StageLink {
  readonly id: string;
  readonly operator: Operator;
  readonly keyed: KeyedStateBackend | undefined;
  readonly operatorState: OperatorStateBackend;
  readonly metrics: OperatorMeters;
}

/** State of one operator, before the operator is made. */
export type StageState = Pick<StageLink, "keyed" | "operatorState">;

/** What the operators of a stage share. */
export interface StageSurroundings {
  readonly hello: Hello;
  readonly clock: ManualProcessingTime;
  readonly platform: Platform;
  readonly log: Logger;
  readonly outputs: StageOutputs;
  readonly execute: (action: () => void) => void;
  readonly fail: (error: unknown) => void;
}

/** The state of each operator, empty. */
export function makeStates(
  program: StageProgram,
  { hello, clock }: Pick<StageSurroundings, "hello" | "clock">,
): readonly StageState[] {
  return program.operators.map(({ name }, index) => {
    const ownerName = `${name} (${hello.subtaskIndex + 1}/${hello.parallelism})`;
    const operatorState = new OperatorStateBackend(ownerName);
    const { keyType } = program;
    if (index > 0 || keyType === undefined) return { keyed: undefined, operatorState };
    const keyed = heapKeyedStateBackend.create(undefined, {
      keyType,
      maxParallelism: hello.maxParallelism,
      keyGroupRange: hello.keyGroupRange,
      processingTime: clock,
      ownerName,
    });
    return { keyed, operatorState };
  });
}

/** Makes the operators and joins them, tail first. @returns Them, head first. */
export function makeChain(
  program: StageProgram,
  states: readonly StageState[],
  surroundings: StageSurroundings,
): readonly StageLink[] {
  const links: StageLink[] = [];
  let output: Output<unknown> = surroundings.outputs.main();
  for (let index = program.operators.length - 1; index >= 0; index--) {
    const spec = present(program.operators[index], "the operator exists");
    const state = present(states[index], "each operator has its state");
    const metrics = new OperatorMeters();
    const context = contextOf(spec, state, metrics, surroundings);
    const operator = spec.factory.create(undefined, { context, output });
    links.unshift({ id: spec.id, operator, metrics, ...state });
    // Only operators with one input are chained.
    output = operator as OneInputOperator<unknown>;
  }
  return links;
}

function contextOf(
  { id, name }: StageOperator,
  { keyed, operatorState }: StageState,
  metrics: OperatorMeters,
  { hello, clock, platform, log, outputs, execute, fail }: StageSurroundings,
): OperatorContext {
  return {
    jobName: hello.jobName,
    jobId: hello.jobId,
    operatorName: name,
    operatorId: id,
    subtaskIndex: hello.subtaskIndex,
    parallelism: hello.parallelism,
    maxParallelism: hello.maxParallelism,
    attempt: hello.attempt,
    log,
    metrics,
    processingTime: clock,
    platform,
    files: platform.files,
    keyed,
    operatorState,
    isRestored: hello.restoredCheckpointId !== null,
    restoredCheckpointId: hello.restoredCheckpointId ?? undefined,
    isCheckpointed: hello.isCheckpointed,
    autoWatermarkIntervalMs: hello.autoWatermarkIntervalMs,
    sideOutput: (tag) => outputs.side(tag.id),
    execute,
    fail,
  };
}
