import { type Rule, signature } from "../rule.ts";

/** The JVM's metaspace is used up. */
export const metaspaceOom: Rule = signature({
  code: "metaspace-oom",
  clues: [
    {
      text: /OutOfMemoryError: (?:Metaspace|Compressed class space|PermGen space)|metaspace out-of-memory error/u,
      confidence: 0.97,
    },
  ],
  remedies: [["taskmanager.memory.jvm-metaspace.size", "512m"]],
});
