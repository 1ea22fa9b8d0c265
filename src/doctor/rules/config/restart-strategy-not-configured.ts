import { type Rule, signature } from "../rule.ts";

/** Nothing restarts the job, although checkpoints are there. */
export const restartStrategyNotConfigured: Rule = signature({
  code: "restart-strategy-not-configured",
  clues: [
    {
      text: /NoRestartBackoffTimeStrategy|NoRestartStrategy|restart strategy prevented it/u,
      confidence: 0.62,
    },
  ],
  remedies: [["restart-strategy.type", "exponential-delay"]],
});
