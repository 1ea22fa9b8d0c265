import type { TypeSerializer } from "../serde/index.ts";
import type { KeyedStateStore, ProcessingTimeService } from "./keyed-state.ts";
import type { KeyGroupRange } from "./state-handle.ts";

/** What the runtime gives a backend when it makes one. */
export interface KeyedStateBackendParameters {
  readonly keyType: TypeSerializer<unknown>;
  readonly maxParallelism: number;
  readonly keyGroupRange: KeyGroupRange;
  readonly processingTime: ProcessingTimeService;
  /** Names the operator and subtask in errors. */
  readonly ownerName: string;
}

/** Bytes of one keyed snapshot: Flink's heap layout, a section per key group. */
export interface KeyedStateBytes {
  readonly range: KeyGroupRange;
  /** Offset of each key group's section, in key-group order. */
  readonly offsets: readonly number[];
  readonly bytes: Uint8Array;
}

/**
 * The asynchronous part of a keyed snapshot, done in slices between batches.
 *
 * @remarks
 * The state of the moment of `snapshot()`: whatever is changed afterwards is saved first.
 */
export interface KeyedStateSnapshot {
  /** Encodes up to about `entryBudget` entries. Returns true when the snapshot is whole. */
  advance(entryBudget: number): boolean;
  /** The chunks of the file, in order. Only after `advance` returned true. */
  result(): {
    readonly range: KeyGroupRange;
    readonly offsets: readonly number[];
    readonly chunks: readonly Uint8Array[];
    readonly sizeBytes: number;
  };
  /** Gives up the snapshot (aborted checkpoint); the backend goes on. */
  cancel(): void;
}

/** One change of keyed state as its last value; what a process border or a change log carries. */
export interface StateChange {
  readonly state: string;
  readonly keyHash: number;
  readonly key: Uint8Array;
  readonly namespace: Uint8Array | undefined;
  /** For map state. */
  readonly mapKey: Uint8Array | undefined;
  /** Undefined: removed. */
  readonly value: Uint8Array | undefined;
}

/** A state and its cells as last values: what `takeChanges` told, put together by whoever keeps the durable copy. */
export interface LoadedState {
  /** What `describeState` answered when the cells were told. */
  readonly description: Uint8Array;
  /** In any order. None says that it was removed. */
  readonly cells: Iterable<Omit<StateChange, "state">>;
}

/**
 * Keyed state of one subtask, with its life cycle: `restore*`, use, `snapshot*`, `dispose`.
 *
 * Laws: `state/keyed-state-backend-laws.ts`; every backend runs them.
 */
export interface KeyedStateBackend extends KeyedStateStore {
  /**
   * Loads the key groups of this backend's range out of a snapshot. Called before the first use, any number of times.
   *
   * @remarks
   * States are decoded when they are declared. One that is never declared again is kept as bytes and written on, as in Flink's
   * heap backend. A backend whose restore or declaration failed must not be used.
   *
   * @throws StreamError STATE_INCOMPATIBLE at once for a key of another type; at declaration for a state whose old bytes the
   * declared serializers cannot read, naming state, field, old and new type. @throws StreamError STATE_BYTES_CORRUPT naming the
   * position.
   */
  restore(snapshot: KeyedStateBytes): void;
  /**
   * Loads cells, in place of `restore` or beside it, under the same conditions. Cells of key groups outside this backend's range are
   * refused: whoever sent them has counted wrongly.
   *
   * @throws StreamError as `restore`.
   */
  load(states: Iterable<LoadedState>): void;
  /**
   * The synchronous part: freezes the present state, in time by states and namespaces, not by entries. Several may be open.
   *
   * @remarks
   * A value that its serializer refuses makes `advance` throw VALUE_NOT_SERIALIZABLE with state, operator and path: that snapshot
   * has failed, the state goes on. Values that are held in rows of numbers are refused when they are written.
   */
  snapshot(checkpointId: number): KeyedStateSnapshot;
  /** Starts recording changes; afterwards `takeChanges` returns the last value of all that changed since its last call. */
  trackChanges(): void;
  takeChanges(): Iterable<StateChange>;
  /**
   * What stands beside the bytes of a state that `takeChanges` has named, so that another declaration can read them: name, kind and
   * serializers, as in a snapshot's header.
   *
   * @remarks
   * Where a state was loaded or restored under another description, all of it counts as changed.
   */
  describeState(state: string): Uint8Array;
  /** Number of (state, key, namespace) entries held. */
  entryCount(): number;
  dispose(): void;
}
