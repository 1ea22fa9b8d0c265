import { type Rule, signature } from "../rule.ts";

/** A directory holds as many entries as HDFS allows. */
export const hdfsDirectoryItemLimit: Rule = signature({
  code: "hdfs-directory-item-limit",
  clues: [
    {
      text: /MaxDirectoryItemsExceededException|directory item limit of \S+ is exceeded/u,
      confidence: 0.98,
    },
  ],
  subjects: (match) => ({
    path: /item limit of (\S+) is exceeded/u.exec(match.statement.text)?.[1],
  }),
  remedies: [
    "execution.checkpointing.dir",
    "high-availability.storageDir",
    "dfs.namenode.fs-limits.max-directory-items",
  ],
});
