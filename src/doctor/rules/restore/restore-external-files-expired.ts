import { type Rule, signature } from "../rule.ts";

/** Files outside Flink's directory, to which the state refers, are gone. */
export const restoreExternalFilesExpired: Rule = signature({
  code: "restore-external-files-expired",
  clues: [
    {
      text: /some files in the snapshot that need to be resubmitted have been deleted/u,
      confidence: 0.97,
    },
    {
      text: /NotFoundException|FileNotFoundException|does not exist|NoSuchKey/u,
      frame:
        /iceberg.*(?:initializeState|readCompletedFiles|ManifestUtil|FilesCommitter|Committer)|paimon.*(?:recover|restore|Committable)|hudi.*(?:restore|initializeState)|delta.*(?:restore|Committer)/u,
      roles: ["task", "restore", "report", "job"],
      confidence: 0.94,
    },
    {
      text: /NoSuchUpload|[Tt]he specified (?:multipart )?upload does not exist/u,
      confidence: 0.93,
    },
    {
      text: /(?:FileNotFoundException|does not exist|Missing data in tmp file|No such file)/u,
      and: /\.inprogress|_tmp_|in-progress|\.pending|BucketWriter|resumable/u,
      roles: ["task", "restore", "report", "job", "checkpoint"],
      confidence: 0.9,
    },
    {
      text: /[Ss]napshot (?:with id )?\d+ (?:of table \S+ )?(?:does not exist|has expired|is expired|has been expired)|the snapshot with id \d+ does not exist|may have been (?:expired|deleted)/u,
      and: /paimon|iceberg|hudi|delta|snapshot/u,
      confidence: 0.88,
    },
  ],
  remedies: ["snapshot.time-retained", "snapshot.num-retained.min"],
});
