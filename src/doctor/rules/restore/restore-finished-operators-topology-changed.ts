import { type Rule, signature } from "../rule.ts";

/** Operators of which a part had finished were put into another chain. */
export const restoreFinishedOperatorsTopologyChanged: Rule = signature({
  code: "restore-finished-operators-topology-changed",
  clues: [
    {
      text: /mixed operator finished state|Can not restore vertex .*(?:finished|predecessor)|fully finished .*(?:predecessor|preceded|not (?:all )?finished)|illegal to change the (?:topology|DAG).*finished|is fully finished but (?:its|has)/iu,
      confidence: 0.96,
    },
  ],
});
