import { ByteReader, ByteWriter, type Logger, type Platform } from "../../base/index.ts";
import type { OperatorCoordinatorSnapshot, SubtaskRef } from "../../checkpoint/index.ts";
import type {
  Source,
  SourceSplit,
  SplitEnumerator,
  WatermarkAlignment,
} from "../../operators/index.ts";
import type { ReaderEvent, SourceEvent } from "../slot/task-messages.ts";
import type { AlignmentGroup } from "./alignment-group.ts";

export interface SourceCoordinatorParameters {
  readonly source: Source<unknown, SourceSplit, unknown>;
  readonly operatorId: string;
  readonly parallelism: number;
  readonly platform: Platform;
  readonly log: Logger;
  /** Bytes of the enumerator's state in the checkpoint that the attempt starts from. */
  readonly restored: Uint8Array | undefined;
  readonly send: (subtaskIndex: number, event: SourceEvent) => void;
  /** Fails the job. */
  readonly fail: (error: unknown) => void;
  /** The sources that wait for each other, if this one does. */
  readonly alignment?: SourceGroup | undefined;
}

/** What a source has to do with its alignment group. */
export interface SourceGroup extends WatermarkAlignment {
  readonly readers: AlignmentGroup;
}

/**
 * The JobManager's half of a source: its enumerator, and the valve before its events.
 *
 * Invariants:
 *
 * - E1. Calls to the enumerator come one after the other, and none before `start` is done.
 * - E2. What is assigned after the enumerator's snapshot for a checkpoint reaches a reader only after that checkpoint's trigger:
 *   so a split is in the state of the enumerator or of a reader, never of both.
 *
 * Source: Flink `SourceCoordinator`, `OperatorCoordinatorHolder`.
 */
export class SourceCoordinator implements OperatorCoordinatorSnapshot {
  readonly operatorId: string;
  readonly #p: SourceCoordinatorParameters;
  readonly #enumerator: SplitEnumerator<SourceSplit, unknown>;
  readonly #readers = new Set<number>();
  #held: (() => void)[] = [];
  /** Checkpoints that are not yet triggered or given up: asked for, and of those the ones whose state is taken. */
  readonly #askedFor = new Set<number>();
  readonly #closedFor = new Set<number>();
  #calls: Promise<void>;
  #isClosed = false;
  /** Readers that have reported a watermark. */
  readonly #reporting = new Set<number>();
  #cancelAnnouncement: (() => void) | undefined;

  constructor(parameters: SourceCoordinatorParameters) {
    this.#p = parameters;
    this.operatorId = parameters.operatorId;
    const { source, restored } = parameters;
    const state =
      restored === undefined
        ? undefined
        : source.enumeratorStateSerializer.read(new ByteReader(restored));
    this.#enumerator = source.createEnumerator(
      {
        platform: parameters.platform,
        files: parameters.platform.files,
        log: parameters.log,
        parallelism: parameters.parallelism,
        registeredReaders: () => [...this.#readers].toSorted((a, b) => a - b),
        assignSplit: (split, subtaskIndex) =>
          this.#send(subtaskIndex, { kind: "add-splits", splits: [this.#encode(split)] }),
        signalNoMoreSplits: (subtaskIndex) => this.#send(subtaskIndex, { kind: "no-more-splits" }),
        fail: parameters.fail,
      },
      state,
    );
    this.#calls = Promise.resolve();
    this.#call(() => this.#enumerator.start());
    if (parameters.alignment !== undefined) this.#scheduleAnnouncement(parameters.alignment);
  }

  handleEvent(task: SubtaskRef, event: ReaderEvent): void {
    const { subtaskIndex } = task;
    switch (event.kind) {
      case "register":
        return this.#call(() => {
          this.#readers.add(subtaskIndex);
          return this.#enumerator.addReader(subtaskIndex);
        });
      case "split-request":
        return this.#call(() => this.#enumerator.handleSplitRequest(subtaskIndex));
      case "reported-watermark":
        this.#reporting.add(subtaskIndex);
        return this.#p.alignment?.readers.report(
          `${this.operatorId}/${subtaskIndex}`,
          event.watermark,
        );
    }
  }

  async checkpointCoordinator(checkpointId: number): Promise<Uint8Array> {
    this.#askedFor.add(checkpointId);
    const taken = this.#calls.then(() => this.#snapshot(checkpointId));
    this.#calls = taken.then(
      () => undefined,
      () => undefined,
    );
    return taken;
  }

  #snapshot(checkpointId: number): Uint8Array {
    const out = new ByteWriter();
    this.#p.source.enumeratorStateSerializer.write(
      this.#enumerator.snapshotState(checkpointId),
      out,
    );
    if (this.#askedFor.has(checkpointId)) this.#closedFor.add(checkpointId);
    return out.toBytes();
  }

  openValve(checkpointId: number): void {
    this.#askedFor.delete(checkpointId);
    this.#closedFor.delete(checkpointId);
    if (this.#closedFor.size > 0) return;
    const held = this.#held;
    this.#held = [];
    for (const send of held) send();
  }

  notifyCheckpointComplete(checkpointId: number): void {
    this.#call(() => this.#enumerator.notifyCheckpointComplete?.(checkpointId));
  }

  notifyCheckpointAborted(): void {}

  /** Ends the enumerator; what it still says is dropped. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#cancelAnnouncement?.();
    this.#held = [];
    await this.#calls;
    await this.#enumerator.close();
  }

  /** Tells the readers again and again how far they may go. */
  #scheduleAnnouncement(group: SourceGroup): void {
    this.#cancelAnnouncement = this.#p.platform.after(group.updateIntervalMs, () => {
      const maxAllowed = group.readers.maxAllowed(group.maxDriftMs);
      for (const subtaskIndex of this.#reporting)
        this.#send(subtaskIndex, { kind: "watermark-alignment", maxAllowed });
      this.#scheduleAnnouncement(group);
    });
  }

  #call(action: () => Promise<void> | void): void {
    this.#calls = this.#calls
      .then(() => (this.#isClosed ? undefined : action()))
      .catch((error: unknown) => {
        if (!this.#isClosed) this.#p.fail(error);
      });
  }

  #send(subtaskIndex: number, event: SourceEvent): void {
    if (this.#isClosed) return;
    const send = () => this.#p.send(subtaskIndex, event);
    if (this.#closedFor.size > 0) this.#held.push(send);
    else send();
  }

  #encode(split: SourceSplit): Uint8Array {
    const out = new ByteWriter();
    this.#p.source.splitSerializer.write(split, out);
    return out.toBytes();
  }
}
