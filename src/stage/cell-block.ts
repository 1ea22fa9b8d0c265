import {
  type ByteReader,
  type ByteWriter,
  MalformedBytesError,
  readUtf,
  writeUtf,
} from "../base/index.ts";
import type { StateChange } from "../state/index.ts";
import { readCounted, writeCounted } from "./stage-entry.ts";

/**
 * Cells of keyed state, timers among them: what LOAD brings, and what OUT and FLUSHED tell of changes.
 *
 * @remarks
 * A set, not a sequence: of each cell (state, key, namespace, map key) the last value, or that it is gone. Removing what is not
 * there is harmless.
 */
export interface CellBlock {
  /** Of the states that this end has not named before. */
  readonly declarations: readonly StateDeclaration[];
  readonly cells: readonly StateCell[];
}

/** Gives a state the number by which cells name it from here on, in this direction and until the process ends. */
export interface StateDeclaration {
  readonly id: number;
  readonly operatorId: string;
  readonly name: string;
  /**
   * Name, kind and serializers, as in the header of a state file.
   *
   * @remarks
   * A stage that declares a state otherwise than it was loaded tells all of it: what was there before is dropped.
   */
  readonly description: Uint8Array;
}

export interface StateCell extends Omit<StateChange, "state"> {
  /** The number of the state's declaration. */
  readonly stateId: number;
}

export const EMPTY_CELLS: CellBlock = { declarations: [], cells: [] };

const PUT = 1;
const HAS_NAMESPACE = 2;
const HAS_MAP_KEY = 4;
const SAME_KEY = 8;

export function writeCells({ declarations, cells }: CellBlock, out: ByteWriter): void {
  out.writeShort(declarations.length);
  for (const { id, operatorId, name, description } of declarations) {
    out.writeShort(id);
    writeUtf(operatorId, out);
    writeUtf(name, out);
    writeCounted(description, out);
  }
  out.writeInt(cells.length);
  let before: StateCell | undefined;
  for (const cell of cells) {
    writeCell(cell, before, out);
    before = cell;
  }
}

function writeCell(cell: StateCell, before: StateCell | undefined, out: ByteWriter): void {
  const { namespace, mapKey, value } = cell;
  const sameKey = before !== undefined && isSame(before.key, cell.key);
  out.writeShort(cell.stateId);
  out.writeByte(
    (value === undefined ? 0 : PUT) |
      (namespace === undefined ? 0 : HAS_NAMESPACE) |
      (mapKey === undefined ? 0 : HAS_MAP_KEY) |
      (sameKey ? SAME_KEY : 0),
  );
  if (!sameKey) {
    out.writeInt(cell.keyHash);
    writeCounted(cell.key, out);
  }
  if (namespace !== undefined) writeCounted(namespace, out);
  if (mapKey !== undefined) writeCounted(mapKey, out);
  if (value !== undefined) writeCounted(value, out);
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}

/** The bytes of the cells are views into the input. */
export function readCells(input: ByteReader): CellBlock {
  const declarations: StateDeclaration[] = [];
  for (let count = input.readUnsignedShort(); count > 0; count--) {
    const id = input.readUnsignedShort();
    declarations.push({
      id,
      operatorId: readUtf(input),
      name: readUtf(input),
      description: readCounted(input),
    });
  }
  const at = input.position;
  const count = input.readInt();
  if (count < 0 || count > input.remaining)
    throw new MalformedBytesError(`${count} cells announced, ${input.remaining} bytes left`, at);
  const cells: StateCell[] = [];
  for (let index = 0; index < count; index++) cells.push(readCell(input, cells.at(-1)));
  return { declarations, cells };
}

function readCell(input: ByteReader, before: StateCell | undefined): StateCell {
  const stateId = input.readUnsignedShort();
  const at = input.position;
  const flags = input.readUnsignedByte();
  if ((flags & SAME_KEY) !== 0 && before === undefined)
    throw new MalformedBytesError("The first cell has no key", at);
  const { keyHash, key } =
    (flags & SAME_KEY) !== 0 && before !== undefined
      ? before
      : { keyHash: input.readInt(), key: readCounted(input) };
  return {
    stateId,
    keyHash,
    key,
    namespace: (flags & HAS_NAMESPACE) === 0 ? undefined : readCounted(input),
    mapKey: (flags & HAS_MAP_KEY) === 0 ? undefined : readCounted(input),
    value: (flags & PUT) === 0 ? undefined : readCounted(input),
  };
}
