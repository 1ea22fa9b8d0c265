export type {
  KeyGroupRange,
  KeyGroupsStateHandle,
  OperatorStateHandle,
  OperatorStateMode,
  OperatorStatePartitions,
  StreamStateHandle,
} from "./state-handle.ts";
