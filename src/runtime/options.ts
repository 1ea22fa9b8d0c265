import { type OptionTable, OptionTypes } from "../base/index.ts";

/** How tasks run. */
export interface RuntimeOptions {
  /** Milliseconds between periodic watermarks; 0: none. */
  readonly autoWatermarkIntervalMs: number;
  /** Whether each operator gets a copy of its code for itself. */
  readonly operatorIsolation: "own" | "shared";
}

export const RUNTIME_OPTIONS: OptionTable<RuntimeOptions> = {
  autoWatermarkIntervalMs: {
    key: "pipeline.auto-watermark-interval",
    deprecatedKeys: [],
    type: OptionTypes.duration(),
    initial: 200,
    description: "Time between periodic watermarks; 0 ms: no periodic watermarks.",
  },
  operatorIsolation: {
    key: "cutwater.operator-isolation",
    deprecatedKeys: [],
    type: OptionTypes.oneOf(["own", "shared"]),
    initial: "own",
    description:
      "own: each operator has a copy of its code, which keeps it fast when several jobs run in a process; shared: starts quicker.",
  },
};
