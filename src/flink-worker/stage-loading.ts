import { assert, MalformedBytesError, present } from "../base/index.ts";
import type { CellBlock, OperatorStateBlob, StateCell, StateDeclaration } from "../stage/index.ts";
import type { StageState } from "./stage-chain.ts";
import type { StageProgram } from "./stage-program.ts";

/** What LOAD has brought so far. */
export class StageLoading {
  readonly #states = new Map<
    number,
    { readonly declaration: StateDeclaration; readonly cells: StateCell[] }
  >();
  readonly #blobs: OperatorStateBlob[] = [];
  #cellCount = 0;

  /** @throws MalformedBytesError for a cell of a state that was not declared. */
  add({ declarations, cells }: CellBlock, blobs: readonly OperatorStateBlob[]): void {
    for (const declaration of declarations)
      this.#states.set(declaration.id, { declaration, cells: [] });
    for (const cell of cells) {
      const state = this.#states.get(cell.stateId);
      if (state === undefined)
        throw new MalformedBytesError(
          `A cell of state ${cell.stateId}, which was not declared,`,
          0,
        );
      state.cells.push(cell);
    }
    this.#cellCount += cells.length;
    this.#blobs.push(...blobs);
  }

  /**
   * Fills the states of the operators.
   *
   * @throws MalformedBytesError if it is not as much as was sent, or belongs to an operator that is not here.
   */
  finish(
    sent: { readonly cellCount: number; readonly blobCount: number },
    program: StageProgram,
    states: readonly StageState[],
  ): void {
    if (sent.cellCount !== this.#cellCount || sent.blobCount !== this.#blobs.length) {
      throw new MalformedBytesError(
        `${this.#cellCount} cells and ${this.#blobs.length} blobs of ${sent.cellCount} and ${sent.blobCount}`,
        0,
      );
    }
    const stateOf = (operatorId: string): StageState => {
      const index = program.operators.findIndex(({ id }) => id === operatorId);
      if (index < 0) throw new MalformedBytesError(`State of operator ${operatorId}`, 0);
      return present(states[index], "each operator has its state");
    };
    for (const blob of this.#blobs) stateOf(blob.operatorId).operatorState.restore(blob);
    for (const { declaration, cells } of this.#states.values()) {
      const { keyed } = stateOf(declaration.operatorId);
      assert(keyed !== undefined, "cells belong to an operator with keyed input");
      keyed.load([{ description: declaration.description, cells }]);
    }
  }
}
