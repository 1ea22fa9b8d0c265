import { MalformedBytesError, StreamError } from "../../base/index.ts";
import {
  EMPTY_SUBTASK_STATE,
  type OperatorState,
  type OperatorSubtaskState,
  type SubtaskState,
} from "../operator-state.ts";
import { decodeChannelStates } from "./channel-state-codec.ts";
import {
  type CheckpointMetadata,
  isReadVersion,
  MAGIC,
  type MasterState,
  type MetadataVersion,
} from "./checkpoint-metadata.ts";
import {
  decodeKeyedHandle,
  decodeOperatorStateHandle,
  decodeStreamHandle,
  MAX_KEY_GROUPS,
} from "./handle-decoder.ts";
import { MetadataInput } from "./metadata-input.ts";
import { decodeProperties } from "./properties-codec.ts";

/** First word of a master state. */
export const MASTER_STATE_MAGIC: number = 0xc96b_1696 | 0;

/**
 * Reads `_metadata` of versions 2 to 7.
 *
 * @remarks
 * Inline data are views of `bytes`, so keep them unchanged. Memory is bounded by the input, whatever it says: a count
 * that the rest cannot hold is refused before anything is allocated for it, and no field becomes more than a few
 * dozen times its bytes. Trailing bytes are refused, and so are operators, subtasks and files that occur twice.
 *
 * @param source - `path` is where the bytes came from, for errors.
 * @throws StreamError METADATA_MALFORMED, with the position, if the input is truncated or damaged.
 * @throws StreamError METADATA_VERSION_UNSUPPORTED for version 1 and for versions that are not known.
 */
export function decodeMetadata(
  bytes: Uint8Array,
  source: { readonly path: string },
): CheckpointMetadata {
  const input = new MetadataInput(bytes);
  try {
    return decode(input, source.path);
  } catch (error) {
    if (!(error instanceof MalformedBytesError)) throw error;
    const { positionBytes } = error;
    const problem = error.message.replace(` at byte ${positionBytes}`, "");
    throw new StreamError(
      "METADATA_MALFORMED",
      { path: source.path, positionBytes, problem },
      error,
    );
  }
}

function decode(input: MetadataInput, path: string): CheckpointMetadata {
  const magic = input.int("magic number of _metadata");
  if (magic !== MAGIC)
    input.fail(`expected the magic number of _metadata (49 60 67 2d), found ${hexOfInt(magic)}`, 4);
  const version = input.int("format version");
  if (!isReadVersion(version))
    throw new StreamError("METADATA_VERSION_UNSUPPORTED", { path, version });

  const checkpointId = input.positiveLong("checkpoint id");
  const masterStates = input.list(8, "number of master states", () => decodeMasterState(input));
  const operatorIds = new Set<string>();
  const operatorStates = input.list(28, "number of operators", () => {
    const at = input.position;
    const operator = decodeOperator(input, version);
    if (operatorIds.has(operator.operatorId)) {
      input.fail(
        `expected each operator once, found ${operator.operatorId} again`,
        input.position - at,
      );
    }
    operatorIds.add(operator.operatorId);
    return operator;
  });
  const properties = version >= 4 ? decodeProperties(input) : undefined;
  if (input.remaining > 0) input.fail(`expected the end, found ${input.remaining} more bytes`);
  return { checkpointId, masterStates, operatorStates, properties, version };
}

function decodeMasterState(input: MetadataInput): MasterState {
  const magic = input.int("magic number of master state");
  if (magic !== MASTER_STATE_MAGIC) {
    input.fail(
      `expected the magic number of a master state (c9 6b 16 96), found ${hexOfInt(magic)}`,
      4,
    );
  }
  const length = input.count(1, "length of master state");
  const end = input.position + length;
  const version = input.int("version of master state");
  const name = input.utf("name of master state");
  const payload = input.bytes("payload of master state");
  if (input.position !== end)
    input.fail(`expected the end of master state "${name}" at byte ${end}`);
  return { name, version, payload };
}

function decodeOperator(input: MetadataInput, version: MetadataVersion): OperatorState {
  const operatorName = version >= 5 ? textOrUndefined(input.utf("operator name")) : undefined;
  const operatorUid = version >= 5 ? textOrUndefined(input.utf("operator uid")) : undefined;
  const operatorId = hexOf(input.raw(16, "operator id"));
  const parallelism = input.intBetween(0, MAX_KEY_GROUPS, "parallelism");
  const maxParallelism = input.intBetween(
    Math.max(1, parallelism),
    MAX_KEY_GROUPS,
    "max parallelism",
  );
  if (version === 2) input.int("length of operator chain");
  const coordinatorAt = input.position;
  const coordinatorState =
    version >= 3 ? decodeStreamHandle(input, "coordinator state") : undefined;
  if (coordinatorState !== undefined && coordinatorState.kind !== "bytes") {
    const length = input.position - coordinatorAt;
    input.fail(
      `expected coordinator state inline, found a handle of kind ${coordinatorState.kind}`,
      length,
    );
  }
  const operator = {
    operatorName,
    operatorUid,
    operatorId,
    parallelism,
    maxParallelism,
    coordinatorState,
  };

  const count = input.int("number of subtasks");
  if (count === -1) {
    if (coordinatorState !== undefined)
      input.fail("expected no coordinator state of a finished operator", 4);
    return { ...operator, subtaskStates: [], isFullyFinished: true };
  }
  if (count < 0 || count > parallelism) {
    input.fail(`expected a number of subtasks from 0 to ${parallelism}, or -1, found ${count}`, 4);
  }
  return {
    ...operator,
    subtaskStates: decodeSubtasks(input, version, count, parallelism),
    isFullyFinished: false,
  };
}

function decodeSubtasks(
  input: MetadataInput,
  version: MetadataVersion,
  count: number,
  parallelism: number,
): readonly SubtaskState[] {
  const seen = new Set<number>();
  const subtasks: SubtaskState[] = [];
  for (let read = 0; read < count; read++) {
    const stored = input.int("subtask index");
    const isFinished = version >= 3 && stored < 0;
    const subtaskIndex = isFinished ? -stored - 1 : stored;
    if (subtaskIndex < 0 || subtaskIndex >= parallelism) {
      input.fail(`expected a subtask index from 0 to ${parallelism - 1}, found ${subtaskIndex}`, 4);
    }
    if (seen.has(subtaskIndex))
      input.fail(`expected each subtask once, found ${subtaskIndex} again`, 4);
    seen.add(subtaskIndex);
    if (isFinished) {
      subtasks.push({
        subtaskIndex,
        isFinished,
        state: EMPTY_SUBTASK_STATE,
        referenceCheckpointId: undefined,
      });
      continue;
    }
    const state = decodeSubtaskState(input, version);
    const referenceCheckpointId = version >= 7 ? decodeReference(input) : undefined;
    subtasks.push({ subtaskIndex, isFinished, state, referenceCheckpointId });
  }
  return subtasks;
}

function decodeReference(input: MetadataInput): number | undefined {
  return input.boolean("mark of a reference checkpoint id")
    ? input.long("reference checkpoint id")
    : undefined;
}

function decodeSubtaskState(input: MetadataInput, version: MetadataVersion): OperatorSubtaskState {
  if (version === 2) {
    input.raw(8, "duration of subtask state");
    const legacyCount = input.int("number of legacy states");
    if (legacyCount !== 0)
      input.fail(`expected no legacy state (Flink 1.1 and before), found ${legacyCount}`, 4);
  }
  const operatorState = (what: string): OperatorSubtaskState["managedOperator"] => {
    const mark = input.intBetween(0, 1, `mark of ${what}`);
    return mark === 0 ? undefined : decodeOperatorStateHandle(input, what);
  };
  return {
    managedOperator: operatorState("managed operator state"),
    rawOperator: operatorState("raw operator state"),
    managedKeyed: decodeKeyedHandle(input, "managed keyed state"),
    rawKeyed: decodeKeyedHandle(input, "raw keyed state"),
    inputChannel: version >= 3 ? decodeChannelStates(input, version, "input") : [],
    resultSubpartition: version >= 3 ? decodeChannelStates(input, version, "output") : [],
  };
}

function textOrUndefined(text: string): string | undefined {
  return text === "" ? undefined : text;
}

function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function hexOfInt(value: number): string {
  const digits = (value >>> 0).toString(16).padStart(8, "0");
  return digits.match(/../g)?.join(" ") ?? digits;
}
