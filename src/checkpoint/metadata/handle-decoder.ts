import type {
  ChangelogFilesHandle,
  ChangelogMemoryHandle,
  ChangelogStateHandle,
  IncrementalStateHandle,
  KeyedStateHandle,
  KeyGroupRange,
  KeyGroupsStateHandle,
  OperatorStateHandle,
  OperatorStatePartitions,
  StreamStateHandle,
} from "../../state/index.ts";
import {
  OPERATOR_STATE_MODES,
  OPERATOR_STATE_TAG,
  STATE_SCOPES,
  STREAM_TAG,
} from "./handle-tags.ts";
import type { MetadataInput } from "./metadata-input.ts";

/** Flink's upper bound of the maximum parallelism, so of key groups too. */
export const MAX_KEY_GROUPS = 32_768;

/** A stream state handle, or undefined where none was written. */
export function decodeStreamHandle(
  input: MetadataInput,
  what: string,
): StreamStateHandle | undefined {
  const tag = input.byte(`tag of ${what}`);
  switch (tag) {
    case STREAM_TAG.none:
      return undefined;
    case STREAM_TAG.bytes:
      return {
        kind: "bytes",
        name: input.utf(`name of ${what}`),
        data: input.bytes(`data of ${what}`),
      };
    case STREAM_TAG.file: {
      const sizeBytes = input.long(`size of ${what}`);
      return { kind: "file", path: input.utf(`path of ${what}`), sizeBytes };
    }
    case STREAM_TAG["relative-file"]:
      return {
        kind: "relative-file",
        path: input.utf(`path of ${what}`),
        sizeBytes: input.long(`size of ${what}`),
      };
    case STREAM_TAG["key-groups"]:
      return input.nested(what, () => ({ kind: "key-groups", handle: decodeKeyGroups(input, 3) }));
    case STREAM_TAG.segment:
      return decodeSegment(input, what);
    case STREAM_TAG["empty-segment"]:
      return { kind: "empty-segment" };
    default:
      return input.fail(`expected a tag of ${what} (0, 1, 2, 3, 6, 15 or 16), found ${tag}`, 1);
  }
}

/** A stream state handle that must be there. */
export function decodePresentStreamHandle(input: MetadataInput, what: string): StreamStateHandle {
  const at = input.position;
  return (
    decodeStreamHandle(input, what) ??
    input.fail(`expected ${what}, found none`, input.position - at)
  );
}

function decodeSegment(input: MetadataInput, what: string): StreamStateHandle {
  const startBytes = input.positiveLong(`start of ${what}`);
  const sizeBytes = input.long(`size of ${what}`);
  const scope = STATE_SCOPES[input.int(`scope of ${what}`)];
  if (scope === undefined) return input.fail(`expected a scope of ${what} of 0 or 1`, 4);
  const path = input.utf(`path of ${what}`);
  return {
    kind: "segment",
    startBytes,
    sizeBytes,
    scope,
    path,
    logicalFileId: input.utf(`file id of ${what}`),
  };
}

/** A keyed state handle, or undefined where none was written. */
export function decodeKeyedHandle(
  input: MetadataInput,
  what: string,
): KeyedStateHandle | undefined {
  const tag = input.byte(`tag of ${what}`);
  switch (tag) {
    case 0:
      return undefined;
    case 3:
    case 7:
    case 12:
      return decodeKeyGroups(input, tag);
    case 5:
    case 11:
      return decodeIncremental(input, tag);
    case 8:
    case 14:
      return input.nested(what, () => decodeChangelog(input, tag));
    case 9:
      return decodeChangelogMemory(input);
    case 10:
    case 13:
      return decodeChangelogFiles(input, tag);
    default:
      return input.fail(`expected a tag of ${what} (0, 3, 5 or 7 to 14), found ${tag}`, 1);
  }
}

function decodeRange(input: MetadataInput): KeyGroupRange {
  const first = input.intBetween(0, MAX_KEY_GROUPS - 1, "first key group");
  const count = input.intBetween(0, MAX_KEY_GROUPS - first, "number of key groups");
  return { first, last: first + count - 1 };
}

function decodeKeyGroups(input: MetadataInput, tag: 3 | 7 | 12): KeyGroupsStateHandle {
  const first = input.intBetween(0, MAX_KEY_GROUPS - 1, "first key group");
  const offsets = input.offsets("key groups");
  const last = first + offsets.length - 1;
  if (last >= MAX_KEY_GROUPS)
    input.fail(`expected key groups below ${MAX_KEY_GROUPS}, found ${last}`);
  const stream = decodePresentStreamHandle(input, "keyed state stream");
  const handleId = tag === 12 ? input.utf("state handle id") : undefined;
  return { kind: "key-groups", tag, range: { first, last }, offsets, stream, handleId };
}

function decodeIncremental(input: MetadataInput, tag: 5 | 11): IncrementalStateHandle {
  const checkpointId = input.long("checkpoint id of incremental state");
  const backendId = input.utf("backend id");
  const range = decodeRange(input);
  const checkpointedSizeBytes = tag === 11 ? input.long("checkpointed size") : undefined;
  const meta = decodePresentStreamHandle(input, "stream of incremental state's meta data");
  const shared = decodeFileMap(input, "shared file");
  const privateFiles = decodeFileMap(input, "private file");
  const handleId = tag === 11 ? input.utf("state handle id") : undefined;
  return {
    kind: "incremental",
    tag,
    checkpointId,
    backendId,
    range,
    checkpointedSizeBytes,
    meta,
    shared,
    private: privateFiles,
    handleId,
  };
}

function decodeFileMap(input: MetadataInput, what: string): ReadonlyMap<string, StreamStateHandle> {
  const count = input.count(3, `number of ${what}s`);
  const files = new Map<string, StreamStateHandle>();
  for (let index = 0; index < count; index++) {
    const name = input.utf(`name of ${what}`);
    if (files.has(name)) input.fail(`expected each ${what} once, found "${name}" twice`);
    files.set(name, decodePresentStreamHandle(input, what));
  }
  return files;
}

function decodeChangelog(input: MetadataInput, tag: 8 | 14): ChangelogStateHandle {
  const range = decodeRange(input);
  const checkpointedSizeBytes = input.long("checkpointed size");
  const materialized = decodeKeyedList(input, "materialized state");
  const delta = decodeKeyedList(input, "changelog");
  const materializationId = input.long("materialization id");
  const checkpointId = tag === 14 ? input.long("checkpoint id of changelog state") : undefined;
  const handleId = input.utf("state handle id");
  return {
    kind: "changelog",
    tag,
    range,
    checkpointedSizeBytes,
    materialized,
    delta,
    materializationId,
    checkpointId,
    handleId,
  };
}

function decodeKeyedList(input: MetadataInput, what: string): readonly KeyedStateHandle[] {
  return input.list(1, `number of handles of ${what}`, () => {
    const at = input.position;
    return (
      decodeKeyedHandle(input, what) ??
      input.fail(`expected ${what}, found none`, input.position - at)
    );
  });
}

function decodeChangelogMemory(input: MetadataInput): ChangelogMemoryHandle {
  const range = decodeRange(input);
  const fromSequence = input.long("first sequence number");
  const toSequence = input.long("last sequence number");
  const changes = input.list(8, "number of changes", () => ({
    keyGroup: input.intBetween(-1, MAX_KEY_GROUPS - 1, "key group of a change"),
    change: input.bytes("change"),
  }));
  const handleId = input.utf("state handle id");
  return { kind: "changelog-memory", range, fromSequence, toSequence, changes, handleId };
}

function decodeChangelogFiles(input: MetadataInput, tag: 10 | 13): ChangelogFilesHandle {
  const range = decodeRange(input);
  const parts = input.list(9, "number of changelog files", () => ({
    offset: input.positiveLong("offset in changelog file"),
    stream: decodePresentStreamHandle(input, "changelog file"),
  }));
  const sizeBytes = input.long("size of changelog");
  const checkpointedSizeBytes = input.long("checkpointed size");
  const handleId = input.utf("state handle id");
  const storageId = tag === 13 ? input.utf("storage id") : undefined;
  return {
    kind: "changelog-files",
    tag,
    range,
    parts,
    sizeBytes,
    checkpointedSizeBytes,
    handleId,
    storageId,
  };
}

/** An operator state handle, or undefined where none was written. */
export function decodeOperatorStateHandle(
  input: MetadataInput,
  what: string,
): OperatorStateHandle | undefined {
  const tag = input.byte(`tag of ${what}`);
  if (tag === STREAM_TAG.none) return undefined;
  if (tag !== OPERATOR_STATE_TAG.plain && tag !== OPERATOR_STATE_TAG.merged) {
    return input.fail(`expected a tag of ${what} (0, 4 or 17), found ${tag}`, 1);
  }
  const states = input.list(7, "number of operator states", () => decodePartitions(input));
  if (tag === OPERATOR_STATE_TAG.plain) {
    return {
      states,
      stream: decodePresentStreamHandle(input, "operator state stream"),
      merged: undefined,
    };
  }
  const merged = {
    taskOwnedDirectory: input.utf("task-owned directory"),
    sharedDirectory: input.utf("shared directory"),
    isEmpty: input.boolean("mark of an empty segment"),
  };
  const at = input.position;
  const stream = decodePresentStreamHandle(input, "operator state segment");
  if (stream.kind !== "segment" && stream.kind !== "empty-segment") {
    return input.fail(
      `expected a segment as operator state, found ${stream.kind}`,
      input.position - at,
    );
  }
  return { states, stream, merged };
}

function decodePartitions(input: MetadataInput): OperatorStatePartitions {
  const name = input.utf("name of operator state");
  const mode = OPERATOR_STATE_MODES[input.byte("mode of operator state")];
  if (mode === undefined)
    return input.fail(`expected a mode of operator state "${name}" from 0 to 2`, 1);
  return { name, mode, offsets: input.offsets("partitions") };
}
