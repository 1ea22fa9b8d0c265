import { alignmentLimitExceeded } from "./alignment/alignment-limit-exceeded.ts";
import { asyncIoBlocked } from "./alignment/async-io-blocked.ts";
import { backpressureDataSkew } from "./alignment/backpressure-data-skew.ts";
import { backpressureSlowOperator } from "./alignment/backpressure-slow-operator.ts";
import { backpressureSlowSink } from "./alignment/backpressure-slow-sink.ts";
import { unalignedInflightTooLarge } from "./alignment/unaligned-inflight-too-large.ts";
import { unalignedNotEffective } from "./alignment/unaligned-not-effective.ts";
import { checkpointIntervalShorterThanDuration } from "./config/checkpoint-interval-shorter-than-duration.ts";
import { checkpointPathSharedByJobs } from "./config/checkpoint-path-shared-by-jobs.ts";
import { checkpointingNotEnabled } from "./config/checkpointing-not-enabled.ts";
import { jvmModuleAccessDenied } from "./config/jvm-module-access-denied.ts";
import { minPauseLimitsFrequency } from "./config/min-pause-limits-frequency.ts";
import { restartStrategyNotConfigured } from "./config/restart-strategy-not-configured.ts";
import { stateInlinedInMetadata } from "./config/state-inlined-in-metadata.ts";
import { checkpointTriggerStuckAfterAbort } from "./coordination/checkpoint-trigger-stuck-after-abort.ts";
import { haDataCleanedOnZkSuspend } from "./coordination/ha-data-cleaned-on-zk-suspend.ts";
import { haStorePointsToDeletedCheckpoint } from "./coordination/ha-store-points-to-deleted-checkpoint.ts";
import { legacyKafkaConsumerStopWithSavepoint } from "./coordination/legacy-kafka-consumer-stop-with-savepoint.ts";
import { restartStrategyExhaustedBeforeResources } from "./coordination/restart-strategy-exhausted-before-resources.ts";
import { savepointClientTimeout } from "./coordination/savepoint-client-timeout.ts";
import { stopWithSavepointEventToFinishedTask } from "./coordination/stop-with-savepoint-event-to-finished-task.ts";
import { clockSkew } from "./external/clock-skew.ts";
import { kafkaProducerDeliveryFailed } from "./external/kafka-producer-delivery-failed.ts";
import { userException } from "./external/user-exception.ts";
import { containerOomKilled } from "./resources/container-oom-killed.ts";
import { gcPause } from "./resources/gc-pause.ts";
import { heapOom } from "./resources/heap-oom.ts";
import { metaspaceOom } from "./resources/metaspace-oom.ts";
import { resourcesInsufficientSlots } from "./resources/resources-insufficient-slots.ts";
import { rocksdbManySmallFiles } from "./resources/rocksdb-many-small-files.ts";
import { rpcFramesizeExceeded } from "./resources/rpc-framesize-exceeded.ts";
import { taskmanagerLost } from "./resources/taskmanager-lost.ts";
import { taskmanagerStartFailed } from "./resources/taskmanager-start-failed.ts";
import { tmHeartbeatTimeout } from "./resources/tm-heartbeat-timeout.ts";
import { tooManyOpenFiles } from "./resources/too-many-open-files.ts";
import { cdcRestoredOffsetIncomplete } from "./restore/cdc-restored-offset-incomplete.ts";
import { claimNativeSavepointRelativePath } from "./restore/claim-native-savepoint-relative-path.ts";
import { connectorRestoreRescaleBug } from "./restore/connector-restore-rescale-bug.ts";
import { operatorStateGrowthUidReuse } from "./restore/operator-state-growth-uid-reuse.ts";
import { restoreExternalFilesExpired } from "./restore/restore-external-files-expired.ts";
import { restoreFinishedOperatorsTopologyChanged } from "./restore/restore-finished-operators-topology-changed.ts";
import { restoreMaxParallelismChanged } from "./restore/restore-max-parallelism-changed.ts";
import { restoreMetadataCorrupt } from "./metadata/restore-metadata-corrupt.ts";
import { restoreMetadataDeletedOnCancel } from "./metadata/restore-metadata-deleted-on-cancel.ts";
import { restoreMetadataMissing } from "./metadata/restore-metadata-missing.ts";
import { restoreMetadataTruncated } from "./metadata/restore-metadata-truncated.ts";
import { restoreOperatorIdsUnstable } from "./restore/restore-operator-ids-unstable.ts";
import { restoreOperatorMissing } from "./restore/restore-operator-missing.ts";
import { restoreOperatorUidChanged } from "./restore/restore-operator-uid-changed.ts";
import { restoreParallelismAboveMax } from "./restore/restore-parallelism-above-max.ts";
import { restorePathNotApplied } from "./restore/restore-path-not-applied.ts";
import { restoreSstMissing } from "./restore/restore-sst-missing.ts";
import { restoreStateFileMissing } from "./restore/restore-state-file-missing.ts";
import { sinkTableMetadataConflict } from "./restore/sink-table-metadata-conflict.ts";
import { sourcePositionPurged } from "./restore/source-position-purged.ts";
import { unalignedRestoreBug } from "./restore/unaligned-restore-bug.ts";
import { kryoConcurrentModification } from "./serialization/kryo-concurrent-modification.ts";
import { kryoUnregisteredClass } from "./serialization/kryo-unregistered-class.ts";
import { notSerializableState } from "./serialization/not-serializable-state.ts";
import { restoreConnectorStateFormatChanged } from "./serialization/restore-connector-state-format-changed.ts";
import { restoreSerializerIncompatible } from "./serialization/restore-serializer-incompatible.ts";
import { duplicateTransactionalIdPrefix } from "./sink-commit/duplicate-transactional-id-prefix.ts";
import { kafkaEmptyTransactionCommittable } from "./sink-commit/kafka-empty-transaction-committable.ts";
import { kafkaProducerIdExpired } from "./sink-commit/kafka-producer-id-expired.ts";
import { kafkaProducerPoolExhausted } from "./sink-commit/kafka-producer-pool-exhausted.ts";
import { kafkaTransactionCoordinatorUnavailable } from "./sink-commit/kafka-transaction-coordinator-unavailable.ts";
import { kafkaTransactionTimeoutAboveBrokerMax } from "./sink-commit/kafka-transaction-timeout-above-broker-max.ts";
import { kafkaTransactionTimeout } from "./sink-commit/kafka-transaction-timeout.ts";
import { sinkCommitConflict } from "./sink-commit/sink-commit-conflict.ts";
import { sinkCommitFailed } from "./sink-commit/sink-commit-failed.ts";
import { sinkCommitSkippedStaleMaxCheckpointId } from "./sink-commit/sink-commit-skipped-stale-max-checkpoint-id.ts";
import { sinkCoordinatorCommitBlocked } from "./sink-commit/sink-coordinator-commit-blocked.ts";
import { sinkLabelReusedAfterStatelessRestart } from "./sink-commit/sink-label-reused-after-stateless-restart.ts";
import { sinkLingeringTransaction } from "./sink-commit/sink-lingering-transaction.ts";
import { sinkTransactionLostAtRestore } from "./sink-commit/sink-transaction-lost-at-restore.ts";
import { sinkTransactionTimeout } from "./sink-commit/sink-transaction-timeout.ts";
import { cdcSnapshotHoldsCheckpoint } from "./snapshot-sync/cdc-snapshot-holds-checkpoint.ts";
import { heapTimersSyncSnapshot } from "./snapshot-sync/heap-timers-sync-snapshot.ts";
import { keyedStateAccessInSnapshotstate } from "./snapshot-sync/keyed-state-access-in-snapshotstate.ts";
import { sinkAsyncServiceTerminated } from "./snapshot-sync/sink-async-service-terminated.ts";
import { sinkFlushBlockedInSnapshotstate } from "./snapshot-sync/sink-flush-blocked-in-snapshotstate.ts";
import { snapshotSyncSlowUserCode } from "./snapshot-sync/snapshot-sync-slow-user-code.ts";
import { snapshotSyncStuckNative } from "./snapshot-sync/snapshot-sync-stuck-native.ts";
import { sourceHoldsCheckpointLock } from "./snapshot-sync/source-holds-checkpoint-lock.ts";
import { staleUserClassloader } from "./snapshot-sync/stale-user-classloader.ts";
import { userCodeBlockingCall } from "./snapshot-sync/user-code-blocking-call.ts";
import { userExceptionInSnapshotstate } from "./snapshot-sync/user-exception-in-snapshotstate.ts";
import { changelogUploadTimeout } from "./state-backend/changelog-upload-timeout.ts";
import { localRecoveryCrossDeviceLink } from "./state-backend/local-recovery-cross-device-link.ts";
import { nonDeterministicKey } from "./state-backend/non-deterministic-key.ts";
import { rocksdbLocaldirNoHardlinks } from "./state-backend/rocksdb-localdir-no-hardlinks.ts";
import { rocksdbNativeLibraryUnloadable } from "./state-backend/rocksdb-native-library-unloadable.ts";
import { stateExceedsMemoryLimit } from "./state-backend/state-exceeds-memory-limit.ts";
import { checkpointTimeoutLargeState } from "./storage/checkpoint-timeout-large-state.ts";
import { checkpointTimeoutSlowUpload } from "./storage/checkpoint-timeout-slow-upload.ts";
import { diskFull } from "./storage/disk-full.ts";
import { hdfsDirectoryItemLimit } from "./hdfs/hdfs-directory-item-limit.ts";
import { hdfsNamenodeSlow } from "./hdfs/hdfs-namenode-slow.ts";
import { hdfsNamenodeStandby } from "./hdfs/hdfs-namenode-standby.ts";
import { hdfsNoDatanodeAvailable } from "./hdfs/hdfs-no-datanode-available.ts";
import { hdfsQuotaExceeded } from "./hdfs/hdfs-quota-exceeded.ts";
import { hdfsSafeMode } from "./hdfs/hdfs-safe-mode.ts";
import { hdfsSlowWrite } from "./hdfs/hdfs-slow-write.ts";
import { kerberosDelegationTokenExpired } from "./hdfs/kerberos-delegation-token-expired.ts";
import { s3AccessDenied } from "./storage/s3-access-denied.ts";
import { s3ConnectionPoolExhausted } from "./storage/s3-connection-pool-exhausted.ts";
import { s3Throttled } from "./storage/s3-throttled.ts";
import { storageBucketMissing } from "./storage/storage-bucket-missing.ts";
import { storageClasspathConflict } from "./storage/storage-classpath-conflict.ts";
import { storageFilesystemPluginMissing } from "./storage/storage-filesystem-plugin-missing.ts";
import { storageHadoopNotOnClasspath } from "./storage/storage-hadoop-not-on-classpath.ts";
import { storageLocalPathNotShared } from "./storage/storage-local-path-not-shared.ts";
import { storageMountMisconfigured } from "./storage/storage-mount-misconfigured.ts";
import { storagePermissionDenied } from "./storage/storage-permission-denied.ts";
import { storageReadOnly } from "./storage/storage-read-only.ts";
import { storageUnreachable } from "./storage/storage-unreachable.ts";
import { sourceEnumeratorSnapshotFailed } from "./trigger/source-enumerator-snapshot-failed.ts";
import { sourceFinishedBlocksTrigger } from "./trigger/source-finished-blocks-trigger.ts";
import { taskFinishedDuringTriggerRace } from "./trigger/task-finished-during-trigger-race.ts";
import { tasksNotRunningYet } from "./trigger/tasks-not-running-yet.ts";
import type { Rule } from "./rule.ts";

/** Every rule. A new cause is a file and a line here. */
export const RULES: readonly Rule[] = [
  alignmentLimitExceeded,
  asyncIoBlocked,
  backpressureDataSkew,
  backpressureSlowOperator,
  backpressureSlowSink,
  unalignedInflightTooLarge,
  unalignedNotEffective,
  checkpointIntervalShorterThanDuration,
  checkpointPathSharedByJobs,
  checkpointingNotEnabled,
  jvmModuleAccessDenied,
  minPauseLimitsFrequency,
  restartStrategyNotConfigured,
  stateInlinedInMetadata,
  checkpointTriggerStuckAfterAbort,
  haDataCleanedOnZkSuspend,
  haStorePointsToDeletedCheckpoint,
  legacyKafkaConsumerStopWithSavepoint,
  restartStrategyExhaustedBeforeResources,
  savepointClientTimeout,
  stopWithSavepointEventToFinishedTask,
  clockSkew,
  kafkaProducerDeliveryFailed,
  userException,
  containerOomKilled,
  gcPause,
  heapOom,
  metaspaceOom,
  resourcesInsufficientSlots,
  rocksdbManySmallFiles,
  rpcFramesizeExceeded,
  taskmanagerLost,
  taskmanagerStartFailed,
  tmHeartbeatTimeout,
  tooManyOpenFiles,
  cdcRestoredOffsetIncomplete,
  claimNativeSavepointRelativePath,
  connectorRestoreRescaleBug,
  operatorStateGrowthUidReuse,
  restoreExternalFilesExpired,
  restoreFinishedOperatorsTopologyChanged,
  restoreMaxParallelismChanged,
  restoreMetadataCorrupt,
  restoreMetadataDeletedOnCancel,
  restoreMetadataMissing,
  restoreMetadataTruncated,
  restoreOperatorIdsUnstable,
  restoreOperatorMissing,
  restoreOperatorUidChanged,
  restoreParallelismAboveMax,
  restorePathNotApplied,
  restoreSstMissing,
  restoreStateFileMissing,
  sinkTableMetadataConflict,
  sourcePositionPurged,
  unalignedRestoreBug,
  kryoConcurrentModification,
  kryoUnregisteredClass,
  notSerializableState,
  restoreConnectorStateFormatChanged,
  restoreSerializerIncompatible,
  duplicateTransactionalIdPrefix,
  kafkaEmptyTransactionCommittable,
  kafkaProducerIdExpired,
  kafkaProducerPoolExhausted,
  kafkaTransactionCoordinatorUnavailable,
  kafkaTransactionTimeoutAboveBrokerMax,
  kafkaTransactionTimeout,
  sinkCommitConflict,
  sinkCommitFailed,
  sinkCommitSkippedStaleMaxCheckpointId,
  sinkCoordinatorCommitBlocked,
  sinkLabelReusedAfterStatelessRestart,
  sinkLingeringTransaction,
  sinkTransactionLostAtRestore,
  sinkTransactionTimeout,
  cdcSnapshotHoldsCheckpoint,
  heapTimersSyncSnapshot,
  keyedStateAccessInSnapshotstate,
  sinkAsyncServiceTerminated,
  sinkFlushBlockedInSnapshotstate,
  snapshotSyncSlowUserCode,
  snapshotSyncStuckNative,
  sourceHoldsCheckpointLock,
  staleUserClassloader,
  userCodeBlockingCall,
  userExceptionInSnapshotstate,
  changelogUploadTimeout,
  localRecoveryCrossDeviceLink,
  nonDeterministicKey,
  rocksdbLocaldirNoHardlinks,
  rocksdbNativeLibraryUnloadable,
  stateExceedsMemoryLimit,
  checkpointTimeoutLargeState,
  checkpointTimeoutSlowUpload,
  diskFull,
  hdfsDirectoryItemLimit,
  hdfsNamenodeSlow,
  hdfsNamenodeStandby,
  hdfsNoDatanodeAvailable,
  hdfsQuotaExceeded,
  hdfsSafeMode,
  hdfsSlowWrite,
  kerberosDelegationTokenExpired,
  s3AccessDenied,
  s3ConnectionPoolExhausted,
  s3Throttled,
  storageBucketMissing,
  storageClasspathConflict,
  storageFilesystemPluginMissing,
  storageHadoopNotOnClasspath,
  storageLocalPathNotShared,
  storageMountMisconfigured,
  storagePermissionDenied,
  storageReadOnly,
  storageUnreachable,
  sourceEnumeratorSnapshotFailed,
  sourceFinishedBlocksTrigger,
  taskFinishedDuringTriggerRace,
  tasksNotRunningYet,
];
