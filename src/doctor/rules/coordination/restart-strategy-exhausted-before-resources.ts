import { finding, options, type Rule, strongest } from "../rule.ts";

const GAVE_UP = [
  { text: /Recovery is suppressed by (?!NoRestart)(\w+)\(?/u, confidence: 0.95 },
  { text: /Failed task restarting is suppressed by (?!NoRestart)/u, confidence: 0.95 },
];
const NO_SLOTS =
  /NoResourceAvailableException|Could not allocate|not fulfillable|minimum required resources|RecipientUnreachable|Pending slot request|no longer reachable/u;
const ARRIVED =
  /^(?:Received \d+ containers|Registering TaskManager with ResourceID|Registering TaskExecutor|Pod \S+ is created|Received new TaskManager pod|Received new container|Worker \S+ with resource spec .* was requested|Successful registration at resource manager)/u;

/** The attempts ran out before a replacement was there. */
export const restartStrategyExhaustedBeforeResources: Rule = {
  code: "restart-strategy-exhausted-before-resources",
  needs: ["logs"],
  examine(facts) {
    const best = strongest(facts, GAVE_UP);
    if (best === undefined || !NO_SLOTS.test(facts.textOf(best.match.statement.event)))
      return undefined;
    const at = best.match.statement.event.atMs;
    const later = facts.evidence.events.find(
      (event) => ARRIVED.test(event.message) && at !== undefined && (event.atMs ?? 0) > at,
    );
    const asked = facts.has(
      /Requesting new (?:TaskExecutor container|worker)|Creating new TaskManager pod/u,
    );
    const confidence = later !== undefined ? 0.94 : asked ? 0.78 : 0.55;
    const found = finding(
      facts,
      "restart-strategy-exhausted-before-resources",
      confidence,
      best.match,
      {},
      options(
        facts,
        ["slot.request.timeout", "5 min"],
        ["restart-strategy.type", "exponential-delay"],
        "restart-strategy.fixed-delay.attempts",
        "restart-strategy.fixed-delay.delay",
      ),
    );
    return later === undefined
      ? found
      : {
          ...found,
          evidence: [...found.evidence, { ...later.place, text: later.message.slice(0, 200) }],
        };
  },
};
