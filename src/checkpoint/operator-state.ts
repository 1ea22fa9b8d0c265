import type {
  ChannelStateHandle,
  KeyedStateHandle,
  OperatorStateHandle,
  StreamStateHandle,
} from "../state/index.ts";

/**
 * State of one subtask of one operator: at most one handle of each kind.
 *
 * @remarks
 * After rescaling a subtask restores from several of these. Source: Flink `OperatorSubtaskState`.
 */
export interface OperatorSubtaskState {
  /** Operator state that Flink's terms call managed: list, union list and broadcast states. */
  readonly managedOperator: OperatorStateHandle | undefined;
  /** Operator state that an operator wrote as a plain stream. */
  readonly rawOperator: OperatorStateHandle | undefined;
  readonly managedKeyed: KeyedStateHandle | undefined;
  readonly rawKeyed: KeyedStateHandle | undefined;
  /** In-flight data of the inputs, of an unaligned checkpoint. */
  readonly inputChannel: readonly ChannelStateHandle[];
  /** In-flight data of the results, of an unaligned checkpoint. */
  readonly resultSubpartition: readonly ChannelStateHandle[];
}

/** A subtask of an operator in a checkpoint. */
export interface SubtaskState {
  readonly subtaskIndex: number;
  /** True if the subtask had finished before the checkpoint; its state is then empty. */
  readonly isFinished: boolean;
  readonly state: OperatorSubtaskState;
  /** Checkpoint from which a regional checkpoint took this state over. Only read, from version 7. */
  readonly referenceCheckpointId: number | undefined;
}

/** State of one operator over all its subtasks. */
export interface OperatorState {
  /** Undefined if unknown (before version 5, or not given). */
  readonly operatorName: string | undefined;
  /** The user's `uid`; undefined if unknown or not given. */
  readonly operatorUid: string | undefined;
  /** 32 hexadecimal digits. */
  readonly operatorId: string;
  readonly parallelism: number;
  /** Number of key groups. */
  readonly maxParallelism: number;
  readonly coordinatorState: StreamStateHandle | undefined;
  /** In the order of the file. A subtask without state may be missing. */
  readonly subtaskStates: readonly SubtaskState[];
  /** True if all subtasks had finished; then there is no coordinator state and no subtask state. */
  readonly isFullyFinished: boolean;
}

/** State of a subtask that has none. */
export const EMPTY_SUBTASK_STATE: OperatorSubtaskState = {
  managedOperator: undefined,
  rawOperator: undefined,
  managedKeyed: undefined,
  rawKeyed: undefined,
  inputChannel: [],
  resultSubpartition: [],
};
