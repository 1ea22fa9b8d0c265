import { type Rule, signature } from "../rule.ts";

/** The order of Kryo's registrations changed since the state was written. */
export const kryoUnregisteredClass: Rule = signature({
  code: "kryo-unregistered-class",
  clues: [{ text: /Encountered unregistered class ID/u, confidence: 0.96 }],
});
