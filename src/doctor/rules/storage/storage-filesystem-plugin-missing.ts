import { type Rule, signature } from "../rule.ts";

/** Flink knows the scheme, but its plugin is not installed. */
export const storageFilesystemPluginMissing: Rule = signature({
  code: "storage-filesystem-plugin-missing",
  clues: [
    {
      text: /scheme '?"?(\w+)'?"?\.? The scheme is directly supported by Flink through the following plugin/u,
      confidence: 0.98,
    },
    { text: /directly supported by Flink through the following plugin/u, confidence: 0.98 },
    {
      text: /Could not find a file system implementation for scheme '?"?(s3|s3a|s3p|oss|gs|abfss?|wasbs?|swift|cos\w*|obs)'?"?/u,
      not: /Hadoop is not in the classpath/u,
      confidence: 0.88,
    },
  ],
  subjects: (match) => ({ scheme: /scheme '?"?(\w+)/u.exec(match.statement.text)?.[1] }),
});
