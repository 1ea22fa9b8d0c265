import { type Rule, signature } from "../rule.ts";

/** The NameNode accepts no writes. */
export const hdfsSafeMode: Rule = signature({
  code: "hdfs-safe-mode",
  clues: [{ text: /SafeModeException|Name ?node is in safe ?mode/iu, confidence: 0.97 }],
});
