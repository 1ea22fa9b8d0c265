import {
  type CheckpointMetadata,
  EMPTY_SUBTASK_STATE,
  type OperatorState,
  type OperatorSubtaskState,
  propertiesOfCheckpoint,
  type SubtaskState,
} from "../src/checkpoint/index.ts";
import type {
  ChannelStateHandle,
  IncrementalStateHandle,
  KeyedStateHandle,
  KeyGroupsStateHandle,
  OperatorStateHandle,
  StreamStateHandle,
} from "../src/state/index.ts";

/**
 * A checkpoint that holds every kind of handle which Flink 2.2 reads, in version 6.
 *
 * @remarks
 * Tag 3 as a stream handle is left out: Flink's reader takes it only in old files.
 */
export function metadataSpecimen(): CheckpointMetadata {
  return {
    version: 6,
    checkpointId: 4_294_967_301,
    masterStates: [
      { name: "hook: ünïcode \u0000 😀", version: 3, payload: new Uint8Array([1, 2, 3]) },
    ],
    operatorStates: [
      sourceOperator(),
      keyedOperator(),
      channelOperator(),
      finishedOperator(),
      changelogOperator(),
    ],
    properties: propertiesOfCheckpoint("CHECKPOINT", "RETAIN_ON_CANCELLATION"),
  };
}

const HANDLE_ID = "3f0d4f2c-7d58-4cde-9a5e-0f6f3a2b1c0d";

function inline(name: string, length: number): StreamStateHandle {
  return { kind: "bytes", name, data: Uint8Array.from({ length }, (_, index) => index & 0xff) };
}

function relativeFile(path: string, sizeBytes: number): StreamStateHandle {
  return { kind: "relative-file", path, sizeBytes };
}

function subtask(subtaskIndex: number, state: Partial<OperatorSubtaskState>): SubtaskState {
  return {
    subtaskIndex,
    isFinished: false,
    state: { ...EMPTY_SUBTASK_STATE, ...state },
    referenceCheckpointId: undefined,
  };
}

function finished(subtaskIndex: number): SubtaskState {
  return {
    subtaskIndex,
    isFinished: true,
    state: EMPTY_SUBTASK_STATE,
    referenceCheckpointId: undefined,
  };
}

function operatorOf(
  id: string,
  name: string | undefined,
  subtaskStates: readonly SubtaskState[],
): OperatorState {
  return {
    operatorName: name,
    operatorUid: name === undefined ? undefined : `${name}-uid`,
    operatorId: id.repeat(32 / id.length),
    parallelism: 4,
    maxParallelism: 128,
    coordinatorState: undefined,
    subtaskStates,
    isFullyFinished: false,
  };
}

/** Operator state of all modes, inline and in files; coordinator state; finished subtasks. */
function sourceOperator(): OperatorState {
  const states: OperatorStateHandle["states"] = [
    { name: "SourceReaderState", mode: "SPLIT_DISTRIBUTE", offsets: [0, 12, 24] },
    { name: "positions", mode: "UNION", offsets: [36] },
    { name: "rules", mode: "BROADCAST", offsets: [48] },
  ];
  const merged = (stream: StreamStateHandle, isEmpty: boolean): OperatorStateHandle => ({
    states,
    stream,
    merged: {
      taskOwnedDirectory: "file:/cp/job/taskowned/tm",
      sharedDirectory: "file:/cp/job/shared/op",
      isEmpty,
    },
  });
  const segment: StreamStateHandle = {
    kind: "segment",
    startBytes: 4096,
    sizeBytes: 60,
    scope: "SHARED",
    path: "file:/cp/job/shared/op/merged-1",
    logicalFileId: HANDLE_ID,
  };
  return {
    ...operatorOf("01", "Source: flights", [
      subtask(0, {
        managedOperator: { states, stream: inline("source-0", 60), merged: undefined },
      }),
      finished(1),
      subtask(2, {
        managedOperator: { states, stream: relativeFile("source-2", 60_000), merged: undefined },
        rawOperator: {
          states,
          stream: { kind: "file", path: "file:/cp/raw", sizeBytes: 77 },
          merged: undefined,
        },
      }),
      subtask(3, {
        managedOperator: merged(segment, false),
        rawOperator: merged({ kind: "empty-segment" }, true),
      }),
    ]),
    coordinatorState: inline("coordinator", 21),
  };
}

/** Key groups of each tag and incremental state. */
function keyedOperator(): OperatorState {
  const groups = (
    tag: 3 | 7 | 12,
    first: number,
    stream: StreamStateHandle,
  ): KeyGroupsStateHandle => ({
    kind: "key-groups",
    tag,
    range: { first, last: first + 31 },
    offsets: Array.from({ length: 32 }, (_, index) => index * 100),
    stream,
    handleId: tag === 12 ? HANDLE_ID : undefined,
  });
  return operatorOf("ab", "bursts", [
    subtask(0, {
      managedKeyed: groups(12, 0, relativeFile("keyed-0", 5000)),
      rawKeyed: groups(3, 0, inline("raw", 9)),
    }),
    subtask(1, { managedKeyed: groups(7, 32, inline("keyed-1", 3200)) }),
    subtask(2, { managedKeyed: incremental(11, 64) }),
    subtask(3, { managedKeyed: incremental(5, 96) }),
  ]);
}

function incremental(tag: 5 | 11, first: number): IncrementalStateHandle {
  return {
    kind: "incremental",
    tag,
    checkpointId: 17,
    backendId: HANDLE_ID,
    range: { first, last: first + 31 },
    checkpointedSizeBytes: tag === 11 ? 900 : undefined,
    meta: inline("meta", 100),
    shared: new Map([
      ["000012.sst", { kind: "file", path: "file:/cp/job/shared/sst-12", sizeBytes: 8000 }],
      ["000013.sst", { kind: "file", path: "file:/cp/job/shared/sst-13", sizeBytes: 800 }],
    ]),
    private: new Map([["MANIFEST-000005", relativeFile("manifest", 300)]]),
    handleId: tag === 11 ? HANDLE_ID : undefined,
  };
}

/** In-flight data: single and merged handles of both sides. */
function channelOperator(): OperatorState {
  const channel = (outerIndex: number, innerIndex: number) => ({
    info: { outerIndex, innerIndex },
    sizeBytes: 32,
    offsets: [4, 20],
  });
  const single = (subtaskIndex: number, innerIndex: number): ChannelStateHandle => ({
    kind: "single",
    subtaskIndex,
    channel: channel(0, innerIndex),
    stream: relativeFile("channels", 5000),
  });
  const merged = (subtaskIndex: number): ChannelStateHandle => ({
    kind: "merged",
    subtaskIndex,
    sizeBytes: 64,
    channels: [channel(0, 1), channel(1, 3)],
    stream: inline("channels", 80),
  });
  return operatorOf("cd", undefined, [
    subtask(0, { inputChannel: [single(0, 0), single(0, 2)], resultSubpartition: [single(0, 1)] }),
    subtask(2, { inputChannel: [merged(2)], resultSubpartition: [merged(2)] }),
  ]);
}

function finishedOperator(): OperatorState {
  return { ...operatorOf("ef", "done", []), isFullyFinished: true };
}

/** Changelog state of each tag. */
function changelogOperator(): OperatorState {
  const range = { first: 0, last: 31 };
  const memory: KeyedStateHandle = {
    kind: "changelog-memory",
    range,
    fromSequence: 3,
    toSequence: 5,
    changes: [
      { keyGroup: -1, change: new Uint8Array([9]) },
      { keyGroup: 7, change: new Uint8Array([1, 2, 3, 4]) },
    ],
    handleId: HANDLE_ID,
  };
  const files = (tag: 10 | 13): KeyedStateHandle => ({
    kind: "changelog-files",
    tag,
    range,
    parts: [
      { offset: 0, stream: { kind: "file", path: "file:/cp/job/shared/log-1", sizeBytes: 70 } },
      { offset: 14, stream: inline("log-2", 40) },
    ],
    sizeBytes: 110,
    checkpointedSizeBytes: 40,
    handleId: HANDLE_ID,
    storageId: tag === 13 ? "filesystem" : undefined,
  });
  const changelog = (tag: 8 | 14): KeyedStateHandle => ({
    kind: "changelog",
    tag,
    range,
    checkpointedSizeBytes: 50,
    materialized: [incremental(11, 0)],
    delta: [memory, files(10), files(13)],
    materializationId: 6,
    checkpointId: tag === 14 ? 8 : undefined,
    handleId: HANDLE_ID,
  });
  return operatorOf("89", "ledger", [
    subtask(0, { managedKeyed: changelog(14) }),
    subtask(1, { managedKeyed: changelog(8) }),
  ]);
}
