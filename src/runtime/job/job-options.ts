import { type Configuration, resolveOptions, StreamError } from "../../base/index.ts";
import {
  CHECKPOINTING_OPTIONS,
  type CheckpointingOptions,
  checkpointingProblem,
  RECOVERY_OPTIONS,
  type RecoveryOptions,
  RESTART_STRATEGY_OPTIONS,
  type RestartStrategy,
  restartStrategyOf,
} from "../../checkpoint/index.ts";
import { RUNTIME_OPTIONS, type RuntimeOptions } from "../options.ts";

/** Everything that configuration says about how a job runs. */
export interface JobOptions {
  readonly checkpointing: CheckpointingOptions;
  readonly recovery: RecoveryOptions;
  readonly restart: RestartStrategy;
  readonly runtime: RuntimeOptions;
}

/**
 * Reads a job's options.
 *
 * @throws StreamError OPTION_VALUE_INVALID naming key, value and place; OPTIONS_CONTRADICT if they do not go together.
 */
export function jobOptions(configuration: Configuration): JobOptions {
  const checkpointing = resolveOptions(CHECKPOINTING_OPTIONS, configuration).values;
  const problem = checkpointingProblem(checkpointing);
  if (problem !== undefined) throw new StreamError("OPTIONS_CONTRADICT", { problem });
  return {
    checkpointing,
    recovery: resolveOptions(RECOVERY_OPTIONS, configuration).values,
    restart: restartStrategyOf(resolveOptions(RESTART_STRATEGY_OPTIONS, configuration).values, {
      isEnabled: checkpointing.intervalMs !== undefined,
    }),
    runtime: resolveOptions(RUNTIME_OPTIONS, configuration).values,
  };
}
