import {
  ByteReader,
  ByteWriter,
  errorText,
  isStreamError,
  MalformedBytesError,
  StreamError,
} from "../base/index.ts";
import { resolveCompatibility, type TypeSerializer } from "../serde/index.ts";
import { HeapBroadcastState, HeapOperatorListState } from "./heap-operator-states.ts";
import type { BroadcastState, OperatorListState, OperatorStateStore } from "./operator-state.ts";
import {
  type OperatorStateBytes,
  writeOperatorHeader,
  writeOperatorTrailer,
} from "./operator-state-file.ts";
import { RestoredOperatorStates, type RestoredPartition } from "./restored-operator-states.ts";
import { inState } from "./state-errors.ts";
import type { OperatorStateMode, OperatorStatePartitions } from "./state-handle.ts";
import type { StateMetaInfo } from "./state-meta-info.ts";

/** One state as the backend keeps it. */
interface HeldState {
  readonly meta: StateMetaInfo;
  readonly mode: OperatorStateMode;
  readonly state: object;
  /** Appends the partitions, calling `begin` before each. */
  write(out: ByteWriter, begin: () => void): void;
}

/**
 * Operator state of one subtask: live lists and maps in memory, written whole in the synchronous part of a snapshot.
 *
 * @remarks
 * Life: `restore` of each handle, use, `snapshot`. What was restored and is never declared is written on as it came.
 * Source: Flink `DefaultOperatorStateBackend`.
 */
export class OperatorStateBackend implements OperatorStateStore {
  readonly #ownerName: string;
  readonly #states = new Map<string, HeldState>();
  readonly #restored: RestoredOperatorStates;

  /** @param ownerName - The operator and subtask, for errors. */
  constructor(ownerName: string) {
    this.#ownerName = ownerName;
    this.#restored = new RestoredOperatorStates(ownerName);
  }

  /**
   * Takes in what one old subtask left for this one. Called before any state is declared, in the order of the old subtasks.
   *
   * @throws StreamError STATE_BYTES_CORRUPT naming the position; nothing is kept then.
   */
  restore(part: OperatorStateBytes): void {
    this.#restored.add(part);
  }

  listState<T>(descriptor: {
    readonly name: string;
    readonly type: TypeSerializer<T>;
  }): OperatorListState<T> {
    return this.#list(descriptor, "SPLIT_DISTRIBUTE");
  }

  unionListState<T>(descriptor: {
    readonly name: string;
    readonly type: TypeSerializer<T>;
  }): OperatorListState<T> {
    return this.#list(descriptor, "UNION");
  }

  #list<T>(
    { name, type }: { readonly name: string; readonly type: TypeSerializer<T> },
    mode: "SPLIT_DISTRIBUTE" | "UNION",
  ): OperatorListState<T> {
    const known = this.#known(name, mode);
    if (known !== undefined) return known as OperatorListState<T>;
    const state = new HeapOperatorListState<T>();
    this.#adopt(
      name,
      mode,
      [["VALUE_SERIALIZER", type as TypeSerializer<unknown>]],
      ([read], input) => state.add(read?.(input) as T),
    );
    const meta = metaInfo(name, mode, [["VALUE_SERIALIZER", type as TypeSerializer<unknown>]]);
    const write = (out: ByteWriter, begin: () => void): void => {
      for (const element of state.get()) {
        begin();
        type.write(element, out);
      }
    };
    this.#states.set(name, { meta, mode, state, write });
    return state;
  }

  broadcastState<K, V>(descriptor: {
    readonly name: string;
    readonly keyType: TypeSerializer<K>;
    readonly valueType: TypeSerializer<V>;
  }): BroadcastState<K, V> {
    const { name, keyType, valueType } = descriptor;
    const known = this.#known(name, "BROADCAST");
    if (known !== undefined) return known as BroadcastState<K, V>;
    const state = new HeapBroadcastState<K, V>(keyType.keyKind);
    const types: readonly (readonly [string, TypeSerializer<unknown>])[] = [
      ["KEY_SERIALIZER", keyType as TypeSerializer<unknown>],
      ["VALUE_SERIALIZER", valueType as TypeSerializer<unknown>],
    ];
    this.#adopt(name, "BROADCAST", types, ([readKey, readValue], input) => {
      for (let count = input.readInt(); count > 0; count--) {
        const key = readKey?.(input) as K;
        state.put(key, readValue?.(input) as V);
      }
    });
    const write = (out: ByteWriter, begin: () => void): void => {
      begin();
      const entries = [...state.entries()];
      out.writeInt(entries.length);
      for (const [key, value] of entries) {
        keyType.write(key, out);
        valueType.write(value, out);
      }
    };
    this.#states.set(name, {
      meta: metaInfo(name, "BROADCAST", types),
      mode: "BROADCAST",
      state,
      write,
    });
    return state;
  }

  #known(name: string, mode: OperatorStateMode): object | undefined {
    const known = this.#states.get(name);
    if (known === undefined || known.mode === mode) return known?.state;
    const problem = `it is ${known.mode} state and is declared as ${mode} state`;
    throw new StreamError("STATE_DECLARED_DIFFERENTLY", {
      owner: this.#ownerName,
      state: name,
      problem,
    });
  }

  #adopt(
    name: string,
    mode: OperatorStateMode,
    types: readonly (readonly [string, TypeSerializer<unknown>])[],
    read: (readers: readonly ((input: ByteReader) => unknown)[], input: ByteReader) => void,
  ): void {
    const restored = this.#restored.take(name);
    if (restored === undefined) return;
    if (restored.mode !== mode) {
      throw this.#incompatible(name, [`was ${restored.mode} state, is now ${mode} state`]);
    }
    for (const partition of restored.partitions) {
      const readers = types.map(([serializer, type]) =>
        this.#reader(name, partition.meta, serializer, type),
      );
      this.#decode(name, partition, (input) => read(readers, input));
    }
  }

  #reader(
    name: string,
    meta: StateMetaInfo,
    serializer: string,
    type: TypeSerializer<unknown>,
  ): (input: ByteReader) => unknown {
    const old = meta.serializers.get(serializer);
    if (old === undefined) throw this.#incompatible(name, [`it has no ${serializer}`]);
    const compatibility = resolveCompatibility(old, type);
    if (compatibility.kind === "incompatible")
      throw this.#incompatible(name, compatibility.reasons);
    const reader = compatibility.kind === "migrate" ? compatibility.reader : type;
    return (input) => reader.read(input);
  }

  #decode(state: string, partition: RestoredPartition, read: (input: ByteReader) => void): void {
    const input = new ByteReader(partition.bytes, partition.start, partition.end);
    try {
      read(input);
    } catch (error) {
      if (isStreamError(error)) throw error;
      const positionBytes =
        error instanceof MalformedBytesError ? error.positionBytes : input.position;
      const details = { owner: this.#ownerName, state, positionBytes, problem: errorText(error) };
      throw new StreamError("STATE_BYTES_CORRUPT", details, error);
    }
  }

  /** Whether there is any state: declared, or restored and kept. */
  hasStates(): boolean {
    return this.#states.size > 0 || [...this.#restored.held()].length > 0;
  }

  /**
   * Writes all states as they are now.
   *
   * @returns Undefined if there is none.
   * @throws StreamError VALUE_NOT_SERIALIZABLE naming state, operator and path.
   */
  snapshot(): OperatorStateBytes | undefined {
    const held = [...this.#states.values(), ...this.#restored.held()];
    const lists = held.filter(({ mode }) => mode !== "BROADCAST");
    const broadcasts = held.filter(({ mode }) => mode === "BROADCAST");
    if (held.length === 0) return undefined;
    const out = new ByteWriter(1024);
    writeOperatorHeader(
      {
        compressed: false,
        lists: lists.map(({ meta }) => meta),
        broadcasts: broadcasts.map(({ meta }) => meta),
      },
      out,
    );
    const dataStart = out.length;
    const starts: number[] = [];
    const states = [...lists, ...broadcasts].map((state): OperatorStatePartitions => {
      const first = starts.length;
      this.#write(state, out, starts);
      return { name: state.meta.name, mode: state.mode, offsets: starts.slice(first) };
    });
    const lengths = starts.map((start, index) => (starts[index + 1] ?? out.length) - start);
    writeOperatorTrailer(dataStart, lengths, out);
    return { states, bytes: out.toBytes() };
  }

  #write(state: HeldState, out: ByteWriter, starts: number[]): void {
    try {
      state.write(out, () => starts.push(out.length));
    } catch (error) {
      throw inState(error, state.meta.name, this.#ownerName);
    }
  }

  #incompatible(state: string, reasons: readonly string[]): StreamError {
    return new StreamError("STATE_INCOMPATIBLE", { owner: this.#ownerName, state, reasons });
  }
}

function metaInfo(
  name: string,
  mode: OperatorStateMode,
  types: readonly (readonly [string, TypeSerializer<unknown>])[],
): StateMetaInfo {
  return {
    name,
    type: mode === "BROADCAST" ? "BROADCAST" : "OPERATOR",
    options: new Map([["OPERATOR_STATE_DISTRIBUTION_MODE", mode]]),
    serializers: new Map(types.map(([key, type]) => [key, type.snapshot])),
  };
}
