import { ByteReader, ByteWriter, MalformedBytesError } from "../../base/index.ts";
import { readCanonicalKey, voidNamespace } from "../../serde/index.ts";
import { keyGroupOf } from "../key-group.ts";
import type { LoadedState, StateChange } from "../keyed-state-backend.ts";
import { readMetaInfo, type StateMetaInfo } from "../state-meta-info.ts";
import type { SnapshotOwner } from "./heap-snapshot.ts";
import type { RestoredState } from "./restored-state.ts";

type Cell = Omit<StateChange, "state">;

/**
 * Puts cells into the form in which they lie in a file, section by section, so that they are adopted as a snapshot's are.
 *
 * @throws MalformedBytesError for a cell that is not of this state or of a key group that does not belong here.
 */
export function sectionsOf(loaded: LoadedState, owner: SnapshotOwner): RestoredState {
  const meta = readMetaInfo(new ByteReader(loaded.description));
  const groups = new Map<number, { entryCount: number; readonly bytes: ByteWriter }>();
  for (const cells of entriesOf(loaded, meta)) {
    const [cell] = cells;
    if (cell === undefined) continue;
    const keyGroup = keyGroupOf(cell.keyHash, owner.maxParallelism);
    const { first, last } = owner.keyGroupRange;
    if (keyGroup < first || keyGroup > last) {
      throw new MalformedBytesError(
        `A cell of key group ${keyGroup}, outside ${first} to ${last},`,
        0,
      );
    }
    const section = groups.get(keyGroup) ?? { entryCount: 0, bytes: new ByteWriter() };
    groups.set(keyGroup, section);
    section.entryCount++;
    writeEntry(meta, cell, cells, owner, section.bytes);
  }
  const sections = [...groups].map(([keyGroup, { entryCount, bytes }]) => ({
    keyGroup,
    entryCount,
    bytes: bytes.toBytes(),
    positionBytes: 0,
  }));
  return { meta, sections };
}

/** The cells of each entry of a file: those of one map together, all others alone. */
function entriesOf({ cells }: LoadedState, meta: StateMetaInfo): Iterable<readonly Cell[]> {
  const present = [...cells].filter(({ value }) => value !== undefined);
  if (!isMap(meta)) return present.map((cell) => [cell]);
  const maps = new Map<string, Cell[]>();
  for (const cell of present) {
    const name = `${text(cell.key)}/${cell.namespace === undefined ? "" : text(cell.namespace)}`;
    const map = maps.get(name);
    if (map === undefined) maps.set(name, [cell]);
    else map.push(cell);
  }
  return maps.values();
}

function isMap({ options }: StateMetaInfo): boolean {
  return options.get("KEYED_STATE_TYPE") === "MAP";
}

function text(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("hex");
}

function writeEntry(
  meta: StateMetaInfo,
  cell: Cell,
  cells: readonly Cell[],
  { keyType }: SnapshotOwner,
  out: ByteWriter,
): void {
  const key = readCanonicalKey(cell.key, keyType.keyKind);
  if (meta.type === "PRIORITY_QUEUE") {
    out.writeBytes(expected(cell.mapKey, meta));
    keyType.write(key, out);
    writeNamespace(cell, out);
    return;
  }
  writeNamespace(cell, out);
  keyType.write(key, out);
  if (isMap(meta)) {
    out.writeInt(cells.length);
    for (const entry of cells) {
      out.writeBytes(expected(entry.mapKey, meta));
      out.writeBytes(expected(entry.value, meta));
    }
  } else {
    out.writeBytes(expected(cell.value, meta));
  }
}

function writeNamespace({ namespace }: Cell, out: ByteWriter): void {
  if (namespace === undefined) voidNamespace.write(null, out);
  else out.writeBytes(namespace);
}

function expected(bytes: Uint8Array | undefined, meta: StateMetaInfo): Uint8Array {
  if (bytes === undefined) throw new MalformedBytesError(`A cell of ${meta.name} lacks a part`, 0);
  return bytes;
}
