import type { OperatorStateMode } from "../../state/index.ts";

/** First byte of a stream state handle. Source: Flink `MetadataV2V3SerializerBase`. */
export const STREAM_TAG: {
  readonly [
    K in "none" | "bytes" | "file" | "relative-file" | "key-groups" | "segment" | "empty-segment"
  ]: number;
} = {
  none: 0,
  bytes: 1,
  file: 2,
  "key-groups": 3,
  "relative-file": 6,
  segment: 15,
  "empty-segment": 16,
};

/** First byte of a channel state handle, since version 6. Source: Flink `ChannelStateHandleSerializerV2`. */
export const CHANNEL_TAG: {
  readonly [S in "input" | "output"]: { readonly single: number; readonly merged: number };
} = {
  input: { single: 1, merged: 3 },
  output: { single: 2, merged: 4 },
};

/** First byte of an operator state handle. */
export const OPERATOR_STATE_TAG: { readonly plain: 4; readonly merged: 17 } = {
  plain: 4,
  merged: 17,
};

/** In the order of their byte. Source: Flink `OperatorStateHandle.Mode`. */
export const OPERATOR_STATE_MODES: readonly OperatorStateMode[] = [
  "SPLIT_DISTRIBUTE",
  "UNION",
  "BROADCAST",
];

/** In the order of their integer. Source: Flink `CheckpointedStateScope`. */
export const STATE_SCOPES: readonly ("EXCLUSIVE" | "SHARED")[] = ["EXCLUSIVE", "SHARED"];
