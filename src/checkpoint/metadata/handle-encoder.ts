import { type ByteWriter, unreachable } from "../../base/index.ts";
import type {
  ChangelogFilesHandle,
  ChangelogMemoryHandle,
  ChangelogStateHandle,
  IncrementalStateHandle,
  KeyedStateHandle,
  KeyGroupRange,
  KeyGroupsStateHandle,
  OperatorStateHandle,
  StreamStateHandle,
} from "../../state/index.ts";
import {
  OPERATOR_STATE_MODES,
  OPERATOR_STATE_TAG,
  STATE_SCOPES,
  STREAM_TAG,
} from "./handle-tags.ts";
import { writeText } from "./metadata-text.ts";

/** Writes a stream state handle, or the mark of none. */
export function encodeStreamHandle(handle: StreamStateHandle | undefined, out: ByteWriter): void {
  out.writeByte(STREAM_TAG[handle?.kind ?? "none"]);
  switch (handle?.kind) {
    case undefined:
    case "empty-segment":
      return;
    case "bytes":
      writeText(handle.name, out);
      out.writeInt(handle.data.length);
      out.writeBytes(handle.data);
      return;
    case "file":
      out.writeLongNumber(handle.sizeBytes);
      writeText(handle.path, out);
      return;
    case "relative-file":
      writeText(handle.path, out);
      out.writeLongNumber(handle.sizeBytes);
      return;
    case "segment":
      out.writeLongNumber(handle.startBytes);
      out.writeLongNumber(handle.sizeBytes);
      out.writeInt(STATE_SCOPES.indexOf(handle.scope));
      writeText(handle.path, out);
      writeText(handle.logicalFileId, out);
      return;
    case "key-groups":
      encodeKeyGroups(handle.handle, out);
      return;
    default:
      unreachable(handle);
  }
}

/** Writes a keyed state handle, or the mark of none. */
export function encodeKeyedHandle(handle: KeyedStateHandle | undefined, out: ByteWriter): void {
  if (handle === undefined) {
    out.writeByte(0);
    return;
  }
  out.writeByte(handle.kind === "changelog-memory" ? 9 : handle.tag);
  switch (handle.kind) {
    case "key-groups":
      encodeKeyGroups(handle, out);
      return;
    case "incremental":
      encodeIncremental(handle, out);
      return;
    case "changelog":
      encodeChangelog(handle, out);
      return;
    case "changelog-memory":
      encodeChangelogMemory(handle, out);
      return;
    case "changelog-files":
      encodeChangelogFiles(handle, out);
      return;
    default:
      unreachable(handle);
  }
}

function writeRange(range: KeyGroupRange, out: ByteWriter): void {
  out.writeInt(range.first);
  out.writeInt(range.last - range.first + 1);
}

function encodeKeyGroups(handle: KeyGroupsStateHandle, out: ByteWriter): void {
  writeRange(handle.range, out);
  for (const offset of handle.offsets) out.writeLongNumber(offset);
  encodeStreamHandle(handle.stream, out);
  if (handle.tag === 12) writeText(handle.handleId ?? "", out);
}

function encodeIncremental(handle: IncrementalStateHandle, out: ByteWriter): void {
  out.writeLongNumber(handle.checkpointId);
  writeText(handle.backendId, out);
  writeRange(handle.range, out);
  if (handle.tag === 11) out.writeLongNumber(handle.checkpointedSizeBytes ?? 0);
  encodeStreamHandle(handle.meta, out);
  encodeFileMap(handle.shared, out);
  encodeFileMap(handle.private, out);
  if (handle.tag === 11) writeText(handle.handleId ?? "", out);
}

function encodeFileMap(files: ReadonlyMap<string, StreamStateHandle>, out: ByteWriter): void {
  out.writeInt(files.size);
  for (const [name, stream] of files) {
    writeText(name, out);
    encodeStreamHandle(stream, out);
  }
}

function encodeChangelog(handle: ChangelogStateHandle, out: ByteWriter): void {
  writeRange(handle.range, out);
  out.writeLongNumber(handle.checkpointedSizeBytes);
  for (const list of [handle.materialized, handle.delta]) {
    out.writeInt(list.length);
    for (const inner of list) encodeKeyedHandle(inner, out);
  }
  out.writeLongNumber(handle.materializationId);
  if (handle.tag === 14) out.writeLongNumber(handle.checkpointId ?? handle.materializationId);
  writeText(handle.handleId, out);
}

function encodeChangelogMemory(handle: ChangelogMemoryHandle, out: ByteWriter): void {
  writeRange(handle.range, out);
  out.writeLongNumber(handle.fromSequence);
  out.writeLongNumber(handle.toSequence);
  out.writeInt(handle.changes.length);
  for (const { keyGroup, change } of handle.changes) {
    out.writeInt(keyGroup);
    out.writeInt(change.length);
    out.writeBytes(change);
  }
  writeText(handle.handleId, out);
}

function encodeChangelogFiles(handle: ChangelogFilesHandle, out: ByteWriter): void {
  writeRange(handle.range, out);
  out.writeInt(handle.parts.length);
  for (const { offset, stream } of handle.parts) {
    out.writeLongNumber(offset);
    encodeStreamHandle(stream, out);
  }
  out.writeLongNumber(handle.sizeBytes);
  out.writeLongNumber(handle.checkpointedSizeBytes);
  writeText(handle.handleId, out);
  if (handle.tag === 13) writeText(handle.storageId ?? "filesystem", out);
}

/** Writes an operator state handle, which must be there: its absence is written by the caller. */
export function encodeOperatorStateHandle(handle: OperatorStateHandle, out: ByteWriter): void {
  out.writeByte(handle.merged === undefined ? OPERATOR_STATE_TAG.plain : OPERATOR_STATE_TAG.merged);
  out.writeInt(handle.states.length);
  for (const { name, mode, offsets } of handle.states) {
    writeText(name, out);
    out.writeByte(OPERATOR_STATE_MODES.indexOf(mode));
    out.writeInt(offsets.length);
    for (const offset of offsets) out.writeLongNumber(offset);
  }
  if (handle.merged !== undefined) {
    writeText(handle.merged.taskOwnedDirectory, out);
    writeText(handle.merged.sharedDirectory, out);
    out.writeBoolean(handle.merged.isEmpty);
  }
  encodeStreamHandle(handle.stream, out);
}
