import type { CauseCode } from "../../cause-codes.ts";
import type { Article } from "../article.ts";

type Covered = Extract<
  CauseCode,
  | "kafka-transaction-coordinator-unavailable"
  | "sink-transaction-lost-at-restore"
  | "sink-lingering-transaction"
  | "sink-commit-conflict"
  | "duplicate-transactional-id-prefix"
  | "restore-operator-missing"
  | "restore-operator-ids-unstable"
  | "restore-operator-uid-changed"
  | "restore-max-parallelism-changed"
  | "restore-parallelism-above-max"
  | "restore-metadata-missing"
  | "restore-metadata-deleted-on-cancel"
  | "restore-metadata-corrupt"
  | "restore-metadata-truncated"
  | "restore-state-file-missing"
  | "restore-sst-missing"
  | "restore-external-files-expired"
  | "operator-state-growth-uid-reuse"
  | "unaligned-restore-bug"
  | "sink-table-metadata-conflict"
  | "cdc-restored-offset-incomplete"
  | "connector-restore-rescale-bug"
  | "restore-finished-operators-topology-changed"
  | "claim-native-savepoint-relative-path"
  | "restore-path-not-applied"
  | "checkpointing-not-enabled"
  | "checkpoint-path-shared-by-jobs"
  | "state-inlined-in-metadata"
  | "restart-strategy-not-configured"
  | "jvm-module-access-denied"
  | "kafka-producer-delivery-failed"
  | "source-position-purged"
  | "min-pause-limits-frequency"
  | "checkpoint-interval-shorter-than-duration"
  | "clock-skew"
  | "user-exception"
  | "benign-log-noise"
  | "healthy"
  | "undetermined"
>;

/** Articles, part 3 of 3, in English. */
export const ARTICLES_EN_3: Readonly<Record<Covered, Article>> = {
  "kafka-transaction-coordinator-unavailable": {
    title: "Kafka's transaction coordinator does not answer",
    why: "The brokers cannot serve the log of transactions.",
    fix: "Bring the brokers back; check replicas and minimum in-sync replicas of that log.",
  },
  "sink-transaction-lost-at-restore": {
    title: "A prepared transaction is gone",
    why: "The checkpoint holds a transaction that the sink no longer has, so its data cannot be committed.",
    fix: "Keep transactions longer than any downtime; accept the gap once and load it again.",
  },
  "sink-lingering-transaction": {
    title: "An old transaction blocks the label",
    why: "The transaction of the attempt before was never aborted, and its label cannot be used again.",
    fix: "Abort it by hand; upgrade the connector.",
  },
  "sink-commit-conflict": {
    title: "The table changed under the committer",
    why: "Another writer, or a table newer than the restored state, conflicts with the commit.",
    fix: "One writer that compacts; restore the newest checkpoint.",
  },
  "duplicate-transactional-id-prefix": {
    title: "Two jobs share a prefix of transactional ids",
    why: "They fence each other's producers.",
    fix: "Give each job a prefix of its own.",
  },
  "restore-operator-missing": {
    title: "The program has no operator for stored state",
    why: "State is stored under an operator id that the new program does not have.",
    fix: "Put the operator back, or allow its state to be dropped.",
  },
  "restore-operator-ids-unstable": {
    title: "Operator ids moved",
    why: "Ids are derived from the program's shape, since uid() is not set; a change of the program moved them.",
    fix: "Set uid() on every stateful operator. Do not skip the state.",
  },
  "restore-operator-uid-changed": {
    title: "An operator's uid was renamed",
    why: "The operator is still there under another uid, so its state does not find it.",
    fix: "Use the old uid again.",
  },
  "restore-max-parallelism-changed": {
    title: "The maximum parallelism differs from the stored one",
    why: "The number of key groups is fixed with the state.",
    fix: "Use the stored value, or leave it unset.",
  },
  "restore-parallelism-above-max": {
    title: "Parallelism above the stored maximum",
    why: "There are fewer key groups than subtasks.",
    fix: "Lower the parallelism; the State Processor API can rewrite the state.",
  },
  "restore-metadata-missing": {
    title: "The checkpoint has no _metadata",
    why: "It never completed, or this is not its path.",
    fix: "Take a checkpoint that the log says completed.",
  },
  "restore-metadata-deleted-on-cancel": {
    title: "The checkpoint was deleted when the job was cancelled",
    why: "The retention policy removes checkpoints on cancellation.",
    fix: "Retain on cancellation, or take a savepoint first.",
  },
  "restore-metadata-corrupt": {
    title: "_metadata cannot be read",
    why: "The file is there, and its content is damaged or of another kind.",
    fix: "Restore an older checkpoint, or the file from a copy.",
  },
  "restore-metadata-truncated": {
    title: "_metadata ends early",
    why: "The file was written or copied only in part.",
    fix: "Restore an older checkpoint, or copy the file again.",
  },
  "restore-state-file-missing": {
    title: "A state file is gone",
    why: "_metadata names a file that is not there any more.",
    fix: "Restore an older checkpoint; find out what deletes there.",
  },
  "restore-sst-missing": {
    title: "A shared file of incremental checkpoints is gone",
    why: "A file under shared/ was deleted, and every checkpoint that builds on it is lost.",
    fix: "Never clean shared/ by hand or by lifecycle rules; restore one that does not need it.",
  },
  "restore-external-files-expired": {
    title: "Files that the state refers to are gone",
    why: "The state names files of a table or a pending upload that another process has cleaned up.",
    fix: "Restore a newer checkpoint; keep such files longer than any state.",
  },
  "operator-state-growth-uid-reuse": {
    title: "Operator state grows without end",
    why: "A new source took over the uid of another one, and the old state is carried and multiplied in each checkpoint.",
    fix: "A new uid for the new source, and skip the old state once.",
  },
  "unaligned-restore-bug": {
    title: "In-flight data cannot be restored",
    why: "Flink fails at restoring the data in flight of an unaligned checkpoint (FLINK-38483).",
    fix: "Restore without channel state (loses that data), or from an aligned one; upgrade.",
  },
  "sink-table-metadata-conflict": {
    title: "The table's timeline files collide",
    why: "Files that the table format writes for itself exist already when the job starts again.",
    fix: "Mend the table's timeline; one lock provider; upgrade.",
  },
  "cdc-restored-offset-incomplete": {
    title: "The stored position lacks its beginning",
    why: "The position in the checkpoint leaves out what was read first, so the server counts it as needed and gone.",
    fix: "Upgrade the connector; start with a complete position.",
  },
  "connector-restore-rescale-bug": {
    title: "The connector cannot start a subtask without state",
    why: "After scaling, some subtasks receive no state, and the connector does not expect that.",
    fix: "Restore with the old parallelism; mend the connector.",
  },
  "restore-finished-operators-topology-changed": {
    title: "Finished operators were put into another chain",
    why: "Operators that had finished in part are chained with ones that still run.",
    fix: "Keep the chains; drop the finished branch with its state.",
  },
  "claim-native-savepoint-relative-path": {
    title: "A claimed native savepoint is looked for in the wrong place",
    why: "A later checkpoint refers to the savepoint's files relative to its own directory (FLINK-39964).",
    fix: "Restore the savepoint itself, or copy its files.",
  },
  "restore-path-not-applied": {
    title: "The restore path was not applied",
    why: "It is set where nobody reads it any more, and the job started empty.",
    fix: "Give it with -s or -D at submission; with the operator, change savepointRedeployNonce.",
  },
  "checkpointing-not-enabled": {
    title: "Checkpointing is not switched on",
    why: "No interval is configured, so nothing is ever triggered.",
    fix: "Set an interval.",
  },
  "checkpoint-path-shared-by-jobs": {
    title: "Several jobs write to one directory",
    why: "They use the same names there, and one overwrites or deletes what is the other's.",
    fix: "A directory of its own for each, or the level with the job's id.",
  },
  "state-inlined-in-metadata": {
    title: "Nothing is missing: small state lies inside _metadata",
    why: "The checkpoints complete. State below a threshold is written into the metadata itself, so the directory holds nothing else, or stays empty until the metadata is written there.",
    fix: "Nothing to repair. Lower the threshold if the files are to be seen.",
  },
  "restart-strategy-not-configured": {
    title: "Nothing restarts the job",
    why: "The job ends at its first failure although checkpoints are there.",
    fix: "Configure a restart strategy.",
  },
  "jvm-module-access-denied": {
    title: "The JVM forbids reflection",
    why: "Flags that open the JDK's modules are missing; Flink's shipped configuration has them.",
    fix: "Take env.java.opts over from the shipped configuration.",
  },
  "kafka-producer-delivery-failed": {
    title: "Kafka did not take the records",
    why: "The flush before the checkpoint failed: the brokers did not acknowledge in time.",
    fix: "Look at the brokers and the network; then the producer's time-outs.",
  },
  "source-position-purged": {
    title: "The source no longer has the stored position",
    why: "The source system deleted the log that the checkpoint wants to read from.",
    fix: "Keep logs longer than any downtime; take a new snapshot of this source.",
  },
  "min-pause-limits-frequency": {
    title: "Checkpoints are rarer than the interval says",
    why: "The minimum pause after each is longer than the interval, and it wins.",
    fix: "Shorten the pause, or accept its rhythm.",
  },
  "checkpoint-interval-shorter-than-duration": {
    title: "Each checkpoint takes longer than the interval",
    why: "One follows the other without pause. They complete.",
    fix: "A longer interval, a pause, or incremental checkpoints.",
  },
  "clock-skew": {
    title: "Clocks disagree",
    why: "The clock of a host is off, so signatures, tokens or timings are wrong.",
    fix: "Run NTP on all hosts.",
  },
  "user-exception": {
    title: "The job fails for a reason of its own",
    why: "The program threw while it processed data. The checkpoint that was pending fell with it.",
    fix: "Mend the code or the service that it calls.",
  },
  "benign-log-noise": {
    title: "Frightening lines that mean nothing",
    why: "Warnings and errors are in the log, and every checkpoint completes.",
    fix: "Nothing to do.",
  },
  healthy: {
    title: "Nothing is wrong",
    why: "Checkpoints complete, and nothing failed.",
    fix: "Nothing to do.",
  },
  undetermined: {
    title: "It cannot be told from this",
    why: "Something failed, and what decides why is not in the input.",
    fix: "Give the evidence named below.",
  },
};
