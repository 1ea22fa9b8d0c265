import { type Rule, signature } from "../rule.ts";

/** The key's hash differs between the sender and the receiver. */
export const nonDeterministicKey: Rule = signature({
  code: "non-deterministic-key",
  clues: [
    {
      text: /Key group \d+ is not in KeyGroupRange|non-deterministic shuffle key|[Kk]ey group index out of range of key group range/u,
      confidence: 0.97,
    },
  ],
});
