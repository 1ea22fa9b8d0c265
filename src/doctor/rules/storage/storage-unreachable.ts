import { type Rule, signature } from "../rule.ts";

const STORAGE =
  /org\.apache\.hadoop\.|S3A|fs\.s3|com\.amazonaws\.services\.s3|software\.amazon\.awssdk|presto|Dfs|DFS|aliyun\.oss|azurebfs|gs\.|HadoopFileSystem|FsCheckpoint|FileSystem/u;
const NO_ANSWER =
  /Connection refused|ConnectException|NoRouteToHost|No route to host|UnknownHostException|connect timed out|Connect to .* (?:failed|timed out)|SocketTimeoutException|Read timed out|ConnectTimeoutException|Network is unreachable|Connection timed out|Temporary failure in name resolution|Name or service not known/u;

/** The storage's endpoint does not answer. */
export const storageUnreachable: Rule = signature({
  code: "storage-unreachable",
  clues: [
    {
      text: /Unable to execute HTTP request|SdkClientException|AmazonClientException/u,
      and: NO_ANSWER,
      not: /connection from pool/u,
      roles: ["checkpoint", "task", "job", "restore", "report", "trouble"],
      confidence: 0.93,
    },
    {
      text: /Call From \S+ to \S+ failed on (?:connection|socket timeout) exception|failed on connection exception/u,
      roles: ["checkpoint", "task", "job", "restore", "report", "trouble"],
      confidence: 0.93,
    },
    {
      text: NO_ANSWER,
      frame: STORAGE,
      not: /Connection unexpectedly closed|kafka|jdbc|mysql|elasticsearch|connection from pool/iu,
      roles: ["checkpoint", "job", "restore", "report"],
      confidence: 0.9,
    },
    {
      text: NO_ANSWER,
      and: /(?:hdfs|s3[ap]?|oss|gs|abfss?|wasbs?):\/\/|output stream for state backend|checkpoint storage/u,
      not: /connection from pool|kafka|jdbc/iu,
      roles: ["checkpoint", "job", "restore", "report"],
      confidence: 0.9,
    },
    {
      // As this project's own jobs say it: in these steps of a checkpoint only the storage is asked.
      text: /\b(?:ECONNREFUSED|ECONNRESET|ENOTFOUND|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|EAI_AGAIN)\b/u,
      and: /Asynchronous task checkpoint failed|Failure to finalize checkpoint|IO-problem detected/u,
      roles: ["checkpoint"],
      confidence: 0.9,
    },
    {
      text: /Stale file handle|Transport endpoint is not connected|Host is down|Input\/output error/u,
      roles: ["checkpoint", "task", "job", "restore", "report"],
      confidence: 0.82,
    },
  ],
  remedies: ["s3.endpoint", "execution.checkpointing.dir"],
});
