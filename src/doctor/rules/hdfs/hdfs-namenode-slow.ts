import { type Rule, signature } from "../rule.ts";

/** The NameNode is too slow to let a file be closed. */
export const hdfsNamenodeSlow: Rule = signature({
  code: "hdfs-namenode-slow",
  clues: [
    {
      text: /last block does not have enough number of replicas|Unable to close file because the last block/u,
      confidence: 0.96,
    },
    {
      text: /NotReplicatedYetException|Not replicated yet/u,
      roles: ["checkpoint", "task", "report"],
      confidence: 0.85,
    },
  ],
  remedies: [["dfs.client.block.write.locateFollowingBlock.retries", "10"]],
});
