import { type Rule, signature } from "../rule.ts";

/** The object store asks for fewer requests. */
export const s3Throttled: Rule = signature({
  code: "s3-throttled",
  clues: [
    {
      text: /\bSlowDown\b|[Pp]lease reduce your request rate|Status Code: 503|AWSServiceIOException.*Throttl|Too Many Requests|\bTooManyRequests\b|ServerBusy|Rate exceeded|RequestLimitExceeded|rate limit exceeded/u,
      not: /kinesis|dynamodb|kafka|elasticsearch|opensearch|bulk request|doris|starrocks/iu,
      confidence: 0.94,
    },
    {
      text: /503 Service Unavailable/u,
      and: /s3|amazon|oss|storage/iu,
      not: /bulk|elasticsearch|snapshotState/iu,
      confidence: 0.85,
    },
  ],
  remedies: [
    ["s3.entropy.key", "_entropy_"],
    ["s3.entropy.length", "4"],
    ["execution.checkpointing.data-inline-threshold", undefined],
  ],
});
