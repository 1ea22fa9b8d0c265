import { type Rule, signature } from "../rule.ts";

/** A connector hands work to a background executor that has ended. */
export const sinkAsyncServiceTerminated: Rule = signature({
  code: "sink-async-service-terminated",
  clues: [
    {
      text: /RejectedExecutionException/u,
      frame:
        /\.(?:snapshotState|prepareSnapshotPreBarrier|notifyCheckpointComplete|checkpointCoordinator|flush|prepareCommit|preCommit|commit)$|hudi|NonThrownExecutor/u,
      noFrame:
        /CheckpointCoordinator\.(?:triggerCheckpoint|scheduleTrigger\w*)|RpcEndpoint|SourceCoordinator\.(?:runInEventLoop|close)/u,
      confidence: 0.93,
    },
    {
      text: /(?:[Ee]xecutor|service|thread pool|ThreadPool) (?:has been |is |was )?(?:already )?(?:shut ?down|terminated|closed|stopped)/u,
      frame:
        /\.(?:snapshotState|prepareSnapshotPreBarrier|notifyCheckpointComplete|flush|prepareCommit)$/u,
      confidence: 0.9,
    },
    {
      text: /async (?:clean|compact|cluster)\w* service (?:has been |is )?(?:shut ?down|terminated|not running|stopped)/iu,
      confidence: 0.85,
    },
  ],
});
