import { type Rule, signature } from "../rule.ts";

/** Something static outside the job keeps classes of a class loader that has gone. */
export const staleUserClassloader: Rule = signature({
  code: "stale-user-classloader",
  clues: [
    {
      text: /Trying to access closed classloader/u,
      roles: ["checkpoint", "task", "job", "restore", "report"],
      confidence: 0.93,
    },
    { text: /(?:class )?([\w.$]+) cannot be cast to (?:class )?\1\b/u, confidence: 0.95 },
    {
      text: /loader constraint violation|attempted {1,2}duplicate class definition/u,
      roles: ["checkpoint", "task", "report"],
      confidence: 0.85,
    },
    {
      text: /ClassNotFoundException|NoClassDefFoundError/u,
      and: /closed|ChildFirstClassLoader|SafetyNetWrapperClassLoader/u,
      frame: /\.(?:snapshotState|notifyCheckpointComplete)$/u,
      confidence: 0.85,
    },
  ],
  remedies: ["classloader.parent-first-patterns.additional"],
});
