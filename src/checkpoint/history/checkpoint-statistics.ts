import type { CheckpointRecord } from "../checkpoint-record.ts";
import type { CheckpointObserver, RestoredCheckpoint } from "../coordinator/checkpoint-observer.ts";

export interface CheckpointCounts {
  readonly restored: number;
  readonly total: number;
  readonly inProgress: number;
  readonly completed: number;
  /** Those too that failed before they got an id. */
  readonly failed: number;
}

/**
 * Checkpoints since the job was started, in memory: what Flink's REST answers with.
 *
 * Source: Flink `CheckpointStatsTracker`, `CheckpointStatsHistory`.
 */
export class CheckpointStatistics implements CheckpointObserver {
  readonly #maxCount: number;
  readonly #inProgress = new Map<number, () => CheckpointRecord>();
  /** The latest that ended, by id. */
  readonly #ended = new Map<number, CheckpointRecord>();
  readonly #discardedIds = new Set<number>();
  #counts: CheckpointCounts = { restored: 0, total: 0, inProgress: 0, completed: 0, failed: 0 };
  #latestCompleted: CheckpointRecord | undefined;
  #latestSavepoint: CheckpointRecord | undefined;
  #latestFailed: CheckpointRecord | undefined;
  #latestRestored: RestoredCheckpoint | undefined;

  /** @param maxCount - `web.checkpoints.history`. */
  constructor(maxCount: number) {
    this.#maxCount = maxCount;
  }

  get counts(): CheckpointCounts {
    return { ...this.#counts, inProgress: this.#inProgress.size };
  }

  get latestCompleted(): CheckpointRecord | undefined {
    return this.#latestCompleted;
  }

  get latestSavepoint(): CheckpointRecord | undefined {
    return this.#latestSavepoint;
  }

  get latestFailed(): CheckpointRecord | undefined {
    return this.#latestFailed;
  }

  get latestRestored(): RestoredCheckpoint | undefined {
    return this.#latestRestored;
  }

  /** The checkpoints remembered, newest first, those in progress too. */
  history(): readonly CheckpointRecord[] {
    const all = [
      ...this.#ended.values(),
      ...[...this.#inProgress.values()].map((record) => record()),
    ];
    return all.toSorted((a, b) => b.checkpointId - a.checkpointId);
  }

  find(checkpointId: number): CheckpointRecord | undefined {
    const latest = [this.#latestCompleted, this.#latestSavepoint, this.#latestFailed];
    return (
      this.#inProgress.get(checkpointId)?.() ??
      this.#ended.get(checkpointId) ??
      latest.find((record) => record?.checkpointId === checkpointId)
    );
  }

  /** Whether the files of a completed checkpoint have been deleted. */
  isDiscarded(checkpointId: number): boolean {
    return this.#discardedIds.has(checkpointId);
  }

  onTriggered(checkpointId: number, record: () => CheckpointRecord): void {
    this.#inProgress.set(checkpointId, record);
    this.#counts = { ...this.#counts, total: this.#counts.total + 1 };
  }

  onEnded(record: CheckpointRecord): void {
    this.#inProgress.delete(record.checkpointId);
    this.#remember(record);
    if (record.status === "FAILED") {
      this.#latestFailed = record;
      this.#counts = { ...this.#counts, failed: this.#counts.failed + 1 };
      return;
    }
    this.#counts = { ...this.#counts, completed: this.#counts.completed + 1 };
    if (record.kind === "CHECKPOINT") this.#latestCompleted = record;
    else this.#latestSavepoint = record;
  }

  onLateAcknowledgement(record: CheckpointRecord): void {
    if (this.#ended.has(record.checkpointId)) this.#ended.set(record.checkpointId, record);
    if (this.#latestFailed?.checkpointId === record.checkpointId) this.#latestFailed = record;
  }

  onRefused(): void {
    const { total, failed } = this.#counts;
    this.#counts = { ...this.#counts, total: total + 1, failed: failed + 1 };
  }

  onRestored(restored: RestoredCheckpoint): void {
    this.#latestRestored = restored;
    this.#counts = { ...this.#counts, restored: this.#counts.restored + 1 };
  }

  onDiscarded(checkpointId: number): void {
    this.#discardedIds.add(checkpointId);
  }

  #remember(record: CheckpointRecord): void {
    this.#ended.set(record.checkpointId, record);
    for (const checkpointId of this.#ended.keys()) {
      if (this.#ended.size <= this.#maxCount) break;
      this.#ended.delete(checkpointId);
      this.#discardedIds.delete(checkpointId);
    }
  }
}
