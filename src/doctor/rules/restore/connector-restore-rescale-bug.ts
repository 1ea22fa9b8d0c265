import { type Rule, signature } from "../rule.ts";

const RESTORE =
  /\.(?:restoreWriter|restoreEnumerator|restoreReader|restoreCommitter|createWriter|recoverWriter|initializeState|restore|addSplits|recover)$/u;

/** A connector cannot start a subtask that received no state. */
export const connectorRestoreRescaleBug: Rule = signature({
  code: "connector-restore-rescale-bug",
  clues: [
    {
      text: /IndexOutOfBounds|NoSuchElementException|ArrayIndexOutOfBounds|Index: 0, Size: 0|Collection is empty|No value present/u,
      frame: RESTORE,
      noFrame: /kryo|Serializer\.deserialize|BackendRestorer|KeyedStateBackend|RocksDB/u,
      roles: ["restore", "task", "job", "report"],
      confidence: 0.93,
    },
    {
      text: /NullPointerException|IllegalArgumentException|IllegalStateException/u,
      frame: /\.(?:restoreWriter|restoreEnumerator|restoreCommitter)$/u,
      roles: ["restore", "task", "job", "report"],
      confidence: 0.84,
    },
  ],
  judge(confidence, facts, match) {
    const restoring =
      /INITIALIZING to FAILED|RUNNING to FAILED|DEPLOYING to FAILED|^$/u.test(
        match.statement.event.message,
      ) || match.statement.role !== "checkpoint";
    void facts;
    return restoring ? confidence : confidence * 0.7;
  },
});
