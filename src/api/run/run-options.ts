import { type OptionDefinition, type OptionTable, OptionTypes } from "../../base/index.ts";
import {
  CHECKPOINTING_OPTIONS,
  RECOVERY_OPTIONS,
  RESTART_STRATEGY_OPTIONS,
} from "../../checkpoint/index.ts";
import { GRAPH_OPTIONS } from "../../graph/index.ts";
import { RUNTIME_OPTIONS } from "../../runtime/index.ts";
import { SERVER_OPTIONS } from "./server-options.ts";

/** What a run has beyond the job itself. */
export interface RunOptions {
  /** How long a job that is told to stop may take for its last checkpoint, in milliseconds. */
  readonly shutdownTimeoutMs: number;
}

export const RUN_OPTIONS: OptionTable<RunOptions> = {
  shutdownTimeoutMs: {
    key: "cutwater.shutdown-timeout",
    deprecatedKeys: [],
    type: OptionTypes.duration(),
    initial: 30_000,
    description:
      "How long a job that is told to stop (Ctrl-C, SIGTERM) may take for a last checkpoint before it stops without.",
  },
};

/** One table of options under its heading in the reference. */
export interface OptionGroup {
  readonly title: string;
  readonly table: { readonly [field: string]: OptionDefinition<unknown> };
}

/** All options that a run reads. */
export const OPTION_GROUPS: readonly OptionGroup[] = [
  { title: "The job's shape", table: GRAPH_OPTIONS },
  { title: "Checkpoints", table: CHECKPOINTING_OPTIONS },
  { title: "The start of a job", table: RECOVERY_OPTIONS },
  { title: "Restarts after a failure", table: RESTART_STRATEGY_OPTIONS },
  { title: "Tasks", table: RUNTIME_OPTIONS },
  { title: "The run", table: RUN_OPTIONS },
  { title: "The server", table: SERVER_OPTIONS },
];
