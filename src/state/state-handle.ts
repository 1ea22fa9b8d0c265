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
    | { readonly taskOwnedDirectory: string; readonly sharedDirectory: string; readonly isEmpty: boolean }
    | undefined;
}
