import {
  ByteReader,
  errorText,
  isStreamError,
  MalformedBytesError,
  StreamError,
} from "../../base/index.ts";
import {
  keyHash,
  resolveKeyCompatibility,
  serializerFromSnapshot,
  type TypeSerializer,
} from "../../serde/index.ts";
import { intersectRanges, keyGroupOf } from "../key-group.ts";
import type { KeyedStateBytes, LoadedState } from "../keyed-state-backend.ts";
import type { SnapshotOwner, SnapshotPart } from "./heap-snapshot.ts";
import { type KeyedHeader, readKeyedHeader } from "./keyed-state-file.ts";
import { readCount, sameMetaInfo } from "../state-meta-info.ts";
import {
  checksum,
  readTrailer,
  type StateFileTrailer,
  type TrailerGroup,
} from "./keyed-state-trailer.ts";
import { entrySkipperOf } from "./flink-entries.ts";
import type { RestoredState } from "./restored-state.ts";
import { sectionsOf } from "./loaded-cells.ts";

/**
 * What was restored and is not declared yet.
 *
 * @remarks
 * States are decoded when they are declared, since only then it is known into what. What is never declared is kept as bytes
 * and goes into later snapshots as it came, as in Flink's heap backend.
 */
export class RestoredStates {
  readonly #owner: SnapshotOwner;
  readonly #byName = new Map<string, RestoredState>();

  constructor(owner: SnapshotOwner) {
    this.#owner = owner;
  }

  /** @throws StreamError STATE_BYTES_CORRUPT, or STATE_INCOMPATIBLE for a key of another type. Nothing is kept then. */
  add(snapshot: KeyedStateBytes): void {
    this.#take(this.#guard(snapshot.bytes.length, () => this.#read(snapshot)));
  }

  /** Takes cells as `add` takes the sections of a file. @throws As `add`. */
  addCells(states: Iterable<LoadedState>): void {
    this.#take(this.#guard(0, () => [...states].map((state) => sectionsOf(state, this.#owner))));
  }

  #take(found: readonly RestoredState[]): void {
    for (const state of found) this.#checkForm(state);
    for (const { meta, sections } of found) {
      const known = this.#byName.get(meta.name);
      if (known === undefined) this.#byName.set(meta.name, { meta, sections });
      else known.sections.push(...sections);
    }
  }

  /** Hands out a state for decoding; afterwards it is gone from here. */
  take(name: string): RestoredState | undefined {
    const state = this.#byName.get(name);
    this.#byName.delete(name);
    return state;
  }

  /** What a snapshot writes of the states that nobody declared. */
  parts(): SnapshotPart[] {
    return [...this.#byName.values()].map(({ meta, sections }) => ({
      meta,
      open: (out) => {
        let next = 0;
        const advance = (): number => {
          const section = sections[next++];
          if (section === undefined) return -1;
          out.addBytes(section.keyGroup, section.entryCount, section.bytes);
          return 1 + Math.floor(section.bytes.length / 64);
        };
        return [{ advance, close: () => undefined }];
      },
    }));
  }

  corrupt(
    state: string | undefined,
    positionBytes: number,
    problem: string,
    cause?: unknown,
  ): StreamError {
    const owner = this.#owner.ownerName;
    return new StreamError("STATE_BYTES_CORRUPT", { owner, state, positionBytes, problem }, cause);
  }

  #guard<T>(lengthBytes: number, read: () => T): T {
    try {
      return read();
    } catch (error) {
      if (isStreamError(error, "SERIALIZER_SNAPSHOT_UNKNOWN")) {
        throw this.#incompatible(undefined, [`${error.details.className} is not known here`]);
      }
      if (isStreamError(error)) throw error;
      const position = error instanceof MalformedBytesError ? error.positionBytes : lengthBytes;
      throw this.corrupt(undefined, position, errorText(error), error);
    }
  }

  #read(snapshot: KeyedStateBytes): readonly RestoredState[] {
    const { bytes, range, offsets } = snapshot;
    const input = new ByteReader(bytes);
    const header = readKeyedHeader(input);
    this.#checkKey(header);
    const trailer = readTrailer(bytes, header.states.length);
    if (trailer !== undefined) checkHeader(trailer, bytes, input.position);
    if (header.compressed)
      throw this.#incompatible(undefined, ["the state is compressed, which is not supported"]);
    const states = header.states.map((meta): RestoredState => ({ meta, sections: [] }));
    const wanted = intersectRanges(range, this.#owner.keyGroupRange);
    if (wanted === undefined) return states;
    // A handle may be cut to some of the file's key groups; the trailer tells of all.
    const places = trailer === undefined ? undefined : placesOf(trailer);
    for (let group = wanted.first; group <= wanted.last; group++) {
      const index = group - range.first;
      const offset = offsets[index];
      if (offset === undefined)
        throw new MalformedBytesError(`No offset of key group ${group}`, bytes.length);
      // Flink writes an offset of 0, or of -1, for a key group without state.
      if (trailer === undefined && offset <= 0) continue;
      if (places === undefined) this.#readFlinkGroup(header, bytes, offset, group, states);
      else this.#readGroup(places.get(offset), bytes, offset, group, states);
    }
    return states;
  }

  #readGroup(
    known: TrailerGroup | undefined,
    bytes: Uint8Array,
    offset: number,
    group: number,
    states: readonly RestoredState[],
  ): void {
    if (known === undefined)
      throw new MalformedBytesError(`The trailer lacks key group ${group}`, offset);
    const input = new ByteReader(bytes);
    const length = known.partBytes.reduce((sum, part) => sum + part, 4);
    input.seek(offset);
    if (checksum(input.readBytes(length)) !== known.checksum) {
      throw new MalformedBytesError(
        `The bytes of key group ${group} do not match their checksum`,
        offset,
      );
    }
    input.seek(offset);
    expectGroup(input, group);
    for (const [state, part] of known.partBytes.entries()) {
      const entryCount = readPartHead(input, state);
      const positionBytes = input.position;
      const section = {
        keyGroup: group,
        entryCount,
        bytes: input.readBytes(part - 6),
        positionBytes,
      };
      if (entryCount > 0) states[state]?.sections.push(section);
    }
  }

  /** Without a trailer the entries must be decoded to find where they end. */
  #readFlinkGroup(
    header: KeyedHeader,
    bytes: Uint8Array,
    offset: number,
    group: number,
    states: readonly RestoredState[],
  ): void {
    const keyType = serializerFromSnapshot(header.keySerializer) ?? this.#owner.keyType;
    const input = new ByteReader(bytes);
    input.seek(offset);
    expectGroup(input, group);
    // Flink writes the states of a key group in another order than the header's.
    for (let part = 0; part < states.length; part++) {
      const at = input.position;
      const state = states[input.readShort()];
      if (state === undefined)
        throw new MalformedBytesError("A state that the header does not name", at);
      const entryCount = readCount(input);
      const skip = entrySkipperOf(state.meta, keyType);
      if (skip === undefined) {
        throw this.#incompatible(state.meta.name, [
          "it was written by a serializer that is not known here",
        ]);
      }
      const positionBytes = input.position;
      for (let entry = 0; entry < entryCount; entry++) skip(input);
      const section = bytes.subarray(positionBytes, input.position);
      if (entryCount > 0)
        state.sections.push({ keyGroup: group, entryCount, bytes: section, positionBytes });
    }
  }

  #checkKey(header: KeyedHeader): void {
    const compatibility = resolveKeyCompatibility(header.keySerializer, this.#owner.keyType);
    if (compatibility.kind === "incompatible")
      throw this.#incompatible(undefined, compatibility.reasons);
  }

  /** A state has one form in all snapshots of one restore; else its bytes could not be written on. */
  #checkForm(state: RestoredState): void {
    const known = this.#byName.get(state.meta.name);
    if (known === undefined || sameMetaInfo(known.meta, state.meta)) return;
    throw this.#incompatible(state.meta.name, [
      "the snapshots that are restored together hold it in different forms",
    ]);
  }

  #incompatible(state: string | undefined, reasons: readonly string[]): StreamError {
    return new StreamError("STATE_INCOMPATIBLE", { owner: this.#owner.ownerName, state, reasons });
  }
}

function checkHeader(trailer: StateFileTrailer, bytes: Uint8Array, headerBytes: number): void {
  if (
    headerBytes === trailer.headerBytes &&
    checksum(bytes.subarray(0, headerBytes)) === trailer.headerChecksum
  )
    return;
  throw new MalformedBytesError("The header does not match its checksum", 0);
}

function expectGroup(input: ByteReader, group: number): void {
  const at = input.position;
  const found = input.readInt();
  if (found !== group)
    throw new MalformedBytesError(`Key group ${group} expected, found ${found}`, at);
}

function readPartHead(input: ByteReader, state: number): number {
  const at = input.position;
  const found = input.readShort();
  if (found !== state) throw new MalformedBytesError(`State ${state} expected, found ${found}`, at);
  return readCount(input);
}

/** Reads one key and checks that it belongs where it lies. */
export function keyReader(
  keyType: TypeSerializer<unknown>,
  maxParallelism: number,
): (input: ByteReader, keyGroup: number) => { readonly key: unknown; readonly hash: number } {
  return (input, keyGroup) => {
    const at = input.position;
    const key = keyType.read(input);
    const hash = keyHash(key, keyType.keyKind);
    if (keyGroupOf(hash, maxParallelism) !== keyGroup) {
      throw new MalformedBytesError(`A key of another key group than ${keyGroup}`, at);
    }
    return { key, hash };
  };
}

/** The key groups of a file by where they begin. */
function placesOf({ headerBytes, groups }: StateFileTrailer): ReadonlyMap<number, TrailerGroup> {
  const places = new Map<number, TrailerGroup>();
  let offset = headerBytes;
  for (const group of groups) {
    places.set(offset, group);
    offset += group.partBytes.reduce((sum, part) => sum + part, 4);
  }
  return places;
}
