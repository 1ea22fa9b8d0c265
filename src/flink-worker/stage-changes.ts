import { present } from "../base/index.ts";
import type { CellBlock, StateCell, StateDeclaration } from "../stage/index.ts";
import type { StageLink } from "./stage-chain.ts";

/** Names the states of a stage by numbers, and takes their changes. */
export class StageChanges {
  readonly #ids = new Map<string, number>();

  take(links: readonly StageLink[]): CellBlock {
    const declarations: StateDeclaration[] = [];
    const cells: StateCell[] = [];
    for (const link of links) {
      if (link.keyed === undefined) continue;
      for (const { state, ...cell } of link.keyed.takeChanges()) {
        const stateId =
          this.#ids.get(`${link.id}/${state}`) ?? this.#declare(link, state, declarations);
        cells.push({ stateId, ...cell });
      }
    }
    return { declarations, cells };
  }

  #declare(
    { id: operatorId, keyed }: StageLink,
    name: string,
    declarations: StateDeclaration[],
  ): number {
    const id = this.#ids.size;
    this.#ids.set(`${operatorId}/${name}`, id);
    const description = present(keyed, "the link has keyed state").describeState(name);
    declarations.push({ id, operatorId, name, description });
    return id;
  }
}
