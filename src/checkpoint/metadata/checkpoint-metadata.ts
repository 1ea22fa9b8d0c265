import type { OperatorState } from "../operator-state.ts";
import type { CheckpointProperties } from "./checkpoint-properties.ts";

/** State that a source's master hook gave to the coordinator. Source: Flink `MasterTriggerRestoreHook`. */
export interface MasterState {
  readonly name: string;
  /** Version of the hook's serializer. */
  readonly version: number;
  readonly payload: Uint8Array;
}

/** First word of `_metadata`. */
export const MAGIC = 0x4960_672d;

/** Format versions of `_metadata` that are read; {@link WRITTEN_VERSION} is the one that is written. */
export type MetadataVersion = 2 | 3 | 4 | 5 | 6 | 7;

/** True for the versions that are read. Version 1 (Flink 1.2) is not, as in Flink since 1.11. */
export function isReadVersion(version: number): version is MetadataVersion {
  return version >= 2 && version <= 7;
}

/** The version that the engine writes: the first with operator names, uids and merged channel state. */
export const WRITTEN_VERSION = 6;

/**
 * All that `_metadata` says of a checkpoint, in the order of the file, so that it can be written again byte for byte.
 *
 * @remarks
 * Flink's readers give the order of operators no meaning.
 */
export interface CheckpointMetadata {
  readonly checkpointId: number;
  readonly masterStates: readonly MasterState[];
  readonly operatorStates: readonly OperatorState[];
  /** Undefined below version 4, which did not have them, and where null was written, as Flink's state processor does. */
  readonly properties: CheckpointProperties | undefined;
  /** The version it was read in. */
  readonly version: MetadataVersion;
}
