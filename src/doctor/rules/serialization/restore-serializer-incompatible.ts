import { type Rule, signature } from "../rule.ts";

/** The new serializer cannot read the state that is stored. */
export const restoreSerializerIncompatible: Rule = signature({
  code: "restore-serializer-incompatible",
  clues: [
    { text: /StateMigrationException/u, confidence: 0.96 },
    {
      text: /(?:new|current) (?:state |key |namespace )?(?:type)?[sS]erializer\b.* must (?:not )?be (?:in)?compatible|[sS]erializer .* (?:is|are) incompatible|cannot be (?:used to )?(?:restore|read) .* because (?:the )?(?:new )?serializer/u,
      confidence: 0.95,
    },
    {
      text: /InvalidClassException.*(?:serialVersionUID|local class incompatible)/u,
      roles: ["restore", "report", "task"],
      confidence: 0.85,
    },
    {
      text: /Unable to restore (?:the )?(?:previous )?serializer|UnloadableDummyTypeSerializer|Cannot find class .* previously registered|Could not find .*class.*for restoring/u,
      roles: ["restore", "report", "task"],
      confidence: 0.85,
    },
  ],
});
