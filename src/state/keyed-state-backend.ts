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

/**
 * Keyed state of one subtask, with its life cycle: `restore*`, use, `snapshot*`, `dispose`.
 *
 * Laws: `state/keyed-state-backend-laws.ts`; every backend runs them.
 */
export interface KeyedStateBackend extends KeyedStateStore {
  /**
   * Loads the key groups of this backend's range out of a snapshot. Called before the first use, any number of times.
   *
   * @throws StreamError STATE_INCOMPATIBLE when a state is declared with a serializer that cannot read the old bytes; at
   * declaration, naming state, field, old and new type. @throws StreamError STATE_BYTES_CORRUPT naming the position.
   */
  restore(snapshot: KeyedStateBytes): void;
  /** The synchronous part: freezes the present state in microseconds. At most one snapshot is open per call order; several may be open. */
  snapshot(checkpointId: number): KeyedStateSnapshot;
  /** Processing timers: the service fires them through `ProcessingTimeService`; nothing to call. */
  /** Starts recording changes; afterwards `takeChanges` returns the last value of all that changed since its last call. */
  trackChanges(): void;
  takeChanges(): Iterable<StateChange>;
  /** Number of (state, key, namespace) entries held. */
  entryCount(): number;
  dispose(): void;
}
