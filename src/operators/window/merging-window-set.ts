import { present } from "../../base/index.ts";
import { Types, type TypeSerializer } from "../../serde/index.ts";
import type { KeyedStateStore, ListState } from "../../state/index.ts";
import { inFlinkMergeOrder } from "./merge-order.ts";
import type { MergingWindowAssigner, Window } from "./assigner/window-assigner.ts";

/** A window that exists, and the window under which its contents lie in state: that of one of its parts. */
export interface InFlightWindow<W> {
  readonly window: W;
  readonly stateWindow: W;
}

/** Windows have become one. */
export interface MergedWindows<W> {
  readonly result: W;
  /** The windows, known before, that became part of it. */
  readonly merged: readonly W[];
  /** Where the contents lie from now on. */
  readonly stateWindow: W;
  /** Where the other contents lie that have to be merged into it. */
  readonly mergedStateWindows: readonly W[];
}

/**
 * The windows of one key that merge: which exist, and where their contents lie, so that growing a window does not move its contents.
 *
 * Invariants:
 *
 * - M1. No two windows of the set overlap or touch by the assigner's measure.
 * - M2. Each state window belongs to one window.
 *
 * Source: Flink `MergingWindowSet`.
 */
export class MergingWindowSet<W extends Window> {
  private readonly assigner: MergingWindowAssigner<never, W>;
  private readonly state: ListState<InFlightWindow<W>>;
  private windows: readonly InFlightWindow<W>[] = [];
  private loaded: readonly InFlightWindow<W>[] = [];

  constructor(assigner: MergingWindowAssigner<never, W>, store: KeyedStateStore) {
    this.assigner = assigner;
    const { type } = assigner.windowKind;
    this.state = store.listState<InFlightWindow<W>>({
      kind: "list",
      name: "merging-window-set",
      ttl: undefined,
      type: inFlightType(type),
    });
  }

  /** Reads the set of the current key. */
  load(): void {
    this.loaded = this.state.get();
    this.windows = this.loaded;
  }

  /** Writes the set of the current key, if it has changed. */
  persist(): void {
    if (this.windows === this.loaded) return;
    this.state.update(this.windows);
    this.loaded = this.windows;
  }

  /** Where the contents of the window lie; undefined if there is no such window. */
  stateWindow(window: W): W | undefined {
    return this.windows.find((entry) => this.isSame(entry.window, window))?.stateWindow;
  }

  retire(window: W): void {
    this.windows = this.windows.filter((entry) => !this.isSame(entry.window, window));
  }

  /**
   * Adds a window, merging it with those that it touches.
   *
   * @param onMerge - Called for each group that became one, before the set is persisted.
   * @returns The window that holds the new one.
   */
  add(newWindow: W, onMerge: (merge: MergedWindows<W>) => void): W {
    const known = this.windows.map((entry) => entry.window);
    const merges = this.assigner.mergeWindows([...known, newWindow]);
    let holder = newWindow;
    let isMerged = false;
    for (const { merged, result } of merges) {
      const parts = this.windows.filter((entry) =>
        merged.some((window) => this.isSame(window, entry.window)),
      );
      if (merged.some((window) => this.isSame(window, newWindow))) {
        holder = result;
        isMerged = true;
      }
      if (parts.length === 0) {
        // The same window was given more than once and is new.
        this.windows = [...this.windows, { window: result, stateWindow: result }];
        continue;
      }
      this.join(this.inMergeOrder(parts, merged), result, onMerge);
    }
    if (!isMerged) this.windows = [...this.windows, { window: newWindow, stateWindow: newWindow }];
    return holder;
  }

  private join(
    parts: readonly InFlightWindow<W>[],
    result: W,
    onMerge: (merge: MergedWindows<W>) => void,
  ): void {
    const [first, ...others] = parts;
    const { stateWindow } = present(first, "a merge has parts");
    const isUnchanged =
      parts.length === 1 && this.isSame(present(first, "as above").window, result);
    // A record inside of an existing window: nothing has changed.
    if (isUnchanged) return;
    this.windows = [
      ...this.windows.filter((entry) => !parts.includes(entry)),
      { window: result, stateWindow },
    ];
    onMerge({
      result,
      merged: parts.map((entry) => entry.window),
      stateWindow,
      mergedStateWindows: others.map((entry) => entry.stateWindow),
    });
  }

  /** The known windows of a merge, ordered as Flink would: with the new one among them. */
  private inMergeOrder(
    parts: readonly InFlightWindow<W>[],
    merged: readonly W[],
  ): readonly InFlightWindow<W>[] {
    if (parts.length < 2) return parts;
    return inFlinkMergeOrder(merged).flatMap((window) => {
      const part = parts.find((entry) => this.isSame(entry.window, window));
      return part === undefined ? [] : [part];
    });
  }

  private isSame(a: W, b: W): boolean {
    if (a === b) return true;
    const { equals, identity } = this.assigner.windowKind;
    return equals === undefined ? identity(a) === identity(b) : equals(a, b);
  }
}

function inFlightType<W>(type: TypeSerializer<W>): TypeSerializer<InFlightWindow<W>> {
  const pair = Types.struct({ window: type, stateWindow: type });
  return pair as unknown as TypeSerializer<InFlightWindow<W>>;
}
