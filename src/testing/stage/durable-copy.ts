import { assert } from "../../base/index.ts";
import {
  type CellBlock,
  type OperatorStateBlob,
  orderBytes,
  type StateCell,
  type StateDeclaration,
} from "../../stage/index.ts";
import { keyGroupOf, type KeyGroupRange } from "../../state/index.ts";

/** Cells that go into one LOAD frame. */
const CELLS_PER_LOAD = 10_000;

interface CopiedState {
  readonly operatorId: string;
  readonly name: string;
  readonly description: Uint8Array;
  readonly cells: Map<string, StateCell>;
}

/**
 * The state of one stage as whoever drives it keeps it: bytes, in which it never looks. On Flink this is the keyed state backend.
 */
export class DurableCopy {
  readonly #states = new Map<string, CopiedState>();
  #operatorStates: readonly OperatorStateBlob[] = [];

  get operatorStates(): readonly OperatorStateBlob[] {
    return this.#operatorStates;
  }

  /**
   * Takes changes in.
   *
   * @param names - What the numbers of this stage's process stand for; grows.
   */
  apply({ declarations, cells }: CellBlock, names: Map<number, string>): void {
    for (const declaration of declarations) {
      const { id, operatorId, name } = declaration;
      names.set(id, `${operatorId}/${name}`);
      this.#declare(declaration);
    }
    for (const cell of cells) {
      const state = this.#states.get(names.get(cell.stateId) ?? "");
      assert(state !== undefined, "a state is declared before its cells");
      if (cell.value === undefined) state.cells.delete(nameOf(cell));
      // A copy: what comes through a pipe lies in buffers that hold much else.
      else state.cells.set(nameOf(cell), copyOf(cell));
    }
  }

  setOperatorStates(blobs: readonly OperatorStateBlob[]): void {
    this.#operatorStates = blobs.map((blob) => ({ ...blob, bytes: blob.bytes.slice() }));
  }

  /** A state of another description than the one that was there takes its place: all of it is told anew. */
  #declare({ operatorId, name, description }: Omit<StateDeclaration, "id">): CopiedState {
    const key = `${operatorId}/${name}`;
    const known = this.#states.get(key);
    if (known !== undefined && hex(known.description) === hex(description)) return known;
    const state = { operatorId, name, description: description.slice(), cells: new Map() };
    this.#states.set(key, state);
    return state;
  }

  /** What of several copies belongs to one subtask. Its operator state is set by the caller. */
  static part(
    copies: readonly DurableCopy[],
    range: KeyGroupRange,
    maxParallelism: number,
  ): DurableCopy {
    const part = new DurableCopy();
    for (const copy of copies) {
      for (const state of copy.#states.values()) {
        const { cells } = part.#declare(state);
        for (const [name, cell] of state.cells) {
          const keyGroup = keyGroupOf(cell.keyHash, maxParallelism);
          if (keyGroup >= range.first && keyGroup <= range.last) cells.set(name, cell);
        }
      }
    }
    return part;
  }

  /** The frames that bring it to a stage, LOAD_END last. */
  loadFrames(): readonly Uint8Array[] {
    const frames: Uint8Array[] = [];
    let cellCount = 0;
    let id = 0;
    for (const { operatorId, name, description, cells } of this.#states.values()) {
      const stateId = id++;
      let declarations: readonly StateDeclaration[] = [
        { id: stateId, operatorId, name, description },
      ];
      const all = Array.from(cells.values(), (cell) => ({ ...cell, stateId }));
      for (let at = 0; at === 0 || at < all.length; at += CELLS_PER_LOAD) {
        const block = { declarations, cells: all.slice(at, at + CELLS_PER_LOAD) };
        frames.push(orderBytes({ kind: "load", cells: block, operatorStates: [] }));
        declarations = [];
      }
      cellCount += all.length;
    }
    const operatorStates = this.#operatorStates;
    const nothing = { declarations: [], cells: [] };
    if (operatorStates.length > 0)
      frames.push(orderBytes({ kind: "load", cells: nothing, operatorStates }));
    const blobCount = operatorStates.length;
    frames.push(orderBytes({ kind: "load-end", cellCount, blobCount }));
    return frames;
  }

  /** Every cell as text, sorted: equal for equal states. */
  dump(): readonly string[] {
    return [...this.#states.values()]
      .flatMap(({ operatorId, name, cells }) =>
        Array.from(cells, ([cell, { value }]) => `${operatorId}/${name} ${cell} = ${hex(value)}`),
      )
      .sort();
  }
}

function nameOf({ key, namespace, mapKey }: StateCell): string {
  return `${hex(key)} ${hex(namespace)} ${hex(mapKey)}`;
}

function hex(bytes: Uint8Array | undefined): string {
  if (bytes === undefined) return "-";
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("hex");
}

function copyOf({ stateId, keyHash, key, namespace, mapKey, value }: StateCell): StateCell {
  return {
    stateId,
    keyHash,
    key: key.slice(),
    namespace: namespace?.slice(),
    mapKey: mapKey?.slice(),
    value: value?.slice(),
  };
}
