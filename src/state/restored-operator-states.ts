import {
  ByteReader,
  type ByteWriter,
  errorText,
  isStreamError,
  MalformedBytesError,
  StreamError,
} from "../base/index.ts";
import { serializerFromSnapshot } from "../serde/index.ts";
import {
  type OperatorStateBytes,
  readOperatorHeader,
  readPartitionEnds,
} from "./operator-state-file.ts";
import type { OperatorStateMode } from "./state-handle.ts";
import type { StateMetaInfo } from "./state-meta-info.ts";

/** One element of a list, or one broadcast state, as bytes of the file it came in. */
export interface RestoredPartition {
  readonly meta: StateMetaInfo;
  readonly bytes: Uint8Array;
  readonly start: number;
  /** Where it ends, or where the file does if that is not known. */
  readonly end: number;
}

/** A state as it came, before the operator has declared it. */
export interface RestoredOperatorState {
  readonly mode: OperatorStateMode;
  readonly partitions: RestoredPartition[];
}

/** Operator state that was restored and is not declared yet. */
export class RestoredOperatorStates {
  readonly #ownerName: string;
  readonly #byName = new Map<string, RestoredOperatorState>();

  constructor(ownerName: string) {
    this.#ownerName = ownerName;
  }

  add(part: OperatorStateBytes): void {
    for (const { name, mode, partitions } of this.#guard(part)) {
      const known = this.#byName.get(name);
      if (known === undefined) this.#byName.set(name, { mode, partitions: [...partitions] });
      else known.partitions.push(...partitions);
    }
  }

  take(name: string): RestoredOperatorState | undefined {
    const state = this.#byName.get(name);
    this.#byName.delete(name);
    return state;
  }

  /** What a snapshot writes on: nobody has declared it. */
  held(): readonly {
    readonly meta: StateMetaInfo;
    readonly mode: OperatorStateMode;
    readonly state: object;
    write(out: ByteWriter, begin: () => void): void;
  }[] {
    return [...this.#byName].flatMap(([name, state]) => {
      const [first] = state.partitions;
      if (first === undefined) return [];
      const write = (out: ByteWriter, begin: () => void): void => {
        for (const partition of state.partitions) {
          begin();
          out.writeBytes(this.#exactly(name, partition));
        }
      };
      return [{ meta: first.meta, mode: state.mode, state, write }];
    });
  }

  /** The bytes of a partition; where the file does not tell its end, its serializer must. */
  #exactly(name: string, partition: RestoredPartition): Uint8Array {
    const { meta, bytes, start, end } = partition;
    if (end < bytes.length) return bytes.subarray(start, end);
    const names =
      meta.type === "BROADCAST" ? ["KEY_SERIALIZER", "VALUE_SERIALIZER"] : ["VALUE_SERIALIZER"];
    const readers = names.map((serializer) => {
      const snapshot = meta.serializers.get(serializer);
      return snapshot === undefined ? undefined : serializerFromSnapshot(snapshot);
    });
    const input = new ByteReader(bytes, start);
    const rounds = meta.type === "BROADCAST" ? input.readInt() : 1;
    for (let round = 0; round < rounds; round++) {
      for (const reader of readers) {
        if (reader === undefined) {
          const reasons = [
            "it is not declared, and was written by a serializer that is not known here",
          ];
          throw new StreamError("STATE_INCOMPATIBLE", {
            owner: this.#ownerName,
            state: name,
            reasons,
          });
        }
        reader.read(input);
      }
    }
    return bytes.subarray(start, input.position);
  }

  #guard(part: OperatorStateBytes): readonly (RestoredOperatorState & { readonly name: string })[] {
    try {
      return read(part, this.#ownerName);
    } catch (error) {
      if (isStreamError(error)) throw error;
      const positionBytes = error instanceof MalformedBytesError ? error.positionBytes : 0;
      const details = {
        owner: this.#ownerName,
        state: undefined,
        positionBytes,
        problem: errorText(error),
      };
      throw new StreamError("STATE_BYTES_CORRUPT", details, error);
    }
  }
}

function read(
  { states, bytes }: OperatorStateBytes,
  owner: string,
): readonly (RestoredOperatorState & { readonly name: string })[] {
  const ends = readPartitionEnds(bytes);
  const { compressed, lists, broadcasts } = readOperatorHeader(new ByteReader(bytes));
  if (compressed) {
    const reasons = ["Flink compressed it, which is not supported"];
    throw new StreamError("STATE_INCOMPATIBLE", { owner, state: undefined, reasons });
  }
  return states.map(({ name, mode, offsets }) => {
    const meta = [...lists, ...broadcasts].find((candidate) => candidate.name === name);
    if (meta === undefined) throw new MalformedBytesError(`State "${name}" is not in the file`, 0);
    const partitions = offsets.map((start): RestoredPartition => {
      const end = ends === undefined ? bytes.length : ends.get(start);
      if (start < 0 || end === undefined || start > end) {
        throw new MalformedBytesError(`No partition of state "${name}" begins there`, start);
      }
      return { meta, bytes, start, end };
    });
    return { name, mode, partitions };
  });
}
