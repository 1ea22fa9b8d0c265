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
