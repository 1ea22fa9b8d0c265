export type {
  AggregateFunction,
  AggregatingStateDescriptor,
  ListStateDescriptor,
  MapStateDescriptor,
  ReducingStateDescriptor,
  StateDescriptor,
  StateTtlConfig,
  ValueStateDescriptor,
} from "./descriptor.ts";
export type {
  AggregatingState,
  InternalTimerService,
  KeyedStateStore,
  ListState,
  MapState,
  Mergeable,
  Namespaced,
  NamespaceLayout,
  NamespaceOptions,
  ProcessingTimeService,
  ReducingState,
  Triggerable,
  ValueState,
} from "./keyed-state.ts";
export type {
  KeyedStateBackend,
  KeyedStateBackendParameters,
  KeyedStateBytes,
  KeyedStateSnapshot,
  StateChange,
} from "./keyed-state-backend.ts";
export type { BroadcastState, OperatorListState, OperatorStateStore } from "./operator-state.ts";
export type {
  KeyGroupRange,
  KeyGroupsStateHandle,
  OperatorStateHandle,
  OperatorStateMode,
  OperatorStatePartitions,
  StreamStateHandle,
} from "./state-handle.ts";
