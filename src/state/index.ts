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
export {
  defaultMaxParallelism,
  intersectRanges,
  keyGroupOf,
  keyGroupRangeOf,
  MAX_MAX_PARALLELISM,
  murmurHash,
  operatorIndexOf,
} from "./key-group.ts";
export type {
  AggregatingState,
  InternalTimerService,
  KeyedStateStore,
  ListState,
  MapState,
  Mergeable,
  NamespaceCursor,
  Namespaced,
  NamespaceLayout,
  NamespaceOptions,
  NamespaceTables,
  ProcessingTimeService,
  ReducingState,
  RollingState,
  Triggerable,
  ValueState,
} from "./keyed-state.ts";
export type {
  KeyedStateBackend,
  KeyedStateBackendParameters,
  KeyedStateBytes,
  KeyedStateSnapshot,
  LoadedState,
  StateChange,
} from "./keyed-state-backend.ts";
export type { BroadcastState, OperatorListState, OperatorStateStore } from "./operator-state.ts";
export type {
  ChangelogFilesHandle,
  ChangelogMemoryHandle,
  ChangelogStateHandle,
  ChannelInfo,
  ChannelStateHandle,
  ChannelStateOffsets,
  IncrementalStateHandle,
  KeyedStateHandle,
  KeyGroupRange,
  KeyGroupsStateHandle,
  LoggedStateChange,
  OperatorStateHandle,
  OperatorStateMode,
  OperatorStatePartitions,
  StreamStateHandle,
} from "./state-handle.ts";
export {
  heapKeyedStateBackend,
  type KeyedStateBackendFactory,
} from "./heap/heap-backend-factory.ts";
export { ManualProcessingTime } from "./manual-processing-time.ts";
export { OperatorStateBackend } from "./operator-state-backend.ts";
export type { OperatorStateBytes } from "./operator-state-file.ts";
export { portableKeyedStateBackend } from "./portable/portable-keyed-state-backend.ts";
export { portableOperatorState } from "./portable/portable-operator-state.ts";
export { freezeDeeply, throughBytes } from "./portable/portable-value.ts";
export { redistributeOperatorState } from "./redistribute-operator-state.ts";
