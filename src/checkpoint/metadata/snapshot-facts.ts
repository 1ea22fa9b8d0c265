import type { KeyedStateHandle, OperatorStateHandle } from "../../state/index.ts";
import type { OperatorState } from "../operator-state.ts";
import type { CheckpointMetadata } from "./checkpoint-metadata.ts";
import {
  channelSizeBytes,
  keyedSizeBytes,
  operatorStateSizeBytes,
  streamSizeBytes,
  sum,
} from "./handle-size.ts";

/** Facts of one operator in a snapshot. Counts of handles are over all subtasks. */
export interface OperatorFacts {
  readonly id: string;
  /** Null where the file does not say. */
  readonly name: string | null;
  /** Null where the file does not say. */
  readonly uid: string | null;
  readonly parallelism: number;
  readonly maxParallelism: number;
  readonly fullyFinished: boolean;
  readonly coordinatorState: boolean;
  /** Subtask states in the file, finished ones included. */
  readonly subtasks: number;
  readonly managedKeyed: number;
  readonly rawKeyed: number;
  readonly managedOperator: number;
  readonly rawOperator: number;
  readonly inputChannel: number;
  readonly resultSubpartition: number;
  /** Flink's class names, sorted, each once. */
  readonly keyedHandleKinds: readonly string[];
  /** Sorted, each once. */
  readonly operatorStateNames: readonly string[];
  /** Bytes of keyed and operator state, without coordinator and channel state. */
  readonly stateSize: number;
}

/** What a snapshot holds, under fixed names: for people, `--json` and comparison with Flink. */
export interface SnapshotFacts {
  readonly version: number;
  readonly checkpointId: number;
  /** How many. */
  readonly masterStates: number;
  /** Sorted by id. */
  readonly operators: readonly OperatorFacts[];
  /** Bytes of all state, coordinator and channel state included. Source: Flink `OperatorState.getStateSize`. */
  readonly totalStateSize: number;
}

const FLINK_CLASS: { readonly [K in Exclude<KeyedStateHandle["kind"], "key-groups">]: string } = {
  incremental: "IncrementalRemoteKeyedStateHandle",
  changelog: "ChangelogStateBackendHandleImpl",
  "changelog-memory": "InMemoryChangelogStateHandle",
  "changelog-files": "ChangelogStateHandleStreamImpl",
};

/** The facts of a snapshot. Pure. */
export function snapshotFacts(metadata: CheckpointMetadata): SnapshotFacts {
  const operators = metadata.operatorStates.map(operatorFacts);
  return {
    version: metadata.version,
    checkpointId: metadata.checkpointId,
    masterStates: metadata.masterStates.length,
    operators: operators.toSorted((a, b) => compareText(a.id, b.id)),
    totalStateSize: sum(metadata.operatorStates, totalSizeBytes),
  };
}

function operatorFacts(operator: OperatorState): OperatorFacts {
  const states = operator.subtaskStates.map(({ state }) => state);
  const keyed = states
    .flatMap(({ managedKeyed, rawKeyed }) => [managedKeyed, rawKeyed])
    .filter(isPresent);
  const operatorHandles = operatorHandlesOf(operator);
  return {
    id: operator.operatorId,
    name: operator.operatorName ?? null,
    uid: operator.operatorUid ?? null,
    parallelism: operator.parallelism,
    maxParallelism: operator.maxParallelism,
    fullyFinished: operator.isFullyFinished,
    coordinatorState: operator.coordinatorState !== undefined,
    subtasks: states.length,
    managedKeyed: sum(states, (state) => (state.managedKeyed === undefined ? 0 : 1)),
    rawKeyed: sum(states, (state) => (state.rawKeyed === undefined ? 0 : 1)),
    managedOperator: sum(states, (state) => (state.managedOperator === undefined ? 0 : 1)),
    rawOperator: sum(states, (state) => (state.rawOperator === undefined ? 0 : 1)),
    inputChannel: sum(states, (state) => state.inputChannel.length),
    resultSubpartition: sum(states, (state) => state.resultSubpartition.length),
    keyedHandleKinds: sortedOnce(keyed.map(flinkClassOf)),
    operatorStateNames: sortedOnce(
      operatorHandles.flatMap((handle) => handle.states.map(({ name }) => name)),
    ),
    stateSize: sum(keyed, keyedSizeBytes) + sum(operatorHandles, operatorStateSizeBytes),
  };
}

function totalSizeBytes(operator: OperatorState): number {
  const { coordinatorState } = operator;
  const channels = operator.subtaskStates.flatMap(({ state }) => [
    ...state.inputChannel,
    ...state.resultSubpartition,
  ]);
  return (
    (coordinatorState === undefined ? 0 : streamSizeBytes(coordinatorState)) +
    operatorFacts(operator).stateSize +
    sum(channels, channelSizeBytes)
  );
}

function operatorHandlesOf(operator: OperatorState): readonly OperatorStateHandle[] {
  return operator.subtaskStates
    .flatMap(({ state }) => [state.managedOperator, state.rawOperator])
    .filter(isPresent);
}

function flinkClassOf(handle: KeyedStateHandle): string {
  if (handle.kind !== "key-groups") return FLINK_CLASS[handle.kind];
  return handle.tag === 7 ? "KeyGroupsSavepointStateHandle" : "KeyGroupsStateHandle";
}

function isPresent<T>(value: T | undefined): value is T {
  return value !== undefined;
}

function sortedOnce(list: readonly string[]): readonly string[] {
  return [...new Set(list)].toSorted(compareText);
}

/** By UTF-16 code units, as Java compares text. */
function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
