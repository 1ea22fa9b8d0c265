/**
 * Where the bytes of state lie: the handles of Flink's `_metadata`, versions 2 to 7.
 *
 * Source: Flink `MetadataV2V3SerializerBase`; the tags are in the comments.
 */

/** Bytes of one stream. */
export type StreamStateHandle =
  /** Inline in the metadata (tag 1). `name` is the name that a file would have had. */
  | { readonly kind: "bytes"; readonly name: string; readonly data: Uint8Array }
  /** A file by its absolute path or URI (tag 2). */
  | { readonly kind: "file"; readonly path: string; readonly sizeBytes: number }
  /** A file beside `_metadata`, so that the directory can be moved (tag 6). */
  | { readonly kind: "relative-file"; readonly path: string; readonly sizeBytes: number }
  /** A part of a merged file (tag 15). */
  | {
      readonly kind: "segment";
      readonly startBytes: number;
      readonly sizeBytes: number;
      readonly scope: "EXCLUSIVE" | "SHARED";
      readonly path: string;
      readonly logicalFileId: string;
    }
  /** A merged file's empty part (tag 16). */
  | { readonly kind: "empty-segment" }
  /** Nested key groups (tag 3 as a stream handle); seen only in Flink's old files. */
  | { readonly kind: "key-groups"; readonly handle: KeyGroupsStateHandle };

/** Inclusive range of key groups. */
export interface KeyGroupRange {
  readonly first: number;
  readonly last: number;
}

/** Keyed state with one offset per key group (tags 3, 7, 12). */
export interface KeyGroupsStateHandle {
  readonly kind: "key-groups";
  readonly tag: 3 | 7 | 12;
  readonly range: KeyGroupRange;
  /** Offset of each key group's data in the stream, in key-group order. */
  readonly offsets: readonly number[];
  readonly stream: StreamStateHandle;
  /** Only tag 12. */
  readonly handleId: string | undefined;
}

export type OperatorStateMode = "SPLIT_DISTRIBUTE" | "UNION" | "BROADCAST";

/** Where one named operator state lies in the stream. */
export interface OperatorStatePartitions {
  readonly name: string;
  readonly mode: OperatorStateMode;
  /** One offset per partition (list element); a broadcast state has exactly one. */
  readonly offsets: readonly number[];
}

/** Operator state of one subtask (tags 4, 17). */
export interface OperatorStateHandle {
  readonly states: readonly OperatorStatePartitions[];
  readonly stream: StreamStateHandle;
  /** Set for tag 17. */
  readonly merged:
    | {
        readonly taskOwnedDirectory: string;
        readonly sharedDirectory: string;
        readonly isEmpty: boolean;
      }
    | undefined;
}

/**
 * Keyed state in many files, of which the shared ones may also belong to other checkpoints (tags 5, 11).
 *
 * @remarks
 * The maps keep the order of the file. `checkpointedSizeBytes` and `handleId` came with tag 11.
 */
export interface IncrementalStateHandle {
  readonly kind: "incremental";
  readonly tag: 5 | 11;
  readonly checkpointId: number;
  readonly backendId: string;
  readonly range: KeyGroupRange;
  /** What this checkpoint uploaded, without the files of earlier ones. */
  readonly checkpointedSizeBytes: number | undefined;
  /** The serializers' snapshots. */
  readonly meta: StreamStateHandle;
  /** Files that later checkpoints may use again, by local name. */
  readonly shared: ReadonlyMap<string, StreamStateHandle>;
  /** Files of this checkpoint alone, by local name. */
  readonly private: ReadonlyMap<string, StreamStateHandle>;
  readonly handleId: string | undefined;
}

/** A materialised state and the changes since (tags 8, 14). */
export interface ChangelogStateHandle {
  readonly kind: "changelog";
  readonly tag: 8 | 14;
  readonly range: KeyGroupRange;
  readonly checkpointedSizeBytes: number;
  readonly materialized: readonly KeyedStateHandle[];
  readonly delta: readonly KeyedStateHandle[];
  readonly materializationId: number;
  /** Only tag 14. */
  readonly checkpointId: number | undefined;
  readonly handleId: string;
}

/** One logged change; key group -1 marks a change of metadata. */
export interface LoggedStateChange {
  readonly keyGroup: number;
  readonly change: Uint8Array;
}

/** Changes held in the metadata itself (tag 9). */
export interface ChangelogMemoryHandle {
  readonly kind: "changelog-memory";
  readonly range: KeyGroupRange;
  readonly fromSequence: number;
  readonly toSequence: number;
  readonly changes: readonly LoggedStateChange[];
  readonly handleId: string;
}

/** Changes in files (tags 10, 13). */
export interface ChangelogFilesHandle {
  readonly kind: "changelog-files";
  readonly tag: 10 | 13;
  readonly range: KeyGroupRange;
  readonly parts: readonly { readonly offset: number; readonly stream: StreamStateHandle }[];
  readonly sizeBytes: number;
  readonly checkpointedSizeBytes: number;
  readonly handleId: string;
  /** Only tag 13; tag 10 means `filesystem`. */
  readonly storageId: string | undefined;
}

/** Keyed state of one subtask. */
export type KeyedStateHandle =
  | KeyGroupsStateHandle
  | IncrementalStateHandle
  | ChangelogStateHandle
  | ChangelogMemoryHandle
  | ChangelogFilesHandle;

/** Which channel: input gate and channel, or result partition and subpartition. */
export interface ChannelInfo {
  /** Index of the gate, or of the partition. */
  readonly outerIndex: number;
  /** Index of the channel in its gate, or of the subpartition in its partition. */
  readonly innerIndex: number;
}

/** Where the buffers of one channel lie in a stream. */
export interface ChannelStateOffsets {
  readonly info: ChannelInfo;
  readonly sizeBytes: number;
  readonly offsets: readonly number[];
}

/**
 * In-flight data of an unaligned checkpoint.
 *
 * @remarks
 * Whether it is of inputs or of results is told by where the handle stands. Both forms exist since version 6;
 * before, only the single one.
 */
export type ChannelStateHandle =
  /** One channel (kinds 1 and 2). */
  | {
      readonly kind: "single";
      /** Subtask that wrote it. */
      readonly subtaskIndex: number;
      readonly channel: ChannelStateOffsets;
      readonly stream: StreamStateHandle;
    }
  /** All channels of one subtask (kinds 3 and 4). */
  | {
      readonly kind: "merged";
      readonly subtaskIndex: number;
      readonly sizeBytes: number;
      readonly channels: readonly ChannelStateOffsets[];
      readonly stream: StreamStateHandle;
    };
