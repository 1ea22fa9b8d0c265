import type { StateDescriptor } from "../descriptor.ts";
import type { NamespaceOptions, ProcessingTimeService } from "../keyed-state.ts";
import { HeapListState } from "./heap-list-state.ts";
import { HeapMapState } from "./heap-map-state.ts";
import type * as SharedStates from "./heap-states.ts";
import { Ttl } from "../ttl/ttl.ts";
import { TtlCleaner } from "../ttl/ttl-cleaner.ts";
import { TtlMapState } from "../ttl/ttl-map-state.ts";
import {
  TtlAggregatingState,
  TtlListState,
  TtlReducingState,
  TtlValueState,
} from "../ttl/ttl-states.ts";

/** What the user holds of a declared state. `own` is the operator's instance of the hot module. */
export function makeState<N>(
  own: typeof SharedStates,
  descriptor: StateDescriptor,
  tables: SharedStates.StateTables,
  { identity }: NamespaceOptions<N>,
  clock: ProcessingTimeService,
): object {
  if (descriptor.ttl !== undefined)
    return makeTtlState(descriptor, tables, identity, new Ttl(descriptor.ttl, clock));
  switch (descriptor.kind) {
    case "value":
      return new own.HeapValueState(tables, identity);
    case "reducing":
      return new own.HeapReducingState(tables, identity, descriptor.reduce);
    case "aggregating":
      return new own.HeapAggregatingState(tables, identity, descriptor.aggregate);
    case "list":
      return new HeapListState(tables, identity);
    case "map":
      return new HeapMapState(tables, identity, descriptor.keyType.keyKind);
  }
}

function makeTtlState<N>(
  descriptor: StateDescriptor,
  tables: SharedStates.StateTables,
  identity: (namespace: N) => number | string,
  ttl: Ttl,
): object {
  const cleaner = new TtlCleaner(descriptor.kind, tables, ttl);
  switch (descriptor.kind) {
    case "value":
      return new TtlValueState(tables, identity, ttl, cleaner);
    case "reducing":
      return new TtlReducingState(tables, identity, ttl, cleaner, descriptor.reduce);
    case "aggregating":
      return new TtlAggregatingState(tables, identity, ttl, cleaner, descriptor.aggregate);
    case "list":
      return new TtlListState(tables, identity, ttl, cleaner);
    case "map":
      return new TtlMapState(tables, identity, descriptor.keyType.keyKind, ttl, cleaner);
  }
}
