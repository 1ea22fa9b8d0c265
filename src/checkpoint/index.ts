export { disposeSavepoint, type DisposedSavepoint } from "./metadata/dispose-savepoint.ts";
export {
  type CheckpointMetadata,
  type MasterState,
  type MetadataVersion,
} from "./metadata/checkpoint-metadata.ts";
export {
  type CheckpointProperties,
  type CheckpointRetention,
  propertiesOfCheckpoint,
  propertiesOfSavepoint,
  type SharingFilesStrategy,
  type SnapshotType,
} from "./metadata/checkpoint-properties.ts";
export {
  EMPTY_SUBTASK_STATE,
  type OperatorState,
  type OperatorSubtaskState,
  type SubtaskState,
} from "./operator-state.ts";
export {
  type CheckpointDirectory,
  findCheckpointDirectories,
  localPath,
  METADATA_FILE_NAME,
  readSnapshot,
  resolveCheckpointPointer,
  type Snapshot,
  type SnapshotLocation,
} from "./metadata/checkpoint-pointer.ts";
export { decodeMetadata } from "./metadata/metadata-decoder.ts";
export { encodeMetadata } from "./metadata/metadata-encoder.ts";
export {
  checkSnapshotFiles,
  type SnapshotFileCheck,
  type SnapshotFileProblem,
} from "./metadata/snapshot-files.ts";
export {
  type OperatorFacts,
  type SnapshotFacts,
  snapshotFacts,
} from "./metadata/snapshot-facts.ts";
export {
  type StateKind,
  type StreamReference,
  streamReferences,
} from "./metadata/stream-references.ts";
export type { BarrierAction, BarrierHandler } from "./barrier/barrier-handler.ts";
export { CheckpointBarrierTracker } from "./barrier/checkpoint-barrier-tracker.ts";
export {
  type BarrierHandlerOptions,
  createBarrierHandler,
} from "./barrier/create-barrier-handler.ts";
export { asUnaligned, withoutOvertaking, withOvertaking } from "./barrier/forced-alignment.ts";
export {
  type BarrierHandlerMode,
  SingleCheckpointBarrierHandler,
} from "./barrier/single-checkpoint-barrier-handler.ts";
export type {
  AlignmentMode,
  CheckpointBarrier,
  CheckpointOptions,
  SnapshotKind,
} from "./checkpoint-barrier.ts";
export type {
  CheckpointGateway,
  CheckpointMetrics,
  CheckpointResponder,
  SubtaskRef,
  TaskStateSnapshot,
} from "./checkpoint-gateway.ts";
export {
  type CheckpointFailure,
  type CheckpointFailureReason,
  FAILURE_REASONS,
  failureText,
  type FailureReasonTraits,
} from "./failure-reason.ts";
export {
  calculateCheckpointPlan,
  type CheckpointPlan,
  type PlanDecision,
  type PlanInput,
  type PlanTaskStatus,
  type PlanVertex,
} from "./checkpoint-plan.ts";
export { CompletedCheckpointStore, type RetainedCheckpoint } from "./completed-checkpoint-store.ts";
export {
  countSuccess,
  decideOnFailure,
  type FailureCount,
  type FailureDecision,
  NO_FAILURES,
  type ObservedFailure,
} from "./failure-manager.ts";
export {
  decideQueued,
  decideRequest,
  MAX_QUEUED_REQUESTS,
  type RequestDecision,
  type RequestOutcome,
  type TriggerLimits,
  type TriggerRequest,
  type TriggerSituation,
} from "./request-decider.ts";
export {
  decideRestart,
  NO_RESTARTS,
  noteFailure,
  type RestartDecision,
  type RestartHistory,
  type RestartStrategy,
} from "./restart-strategy.ts";
export { type DiscardOccasion, isSynchronous } from "./retention.ts";
export type {
  CheckpointStorage,
  DamagedSnapshot,
  RetainedSnapshots,
  StateOrigin,
  StateStorage,
} from "./storage/checkpoint-storage.ts";
export {
  CHECKPOINT_STORAGE_LAWS,
  type CheckpointStorageLaw,
} from "./storage/checkpoint-storage-laws.ts";
export {
  FileCheckpointStorage,
  type FileCheckpointStorageOptions,
} from "./storage/file-checkpoint-storage.ts";
export { MemoryCheckpointStorage } from "./storage/memory-checkpoint-storage.ts";
export {
  type CheckpointFailureRecord,
  type CheckpointRecord,
  checkpointSizes,
  type CheckpointSizes,
  endToEndDurationMs,
  type SubtaskRecord,
  type VertexRecord,
} from "./checkpoint-record.ts";
export { CheckpointCoordinator } from "./coordinator/checkpoint-coordinator.ts";
export type { CheckpointObserver, RestoredCheckpoint } from "./coordinator/checkpoint-observer.ts";
export { type CheckpointedVertex, taskName } from "./coordinator/checkpointed-vertex.ts";
export {
  type CompletedCheckpoint,
  restoredCheckpoint,
} from "./coordinator/completed-checkpoint.ts";
export type {
  CoordinatorContext,
  SavepointRequest,
  TriggerResult,
} from "./coordinator/coordinator-context.ts";
export type { OperatorCoordinatorSnapshot } from "./coordinator/operator-coordinator-snapshot.ts";
export {
  CHECKPOINTING_OPTIONS,
  type CheckpointingOptions,
  checkpointingProblem,
  RECOVERY_OPTIONS,
  type RecoveryOptions,
  RESTART_STRATEGY_OPTIONS,
  type RestartStrategyOptions,
  restartStrategyOf,
} from "./options.ts";
export {
  assignRestoredState,
  type RestoredOperator,
  type RestoreDecision,
  type RestoredSubtaskState,
  type RestoredVertex,
  type RestoringVertex,
} from "./restore/assign-restored-state.ts";
export { type CheckpointCounts, CheckpointStatistics } from "./history/checkpoint-statistics.ts";
export { HistoryFile, readHistory } from "./history/history-file.ts";
export {
  type CheckpointHistory,
  decodeHistory,
  encodeRecord,
  HISTORY_FILE_NAME,
} from "./history/history-record.ts";
