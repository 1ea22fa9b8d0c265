import { alignmentRemedies } from "./alignment-remedies.ts";
import { line, measured, type Rule } from "../rule.ts";
import { expiryOf } from "../../analysis/expiry.ts";

/** One subtask gets most of the data. */
export const backpressureDataSkew: Rule = {
  code: "backpressure-data-skew",
  needs: ["rest"],
  examine(facts) {
    const expiry = expiryOf(facts);
    const found = expiry.bottleneck;
    if (found?.skewedTo === undefined || !expiry.expired) return undefined;
    return measured(
      "backpressure-data-skew",
      0.92,
      [
        line(
          found.place,
          `subtask ${found.skewedTo} of ${found.name} is busy ${Math.round(found.busy * 100)} %, its siblings are not`,
          `${found.name} 的子任务 ${found.skewedTo} 繁忙 ${Math.round(found.busy * 100)} %，其余子任务空闲`,
        ),
      ],
      { operator: found.name, subtask: found.skewedTo },
      alignmentRemedies(facts),
    );
  },
};
