import { MIN_TIMESTAMP } from "../../base/index.ts";
import { type TypeSerializer, Types } from "../../serde/index.ts";
import type { OperatorListState, OperatorStateStore } from "../../state/index.ts";

/** A watermark that had gone out at the cut: of a split, or of a subtask as a whole. */
interface SavedWatermark {
  /** Undefined: what the subtask had emitted. */
  readonly splitId?: string | undefined;
  readonly subtaskIndex: number;
  readonly watermark: number;
}

const savedWatermarkType: TypeSerializer<SavedWatermark> = Types.struct({
  splitId: Types.optional(Types.string()),
  subtaskIndex: Types.int(),
  watermark: Types.timestamp(),
});

/**
 * The watermarks of one subtask, kept over a restore.
 *
 * @remarks
 * Flink starts every watermark anew after a restore, so a record that was late may be in time when it is read again, and a failure
 * changes the result. Here what makes watermarks emits again, before the first record, what it had emitted at the cut
 * (docs/decisions/0003-watermarks-survive-a-restore.md). Union state, since splits move between subtasks.
 */
export class RestoredWatermarks {
  private readonly state: OperatorListState<SavedWatermark>;
  private readonly subtaskIndex: number;
  private readonly saved: readonly SavedWatermark[];

  constructor(operatorState: OperatorStateStore, subtaskIndex: number, stateName: string) {
    this.state = operatorState.unionListState({ name: stateName, type: savedWatermarkType });
    this.subtaskIndex = subtaskIndex;
    this.saved = this.state.get();
  }

  /**
   * What this subtask had emitted; the least of all subtasks if it did not exist then, or if others did not.
   *
   * @param parallelism - Of now.
   */
  emitted(parallelism: number): number {
    const emitted = this.saved.filter(({ splitId }) => splitId === undefined);
    if (emitted.length === 0) return MIN_TIMESTAMP;
    const own = emitted.find(({ subtaskIndex }) => subtaskIndex === this.subtaskIndex);
    if (own !== undefined && emitted.length === parallelism) return own.watermark;
    return Math.min(...emitted.map(({ watermark }) => watermark));
  }

  /** The watermark of a split; the lowest if it has none. */
  ofSplit(splitId: string): number {
    return this.saved.find((saved) => saved.splitId === splitId)?.watermark ?? MIN_TIMESTAMP;
  }

  save(emitted: number, splits: Iterable<readonly [splitId: string, watermark: number]>): void {
    const { subtaskIndex } = this;
    const ofSplits = Array.from(splits, ([splitId, watermark]) => ({
      splitId,
      subtaskIndex,
      watermark,
    }));
    this.state.update([{ subtaskIndex, watermark: emitted }, ...ofSplits]);
  }
}
