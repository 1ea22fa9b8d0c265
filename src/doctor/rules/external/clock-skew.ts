import type { Facts } from "../../analysis/facts.ts";
import { finding, line, measured, type Rule, strongest } from "../rule.ts";

const SAID = [
  {
    text: /RequestTimeTooSkewed|difference between the request time and the current time is too large|Clock skew too great|clock skew|RequestExpired|Signature (?:expired|not yet current)|System clock (?:has )?(?:jumped|moved)|[Cc]lock (?:moved|jumped|went) backwards/u,
    confidence: 0.97,
  },
];

/** Triggers carry epoch time and the record local time: their distance is the time zone, and does not change. */
const JUMP_MS = 30_000;

/** The clocks of two machines disagree, or one clock jumps. */
export const clockSkew: Rule = {
  code: "clock-skew",
  needs: ["logs"],
  examine(facts) {
    const said = strongest(facts, SAID);
    if (said !== undefined)
      return finding(facts, "clock-skew", said.confidence, said.match, {}, []);
    const jump = clockJump(facts);
    if (jump === undefined || facts.failedCheckpoints.length === 0) return undefined;
    return measured("clock-skew", 0.8, [line(jump.place, jump.text)], {}, []);
  },
};

/** A trigger at which the distance of the two times differs from the one before. */
function clockJump(
  facts: Facts,
): { place: { file: string; line: number }; text: string } | undefined {
  let last: number | undefined;
  for (const event of facts.evidence.events) {
    const trigger = /^Triggering checkpoint \d+ .*@ (\d{13}) for job/u.exec(event.message);
    if (trigger === null || event.atMs === undefined) continue;
    const distance = event.atMs - Number(trigger[1]);
    const whole = Math.abs(distance) < 15 * 3_600_000;
    if (!whole) return undefined;
    // Summer time moves the distance by whole quarters of an hour.
    const shift = last === undefined ? 0 : Math.abs(distance - last) % 900_000;
    if (Math.min(shift, 900_000 - shift) > JUMP_MS)
      return { place: event.place, text: event.message };
    last = distance;
  }
  return undefined;
}
