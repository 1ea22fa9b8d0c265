import { type Rule, signature } from "../rule.ts";

/** The clocks of two machines disagree. */
export const clockSkew: Rule = signature({
  code: "clock-skew",
  clues: [
    {
      text: /RequestTimeTooSkewed|difference between the request time and the current time is too large|Clock skew too great|clock skew|RequestExpired|Signature (?:expired|not yet current)|System clock (?:has )?(?:jumped|moved)|[Cc]lock (?:moved|jumped|went) backwards/u,
      confidence: 0.97,
    },
  ],
});
