import {
  ByteReader,
  errorText,
  isStreamError,
  MalformedBytesError,
  StreamError,
} from "../../base/index.ts";
import { resolveCompatibility, type TypeSerializer } from "../../serde/index.ts";
import type { StateDescriptor } from "../descriptor.ts";
import type { StateTables } from "../heap/heap-states.ts";
import type { SnapshotOwner } from "./heap-snapshot.ts";
import { KEYED_STATE_TYPES } from "../heap/registered-state.ts";
import type { RestoredSection, RestoredState } from "./restored-state.ts";
import { keyReader } from "./restored-states.ts";
import { resolveFormat } from "./state-format.ts";

/**
 * Fills the tables of a state that is being declared from its restored bytes.
 *
 * @throws StreamError STATE_INCOMPATIBLE if the declaration does not fit them, STATE_BYTES_CORRUPT if they are damaged. The
 * backend must not be used then.
 */
export function adoptState(
  restored: RestoredState,
  descriptor: StateDescriptor,
  namespaceType: TypeSerializer<unknown>,
  namespaceIdentity: (namespace: never) => unknown,
  tables: StateTables,
  owner: SnapshotOwner,
  nowMs: number,
): void {
  const readNamespace = namespaceReader(restored, namespaceType, owner);
  const readValue = valueReader(restored, descriptor, owner, nowMs);
  const readKey = keyReader(owner.keyType, owner.maxParallelism);
  const { context } = tables;
  // State may be declared while a record is processed, whose key must stay the current one.
  const { key: currentKey, hash: currentHash, identity: currentIdentity } = context;
  for (const section of restored.sections) {
    decodeSection(section, restored.meta.name, owner, (input) => {
      const namespace = readNamespace(input);
      const { key, hash } = readKey(input, section.keyGroup);
      const value = readValue(input);
      context.set(key, hash);
      tables.select(namespace, namespaceIdentity(namespace as never));
      tables.add(value);
    });
  }
  context.key = currentKey;
  context.hash = currentHash;
  context.identity = currentIdentity;
}

/** Reads all entries of a section; it must end where they do. */
export function decodeSection(
  section: RestoredSection,
  state: string,
  owner: SnapshotOwner,
  readEntry: (input: ByteReader) => void,
): void {
  const input = new ByteReader(section.bytes);
  try {
    for (let entry = 0; entry < section.entryCount; entry++) readEntry(input);
    if (input.remaining > 0)
      throw new MalformedBytesError(`${input.remaining} bytes too many`, input.position);
  } catch (error) {
    if (isStreamError(error) && error.code !== "KEY_NOT_USABLE") throw error;
    const at = error instanceof MalformedBytesError ? error.positionBytes : input.position;
    const positionBytes = section.positionBytes + at;
    const details = { owner: owner.ownerName, state, positionBytes, problem: errorText(error) };
    throw new StreamError("STATE_BYTES_CORRUPT", details, error);
  }
}

function namespaceReader(
  { meta }: RestoredState,
  type: TypeSerializer<unknown>,
  owner: SnapshotOwner,
): (input: ByteReader) => unknown {
  const old = meta.serializers.get("NAMESPACE_SERIALIZER");
  if (old === undefined) throw incompatible(owner, meta.name, ["it has no namespace serializer"]);
  const compatibility = resolveCompatibility(old, type);
  if (compatibility.kind === "incompatible") {
    throw incompatible(
      owner,
      meta.name,
      compatibility.reasons.map((reason) => `namespace ${reason}`),
    );
  }
  const reader = compatibility.kind === "migrate" ? compatibility.reader : type;
  return (input) => reader.read(input);
}

function valueReader(
  { meta }: RestoredState,
  descriptor: StateDescriptor,
  owner: SnapshotOwner,
  nowMs: number,
): (input: ByteReader) => unknown {
  const old = meta.serializers.get("VALUE_SERIALIZER");
  const was = meta.options.get("KEYED_STATE_TYPE");
  const is = KEYED_STATE_TYPES[descriptor.kind];
  if (meta.type !== "KEY_VALUE" || old === undefined) {
    throw incompatible(owner, meta.name, [`was ${meta.type}, is now keyed state`]);
  }
  if (was !== undefined && was !== is && was !== "UNKNOWN") {
    throw incompatible(owner, meta.name, [`was ${was} state, is now ${is} state`]);
  }
  const compatibility = resolveFormat(old, descriptor, nowMs);
  if (compatibility.kind === "incompatible")
    throw incompatible(owner, meta.name, compatibility.reasons);
  return compatibility.read;
}

export function incompatible(
  owner: SnapshotOwner,
  state: string,
  reasons: readonly string[],
): StreamError {
  return new StreamError("STATE_INCOMPATIBLE", { owner: owner.ownerName, state, reasons });
}
