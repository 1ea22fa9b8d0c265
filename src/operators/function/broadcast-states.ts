import { StreamError } from "../../base/index.ts";
import type { BroadcastState, MapStateDescriptor } from "../../state/index.ts";
import type { OperatorContext } from "../operator.ts";
import type { ReadOnlyBroadcastState } from "./broadcast-function.ts";

/** A broadcast state of any types. */
export type AnyBroadcastDescriptor = MapStateDescriptor<never, never>;

/** The broadcast states that a stream was broadcast with. */
export class BroadcastStates {
  private readonly context: OperatorContext;
  private readonly states: Map<string, BroadcastState<unknown, unknown>>;

  /** Declares them all, so that each is in every snapshot and restored whether it is used or not. */
  constructor(context: OperatorContext, descriptors: readonly AnyBroadcastDescriptor[]) {
    this.context = context;
    this.states = new Map(
      descriptors.map((descriptor) => {
        const { name, keyType, valueType } = descriptor as MapStateDescriptor<unknown, unknown>;
        return [name, context.operatorState.broadcastState({ name, keyType, valueType })];
      }),
    );
  }

  get<K, V>(descriptor: MapStateDescriptor<K, V>): BroadcastState<K, V> {
    const state = this.states.get(descriptor.name);
    if (state !== undefined)
      return state as BroadcastState<unknown, unknown> as BroadcastState<K, V>;
    throw new StreamError("PARAMETER_INVALID", {
      what: `getBroadcastState in "${this.context.operatorName}"`,
      problem: `the stream was not broadcast with the state "${descriptor.name}"`,
    });
  }

  getReadOnly<K, V>(descriptor: MapStateDescriptor<K, V>): ReadOnlyBroadcastState<K, V> {
    const state = this.get(descriptor);
    return {
      get: (key) => state.get(key),
      contains: (key) => state.contains(key),
      isEmpty: () => state.isEmpty(),
      entries: () => state.entries(),
    };
  }
}
