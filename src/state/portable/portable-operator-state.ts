import type { TypeSerializer } from "../../serde/index.ts";
import type { BroadcastState, OperatorListState, OperatorStateStore } from "../operator-state.ts";
import { stateBorder } from "./portable-keyed-state-backend.ts";
import { PortableListState, PortableMapState } from "./portable-states.ts";

/** Operator state as operators see it in portable mode: values go in and come out as bytes, and cannot be changed in place. */
export function portableOperatorState(
  inner: OperatorStateStore,
  ownerName: string,
): OperatorStateStore {
  const list = <T>(
    state: OperatorListState<T>,
    name: string,
    type: TypeSerializer<T>,
  ): OperatorListState<T> => new PortableListState(state, stateBorder(ownerName, name), type);
  return {
    listState: ({ name, type }) => list(inner.listState({ name, type }), name, type),
    unionListState: ({ name, type }) => list(inner.unionListState({ name, type }), name, type),
    broadcastState: <K, V>(descriptor: {
      readonly name: string;
      readonly keyType: TypeSerializer<K>;
      readonly valueType: TypeSerializer<V>;
    }): BroadcastState<K, V> =>
      new PortableMapState(
        inner.broadcastState(descriptor),
        stateBorder(ownerName, descriptor.name),
        descriptor,
      ),
  };
}
