import { type Rule, signature } from "../rule.ts";

/** A Hadoop scheme without Hadoop's classes. */
export const storageHadoopNotOnClasspath: Rule = signature({
  code: "storage-hadoop-not-on-classpath",
  clues: [
    {
      text: /Hadoop is not in the classpath|Cannot support file system for '\w+' via Hadoop|Hadoop File System abstraction does not support scheme/u,
      not: /following plugin/u,
      roles: ["checkpoint", "task", "job", "restore", "report", "trouble"],
      confidence: 0.97,
    },
    {
      text: /(?:NoClassDefFoundError|ClassNotFoundException): "?org[/.]apache[/.]hadoop/u,
      roles: ["checkpoint", "task", "job", "restore", "report"],
      frame: /FileSystem|hdfs|Hdfs|Hadoop/u,
      confidence: 0.88,
    },
    {
      text: /No FileSystem for scheme:? "?(?:hdfs|viewfs)/u,
      roles: ["checkpoint", "task", "job", "restore", "report"],
      confidence: 0.8,
    },
  ],
});
