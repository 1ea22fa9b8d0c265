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
  type SnapshotType,
} from "./metadata/checkpoint-properties.ts";
export {
  EMPTY_SUBTASK_STATE,
  type OperatorState,
  type OperatorSubtaskState,
  type SubtaskState,
} from "./operator-state.ts";
export { decodeMetadata } from "./metadata/metadata-decoder.ts";
export { encodeMetadata } from "./metadata/metadata-encoder.ts";
export {
  type OperatorFacts,
  type SnapshotFacts,
  snapshotFacts,
} from "./metadata/snapshot-facts.ts";
export type { BarrierAction, BarrierHandler } from "./barrier/barrier-handler.ts";
export { CheckpointBarrierTracker } from "./barrier/checkpoint-barrier-tracker.ts";
export {
  type BarrierHandlerOptions,
  createBarrierHandler,
} from "./barrier/create-barrier-handler.ts";
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
export type { CheckpointFailureReason, FailureReasonTraits } from "./failure-reason.ts";
