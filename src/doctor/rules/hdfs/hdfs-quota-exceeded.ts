import { type Rule, signature } from "../rule.ts";

/** The directory's quota is used up. */
export const hdfsQuotaExceeded: Rule = signature({
  code: "hdfs-quota-exceeded",
  clues: [
    {
      text: /(?:DS|NS|QuotaBy\w+)QuotaExceededException|DSQuotaExceeded|NSQuotaExceeded|The (?:NameSpace|DiskSpace|namespace|diskspace) quota (?:\(\w+ quota\) )?of .* is exceeded/u,
      confidence: 0.97,
    },
  ],
  remedies: ["execution.checkpointing.num-retained", "execution.checkpointing.incremental"],
});
