import { type Rule, signature } from "../rule.ts";

/** The address names one NameNode, and that one is on standby. */
export const hdfsNamenodeStandby: Rule = signature({
  code: "hdfs-namenode-standby",
  clues: [
    {
      text: /StandbyException|Operation category \w+ is not supported in state standby/u,
      roles: ["checkpoint", "task", "job", "restore", "report"],
      confidence: 0.96,
    },
    {
      text: /StandbyException|Operation category \w+ is not supported in state standby/u,
      roles: ["trouble"],
      confidence: 0.75,
    },
  ],
  remedies: ["execution.checkpointing.dir"],
});
