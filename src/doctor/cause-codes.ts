/** Where on the map of a checkpoint's parts a cause lies. */
export type TrianglePlace =
  | "state-backend"
  | "trigger-and-alignment"
  | "external-storage"
  | "program"
  | "resources"
  | "coordination"
  | "none";

export type Phase =
  | "trigger"
  | "alignment"
  | "sync"
  | "async"
  | "acknowledge"
  | "finalize"
  | "commit"
  | "restore"
  | "none";

/** What is fixed about a cause. */
export interface CauseFact {
  readonly category: string;
  readonly phase: Phase;
  readonly place: TrianglePlace;
  /** The cause explains what was seen, and nothing is broken. */
  readonly harmless?: true;
}

const fact = (category: string, phase: Phase, place: TrianglePlace): CauseFact => ({
  category,
  phase,
  place,
});
const harmless = (category: string, phase: Phase, place: TrianglePlace): CauseFact => ({
  category,
  phase,
  place,
  harmless: true,
});

/** Every cause that the doctor can name. A code, once released, keeps its meaning. */
export const CAUSES: Readonly<Record<CauseCode, CauseFact>> = {
  "source-finished-blocks-trigger": fact("trigger", "trigger", "trigger-and-alignment"),
  "tasks-not-running-yet": harmless("trigger", "trigger", "trigger-and-alignment"),
  "task-finished-during-trigger-race": fact("trigger", "trigger", "trigger-and-alignment"),
  "source-enumerator-snapshot-failed": fact("trigger", "trigger", "program"),
  "backpressure-slow-operator": fact("alignment", "alignment", "trigger-and-alignment"),
  "backpressure-slow-sink": fact("alignment", "alignment", "trigger-and-alignment"),
  "backpressure-data-skew": fact("alignment", "alignment", "trigger-and-alignment"),
  "alignment-limit-exceeded": fact("alignment", "alignment", "trigger-and-alignment"),
  "unaligned-inflight-too-large": fact("alignment", "async", "trigger-and-alignment"),
  "unaligned-not-effective": fact("alignment", "alignment", "trigger-and-alignment"),
  "async-io-blocked": fact("alignment", "alignment", "program"),
  "keyed-state-access-in-snapshotstate": fact("snapshot-sync", "sync", "program"),
  "user-code-blocking-call": fact("snapshot-sync", "alignment", "program"),
  "cdc-snapshot-holds-checkpoint": fact("snapshot-sync", "sync", "program"),
  "sink-flush-blocked-in-snapshotstate": fact("snapshot-sync", "sync", "program"),
  "snapshot-sync-slow-user-code": fact("snapshot-sync", "sync", "program"),
  "user-exception-in-snapshotstate": fact("snapshot-sync", "sync", "program"),
  "source-holds-checkpoint-lock": fact("snapshot-sync", "sync", "program"),
  "heap-timers-sync-snapshot": fact("snapshot-sync", "sync", "state-backend"),
  "snapshot-sync-stuck-native": fact("snapshot-sync", "sync", "state-backend"),
  "sink-async-service-terminated": fact("snapshot-sync", "sync", "program"),
  "stale-user-classloader": fact("snapshot-sync", "sync", "program"),
  "storage-permission-denied": fact("storage", "async", "external-storage"),
  "storage-mount-misconfigured": fact("storage", "async", "external-storage"),
  "storage-local-path-not-shared": fact("storage", "restore", "external-storage"),
  "storage-filesystem-plugin-missing": fact("storage", "trigger", "external-storage"),
  "storage-hadoop-not-on-classpath": fact("storage", "trigger", "external-storage"),
  "storage-classpath-conflict": fact("storage", "async", "external-storage"),
  "storage-read-only": fact("storage", "async", "external-storage"),
  "storage-unreachable": fact("storage", "async", "external-storage"),
  "storage-bucket-missing": fact("storage", "trigger", "external-storage"),
  "hdfs-namenode-slow": fact("storage", "async", "external-storage"),
  "hdfs-slow-write": fact("storage", "async", "external-storage"),
  "hdfs-directory-item-limit": fact("storage", "finalize", "external-storage"),
  "hdfs-safe-mode": fact("storage", "async", "external-storage"),
  "hdfs-quota-exceeded": fact("storage", "async", "external-storage"),
  "hdfs-namenode-standby": fact("storage", "async", "external-storage"),
  "hdfs-no-datanode-available": fact("storage", "async", "external-storage"),
  "kerberos-delegation-token-expired": fact("storage", "async", "external-storage"),
  "s3-access-denied": fact("storage", "trigger", "external-storage"),
  "s3-throttled": fact("storage", "async", "external-storage"),
  "s3-connection-pool-exhausted": fact("storage", "async", "external-storage"),
  "disk-full": fact("storage", "async", "external-storage"),
  "checkpoint-timeout-large-state": fact("storage", "async", "state-backend"),
  "checkpoint-timeout-slow-upload": fact("storage", "async", "external-storage"),
  "state-exceeds-memory-limit": fact("state-backend", "async", "state-backend"),
  "rocksdb-localdir-no-hardlinks": fact("state-backend", "sync", "state-backend"),
  "local-recovery-cross-device-link": fact("state-backend", "async", "state-backend"),
  "rocksdb-native-library-unloadable": fact("state-backend", "restore", "state-backend"),
  "non-deterministic-key": fact("state-backend", "none", "program"),
  "changelog-upload-timeout": fact("state-backend", "async", "state-backend"),
  "restore-serializer-incompatible": fact("serialization", "restore", "state-backend"),
  "not-serializable-state": fact("serialization", "async", "state-backend"),
  "kryo-concurrent-modification": fact("serialization", "async", "state-backend"),
  "kryo-unregistered-class": fact("serialization", "restore", "state-backend"),
  "restore-connector-state-format-changed": fact("serialization", "restore", "program"),
  "heap-oom": fact("resources", "none", "resources"),
  "metaspace-oom": fact("resources", "none", "resources"),
  "container-oom-killed": fact("resources", "none", "resources"),
  "rpc-framesize-exceeded": fact("resources", "acknowledge", "resources"),
  "too-many-open-files": fact("resources", "none", "resources"),
  "tm-heartbeat-timeout": fact("resources", "none", "resources"),
  "gc-pause": fact("resources", "none", "resources"),
  "taskmanager-lost": fact("resources", "none", "resources"),
  "taskmanager-start-failed": fact("resources", "none", "resources"),
  "resources-insufficient-slots": fact("resources", "none", "resources"),
  "rocksdb-many-small-files": fact("resources", "async", "state-backend"),
  "ha-store-points-to-deleted-checkpoint": fact("coordination", "restore", "coordination"),
  "ha-data-cleaned-on-zk-suspend": fact("coordination", "restore", "coordination"),
  "savepoint-client-timeout": harmless("coordination", "none", "coordination"),
  "stop-with-savepoint-event-to-finished-task": fact("coordination", "commit", "coordination"),
  "legacy-kafka-consumer-stop-with-savepoint": fact("coordination", "none", "coordination"),
  "checkpoint-trigger-stuck-after-abort": fact("coordination", "trigger", "coordination"),
  "restart-strategy-exhausted-before-resources": fact("coordination", "none", "coordination"),
  "kafka-transaction-timeout": fact("sink-commit", "commit", "program"),
  "kafka-producer-id-expired": fact("sink-commit", "restore", "program"),
  "sink-transaction-timeout": fact("sink-commit", "commit", "program"),
  "sink-label-reused-after-stateless-restart": fact("sink-commit", "restore", "program"),
  "sink-coordinator-commit-blocked": fact("sink-commit", "commit", "program"),
  "sink-commit-skipped-stale-max-checkpoint-id": fact("sink-commit", "commit", "program"),
  "sink-commit-failed": fact("sink-commit", "commit", "program"),
  "kafka-transaction-timeout-above-broker-max": fact("sink-commit", "none", "program"),
  "kafka-empty-transaction-committable": fact("sink-commit", "restore", "program"),
  "kafka-producer-pool-exhausted": fact("sink-commit", "sync", "program"),
  "kafka-transaction-coordinator-unavailable": fact("external-system", "none", "program"),
  "sink-transaction-lost-at-restore": fact("sink-commit", "restore", "program"),
  "sink-lingering-transaction": fact("sink-commit", "restore", "program"),
  "sink-commit-conflict": fact("sink-commit", "commit", "program"),
  "duplicate-transactional-id-prefix": fact("sink-commit", "commit", "program"),
  "restore-operator-missing": fact("restore", "restore", "program"),
  "restore-operator-ids-unstable": fact("restore", "restore", "program"),
  "restore-operator-uid-changed": fact("restore", "restore", "program"),
  "restore-max-parallelism-changed": fact("restore", "restore", "program"),
  "restore-parallelism-above-max": fact("restore", "restore", "program"),
  "restore-metadata-missing": fact("restore", "restore", "external-storage"),
  "restore-metadata-deleted-on-cancel": fact("restore", "restore", "external-storage"),
  "restore-metadata-corrupt": fact("restore", "restore", "external-storage"),
  "restore-metadata-truncated": fact("restore", "restore", "external-storage"),
  "restore-state-file-missing": fact("restore", "restore", "external-storage"),
  "restore-sst-missing": fact("restore", "restore", "external-storage"),
  "restore-external-files-expired": fact("restore", "restore", "program"),
  "operator-state-growth-uid-reuse": fact("restore", "restore", "program"),
  "unaligned-restore-bug": fact("restore", "restore", "trigger-and-alignment"),
  "sink-table-metadata-conflict": fact("restore", "restore", "program"),
  "cdc-restored-offset-incomplete": fact("restore", "restore", "program"),
  "connector-restore-rescale-bug": fact("restore", "restore", "program"),
  "restore-finished-operators-topology-changed": fact("restore", "restore", "program"),
  "claim-native-savepoint-relative-path": fact("restore", "restore", "external-storage"),
  "restore-path-not-applied": fact("config", "restore", "coordination"),
  "checkpointing-not-enabled": fact("config", "trigger", "trigger-and-alignment"),
  "checkpoint-path-shared-by-jobs": fact("config", "finalize", "external-storage"),
  "state-inlined-in-metadata": harmless("config", "none", "external-storage"),
  "restart-strategy-not-configured": fact("config", "none", "coordination"),
  "jvm-module-access-denied": fact("config", "none", "program"),
  "kafka-producer-delivery-failed": fact("external-system", "sync", "program"),
  "source-position-purged": fact("external-system", "restore", "program"),
  "min-pause-limits-frequency": harmless("config", "none", "trigger-and-alignment"),
  "checkpoint-interval-shorter-than-duration": harmless("config", "async", "trigger-and-alignment"),
  "clock-skew": fact("external-system", "none", "external-storage"),
  "user-exception": fact("external-system", "none", "program"),
  "benign-log-noise": harmless("any", "none", "none"),
  healthy: harmless("any", "none", "none"),
  undetermined: fact("any", "none", "none"),
};

export type CauseCode =
  | "source-finished-blocks-trigger"
  | "tasks-not-running-yet"
  | "task-finished-during-trigger-race"
  | "source-enumerator-snapshot-failed"
  | "backpressure-slow-operator"
  | "backpressure-slow-sink"
  | "backpressure-data-skew"
  | "alignment-limit-exceeded"
  | "unaligned-inflight-too-large"
  | "unaligned-not-effective"
  | "async-io-blocked"
  | "keyed-state-access-in-snapshotstate"
  | "user-code-blocking-call"
  | "cdc-snapshot-holds-checkpoint"
  | "sink-flush-blocked-in-snapshotstate"
  | "snapshot-sync-slow-user-code"
  | "user-exception-in-snapshotstate"
  | "source-holds-checkpoint-lock"
  | "heap-timers-sync-snapshot"
  | "snapshot-sync-stuck-native"
  | "sink-async-service-terminated"
  | "stale-user-classloader"
  | "storage-permission-denied"
  | "storage-mount-misconfigured"
  | "storage-local-path-not-shared"
  | "storage-filesystem-plugin-missing"
  | "storage-hadoop-not-on-classpath"
  | "storage-classpath-conflict"
  | "storage-read-only"
  | "storage-unreachable"
  | "storage-bucket-missing"
  | "hdfs-namenode-slow"
  | "hdfs-slow-write"
  | "hdfs-directory-item-limit"
  | "hdfs-safe-mode"
  | "hdfs-quota-exceeded"
  | "hdfs-namenode-standby"
  | "hdfs-no-datanode-available"
  | "kerberos-delegation-token-expired"
  | "s3-access-denied"
  | "s3-throttled"
  | "s3-connection-pool-exhausted"
  | "disk-full"
  | "checkpoint-timeout-large-state"
  | "checkpoint-timeout-slow-upload"
  | "state-exceeds-memory-limit"
  | "rocksdb-localdir-no-hardlinks"
  | "local-recovery-cross-device-link"
  | "rocksdb-native-library-unloadable"
  | "non-deterministic-key"
  | "changelog-upload-timeout"
  | "restore-serializer-incompatible"
  | "not-serializable-state"
  | "kryo-concurrent-modification"
  | "kryo-unregistered-class"
  | "restore-connector-state-format-changed"
  | "heap-oom"
  | "metaspace-oom"
  | "container-oom-killed"
  | "rpc-framesize-exceeded"
  | "too-many-open-files"
  | "tm-heartbeat-timeout"
  | "gc-pause"
  | "taskmanager-lost"
  | "taskmanager-start-failed"
  | "resources-insufficient-slots"
  | "rocksdb-many-small-files"
  | "ha-store-points-to-deleted-checkpoint"
  | "ha-data-cleaned-on-zk-suspend"
  | "savepoint-client-timeout"
  | "stop-with-savepoint-event-to-finished-task"
  | "legacy-kafka-consumer-stop-with-savepoint"
  | "checkpoint-trigger-stuck-after-abort"
  | "restart-strategy-exhausted-before-resources"
  | "kafka-transaction-timeout"
  | "kafka-producer-id-expired"
  | "sink-transaction-timeout"
  | "sink-label-reused-after-stateless-restart"
  | "sink-coordinator-commit-blocked"
  | "sink-commit-skipped-stale-max-checkpoint-id"
  | "sink-commit-failed"
  | "kafka-transaction-timeout-above-broker-max"
  | "kafka-empty-transaction-committable"
  | "kafka-producer-pool-exhausted"
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
  | "undetermined";

export function isCauseCode(text: string): text is CauseCode {
  return Object.hasOwn(CAUSES, text);
}

export function causeFact(code: CauseCode): CauseFact {
  return CAUSES[code];
}
