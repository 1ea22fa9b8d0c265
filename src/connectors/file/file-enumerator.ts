import { StreamError } from "../../base/index.ts";
import type { SplitEnumerator, SplitEnumeratorContext } from "../../operators/index.ts";
import { type FileEnumeratorState, type FileSplit, newFileSplit } from "./file-split.ts";
import { findFiles } from "./glob.ts";

/**
 * Finds files and hands each to the reader that asks first; in order of their paths.
 *
 * Invariants:
 *
 * - E1. Each file is in exactly one place: assigned, waiting, or not yet discovered.
 * - E2. A reader that asks while nothing waits is remembered and served by the next discovery.
 */
export class FileEnumerator implements SplitEnumerator<FileSplit, FileEnumeratorState> {
  readonly #context: SplitEnumeratorContext<FileSplit>;
  readonly #path: string;
  /** Undefined: look once. */
  readonly #discoveryIntervalMs: number | undefined;
  readonly #assigned: Set<string>;
  readonly #waiting: FileSplit[];
  readonly #hungry = new Set<number>();
  readonly #isRestored: boolean;
  #cancelTimer: (() => void) | undefined;
  #isClosed = false;

  constructor(
    context: SplitEnumeratorContext<FileSplit>,
    path: string,
    discoveryIntervalMs: number | undefined,
    restored: FileEnumeratorState | undefined,
  ) {
    this.#context = context;
    this.#path = path;
    this.#discoveryIntervalMs = discoveryIntervalMs;
    this.#assigned = new Set(restored?.assigned);
    this.#waiting = [...(restored?.waiting ?? [])];
    this.#isRestored = restored !== undefined;
  }

  async start(): Promise<void> {
    await this.#discover();
    const found = this.#assigned.size + this.#waiting.length;
    if (found === 0 && !this.#isRestored && this.#discoveryIntervalMs === undefined) {
      throw new StreamError("FILES_NOT_FOUND", { path: this.#path });
    }
  }

  addReader(): void {}

  handleSplitRequest(subtaskIndex: number): void {
    this.#hungry.add(subtaskIndex);
    this.#feed();
  }

  addSplitsBack(splits: readonly FileSplit[]): void {
    for (const split of splits) this.#assigned.delete(split.splitId);
    this.#waiting.push(...splits);
    this.#waiting.sort((a, b) => (a.splitId < b.splitId ? -1 : 1));
    this.#feed();
  }

  snapshotState(): FileEnumeratorState {
    return { assigned: [...this.#assigned], waiting: [...this.#waiting] };
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelTimer?.();
  }

  async #discover(): Promise<void> {
    const known = new Set([...this.#assigned, ...this.#waiting.map(({ splitId }) => splitId)]);
    const path = this.#path;
    const found = await findFiles(this.#context.files, path).catch((error: unknown) => {
      throw new StreamError("SOURCE_UNREADABLE", { path }, error);
    });
    if (this.#isClosed) return;
    this.#waiting.push(...found.filter((path) => !known.has(path)).map(newFileSplit));
    this.#feed();
    if (this.#discoveryIntervalMs === undefined) return;
    this.#cancelTimer = this.#context.platform.after(this.#discoveryIntervalMs, () => {
      this.#discover().catch((error: unknown) => this.#context.fail(error));
    });
  }

  #feed(): void {
    for (const subtaskIndex of this.#hungry) {
      const split = this.#waiting.shift();
      if (split !== undefined) {
        this.#hungry.delete(subtaskIndex);
        this.#assigned.add(split.splitId);
        this.#context.assignSplit(split, subtaskIndex);
      } else if (this.#discoveryIntervalMs === undefined) {
        this.#hungry.delete(subtaskIndex);
        this.#context.signalNoMoreSplits(subtaskIndex);
      }
    }
  }
}
