import { type Rule, signature } from "../rule.ts";

/** No DataNode takes the block. */
export const hdfsNoDatanodeAvailable: Rule = signature({
  code: "hdfs-no-datanode-available",
  clues: [
    {
      text: /could only be (?:replicated to 0 nodes|written to 0 of the \d+ minReplication nodes)|There are (?:0|no|\d+) datanode\(s\) running and|All datanodes .* are bad|Unable to create new block|no more good datanodes being available to try|Could not obtain block/u,
      confidence: 0.95,
    },
  ],
});
