import type { KeyedStateHandle, StreamStateHandle } from "../../state/index.ts";
import type { OperatorState, OperatorSubtaskState } from "../operator-state.ts";
import type { CheckpointMetadata } from "./checkpoint-metadata.ts";

/** Which kind of state a stream holds. */
export type StateKind =
  | "coordinator"
  | "managed operator"
  | "raw operator"
  | "managed keyed"
  | "raw keyed"
  | "input channel"
  | "result subpartition";

/** A stream that a checkpoint refers to, and whose state it holds. */
export interface StreamReference {
  readonly operator: OperatorState;
  /** Undefined for the coordinator's state. */
  readonly subtaskIndex: number | undefined;
  readonly state: StateKind;
  readonly stream: StreamStateHandle;
}

/** Every stream of a checkpoint, in the order of the file. Several channels may share one. */
export function streamReferences(metadata: CheckpointMetadata): readonly StreamReference[] {
  return metadata.operatorStates.flatMap((operator) => {
    const { coordinatorState } = operator;
    const ofCoordinator: StreamReference[] =
      coordinatorState === undefined
        ? []
        : [{ operator, subtaskIndex: undefined, state: "coordinator", stream: coordinatorState }];
    const ofSubtasks = operator.subtaskStates.flatMap(({ subtaskIndex, state }) =>
      streamsOfSubtask(state).map((reference) => ({ operator, subtaskIndex, ...reference })),
    );
    return [...ofCoordinator, ...ofSubtasks];
  });
}

/** Every stream of one subtask's state. */
export function streamsOfSubtask(
  state: OperatorSubtaskState,
): readonly Pick<StreamReference, "state" | "stream">[] {
  const named = (kind: StateKind, streams: readonly StreamStateHandle[]) =>
    streams.map((stream) => ({ state: kind, stream }));
  const ofKeyed = (handle: KeyedStateHandle | undefined) =>
    handle === undefined ? [] : streamsOfKeyed(handle);
  return [
    ...named(
      "managed operator",
      state.managedOperator === undefined ? [] : [state.managedOperator.stream],
    ),
    ...named("raw operator", state.rawOperator === undefined ? [] : [state.rawOperator.stream]),
    ...named("managed keyed", ofKeyed(state.managedKeyed)),
    ...named("raw keyed", ofKeyed(state.rawKeyed)),
    ...named(
      "input channel",
      state.inputChannel.map(({ stream }) => stream),
    ),
    ...named(
      "result subpartition",
      state.resultSubpartition.map(({ stream }) => stream),
    ),
  ];
}

function streamsOfKeyed(handle: KeyedStateHandle): readonly StreamStateHandle[] {
  switch (handle.kind) {
    case "key-groups":
      return [handle.stream];
    case "incremental":
      return [handle.meta, ...handle.shared.values(), ...handle.private.values()];
    case "changelog":
      return [...handle.materialized, ...handle.delta].flatMap(streamsOfKeyed);
    case "changelog-memory":
      return [];
    case "changelog-files":
      return handle.parts.map(({ stream }) => stream);
  }
}
