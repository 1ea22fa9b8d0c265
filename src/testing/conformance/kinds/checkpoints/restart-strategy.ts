import {
  decideRestart,
  NO_RESTARTS,
  noteFailure,
  type RestartHistory,
  type RestartStrategy,
} from "../../../../checkpoint/index.ts";
import { compareListed } from "../../compare-listed.ts";
import type { Fields } from "../../fields.ts";
import { ScenarioFault } from "../../scenario.ts";
import type { ScenarioInstance, ScenarioKind } from "../../scenario-kind.ts";

const UNLIMITED = 2_147_483_647;

/** Whether the job may restart, after how long, and whether the last failure began a new attempt. */
export const restartStrategyKind: ScenarioKind = {
  kind: "restart-strategy",
  start(config: Fields): ScenarioInstance {
    const strategy = toStrategy(config);
    let history: RestartHistory = NO_RESTARTS;
    let nowMs = 0;
    let newAttempt = false;
    return {
      act(step) {
        if (step.has("advanceMs")) nowMs += step.number("advanceMs");
        else if (step.boolean("failure")) {
          ({ history, isNewAttempt: newAttempt } = noteFailure(strategy, history, nowMs, 0.5));
        }
      },
      check(_name, expected) {
        const { kind, backoffMs } = decideRestart(strategy, history, nowMs);
        return compareListed(expected, { canRestart: kind === "restart", backoffMs, newAttempt });
      },
    };
  },
};

function toStrategy(config: Fields): RestartStrategy {
  const type = config.text("type");
  switch (type) {
    case "none":
      return { type };
    case "fixed-delay":
      return { type, attempts: config.number("attempts"), delayMs: config.number("delayMs", 0) };
    case "failure-rate":
      return {
        type,
        maxFailuresPerInterval: config.number("maxFailuresPerInterval"),
        intervalMs: config.number("intervalMs"),
        delayMs: config.number("delayMs", 0),
      };
    case "exponential-delay":
      return {
        type,
        initialBackoffMs: config.number("initialBackoffMs"),
        maxBackoffMs: config.number("maxBackoffMs"),
        backoffMultiplier: config.number("backoffMultiplier"),
        resetBackoffThresholdMs: config.number("resetBackoffThresholdMs"),
        jitterFactor: config.number("jitterFactor", 0),
        attemptsBeforeReset: config.number("attemptsBeforeReset", UNLIMITED),
      };
    default:
      throw new ScenarioFault(`The restart strategy ${type} is not known to this runner`);
  }
}
