import { assert, ByteWriter } from "../../base/index.ts";
import type { OperatorState, SubtaskState } from "../operator-state.ts";
import { encodeChannelStates } from "./channel-state-codec.ts";
import {
  type CheckpointMetadata,
  MAGIC,
  type MasterState,
  WRITTEN_VERSION,
} from "./checkpoint-metadata.ts";
import {
  encodeKeyedHandle,
  encodeOperatorStateHandle,
  encodeStreamHandle,
} from "./handle-encoder.ts";
import { MASTER_STATE_MAGIC } from "./metadata-decoder.ts";
import { encodeProperties } from "./properties-codec.ts";
import { writeText } from "./metadata-text.ts";

const OPERATOR_ID = /^[0-9a-f]{32}$/;

/**
 * Writes `_metadata` of version 6, whatever version it was read in.
 *
 * @remarks
 * What Flink wrote in version 6 comes out byte for byte. A reference checkpoint id of version 7 is dropped.
 *
 * @throws StreamError METADATA_TEXT_TOO_LONG if a name or path is longer than Java's 16-bit length can say.
 */
export function encodeMetadata(metadata: CheckpointMetadata): Uint8Array {
  assert(metadata.checkpointId >= 0, "a checkpoint id is not negative");
  const out = new ByteWriter(4096);
  out.writeInt(MAGIC);
  out.writeInt(WRITTEN_VERSION);
  out.writeLongNumber(metadata.checkpointId);
  out.writeInt(metadata.masterStates.length);
  for (const state of metadata.masterStates) encodeMasterState(state, out);
  out.writeInt(metadata.operatorStates.length);
  for (const operator of metadata.operatorStates) encodeOperator(operator, out);
  encodeProperties(metadata.properties, out);
  return out.toBytes();
}

function encodeMasterState(state: MasterState, out: ByteWriter): void {
  const body = new ByteWriter();
  body.writeInt(state.version);
  writeText(state.name, body);
  body.writeInt(state.payload.length);
  body.writeBytes(state.payload);
  out.writeInt(MASTER_STATE_MAGIC);
  out.writeInt(body.length);
  out.writeBytes(body.view());
}

function encodeOperator(operator: OperatorState, out: ByteWriter): void {
  assert(
    OPERATOR_ID.test(operator.operatorId),
    "an operator id has 32 lower-case hexadecimal digits",
  );
  assert(operator.parallelism <= operator.maxParallelism, "parallelism is within max parallelism");
  writeText(operator.operatorName ?? "", out);
  writeText(operator.operatorUid ?? "", out);
  for (let at = 0; at < 32; at += 2)
    out.writeByte(Number.parseInt(operator.operatorId.slice(at, at + 2), 16));
  out.writeInt(operator.parallelism);
  out.writeInt(operator.maxParallelism);
  const { coordinatorState } = operator;
  assert(
    coordinatorState === undefined || coordinatorState.kind === "bytes",
    "coordinator state is inline",
  );
  encodeStreamHandle(coordinatorState, out);
  if (operator.isFullyFinished) {
    assert(coordinatorState === undefined, "a fully finished operator has no coordinator state");
    assert(operator.subtaskStates.length === 0, "a fully finished operator has no subtask states");
    out.writeInt(-1);
    return;
  }
  out.writeInt(operator.subtaskStates.length);
  for (const subtask of operator.subtaskStates) encodeSubtask(subtask, operator.parallelism, out);
}

function encodeSubtask(subtask: SubtaskState, parallelism: number, out: ByteWriter): void {
  assert(subtask.subtaskIndex >= 0, "a subtask index is not negative");
  assert(subtask.subtaskIndex < parallelism, "a subtask index is below the parallelism");
  if (subtask.isFinished) {
    out.writeInt(-subtask.subtaskIndex - 1);
    return;
  }
  out.writeInt(subtask.subtaskIndex);
  const { state } = subtask;
  for (const handle of [state.managedOperator, state.rawOperator]) {
    out.writeInt(handle === undefined ? 0 : 1);
    if (handle !== undefined) encodeOperatorStateHandle(handle, out);
  }
  encodeKeyedHandle(state.managedKeyed, out);
  encodeKeyedHandle(state.rawKeyed, out);
  encodeChannelStates(state.inputChannel, "input", out);
  encodeChannelStates(state.resultSubpartition, "output", out);
}
