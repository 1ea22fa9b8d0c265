import { assert, ByteWriter, MIN_TIMESTAMP } from "../../base/index.ts";
import { receivedError } from "../../runtime/index.ts";
import {
  type CellBlock,
  dataBytes,
  type EncodedEntries,
  FrameReader,
  type FlushReason,
  type Hello,
  type OperatorStateBlob,
  orderBytes,
  readReport,
  type StageEntry,
  type StageProgress,
  type StageReport,
  writeEntry,
} from "../../stage/index.ts";
import type { DurableCopy } from "./durable-copy.ts";
import { EntryLog } from "./entry-log.ts";
import type { ConnectStage, StageConnection } from "./stage-connection.ts";

/** Where a stage may be killed by a test. */
export type StageMoment =
  | "starting"
  | "loading"
  | "ready"
  | "data sent"
  | "flush sent"
  | "out received"
  | "flushed received";

export interface StageClientParameters {
  readonly connect: ConnectStage;
  readonly hello: Hello;
  /** What the stage starts from; changes as it goes on. */
  readonly copy: DurableCopy;
  /** How many entries may be on their way. */
  readonly maxInFlightEntries: number;
  /** Above so many entries that the copy does not cover, the stage is flushed: they are kept for its next process. */
  readonly maxUncoveredEntries: number;
  /** Entries that one DATA carries at most. */
  readonly maxEntriesPerData: number;
  /** Asked at each moment: true kills the process. */
  readonly shouldKill?: (moment: StageMoment) => boolean;
}

/** Numbers of flushes that nobody asked for: above all checkpoints' own. */
const OWN_FLUSHES = 2 ** 40;

interface Flush {
  readonly checkpointId: number;
  readonly reason: FlushReason;
  /** The position behind which it comes. */
  readonly behind: number;
  isSent: boolean;
}

/** A process that dies so often without getting on is not started again. */
const MAX_RESTARTS_IN_PLACE = 50;

/**
 * Drives one stage in another process, and goes on with a new process when it dies.
 *
 * Invariants:
 *
 * - S1. The durable copy is the state after the entries that it covers: changes are applied only when a frame covers.
 * - S2. Outputs are handed out when the copy covers the entries that they belong to, so none comes twice.
 * - S3. A new process gets the copy, the time as of the covered entries, then every entry that is not covered.
 */
export class StageClient {
  readonly #p: StageClientParameters;
  readonly #log: EntryLog;
  #connection: StageConnection | undefined = undefined;
  #phase: "starting" | "priming" | "running" = "starting";
  #isClosing = false;
  #attempt: number;
  /** Entries of this process's count that are not of the log, less those of the log that it never saw. */
  #countBase = 0;
  #primes = 0;
  #counted = 0;
  #sent = 0;
  #names = new Map<number, string>();
  #heldOutputs: StageEntry[] = [];
  #heldChanges: CellBlock[] = [];
  #released: StageEntry[] = [];
  #releasedWatermark: number = MIN_TIMESTAMP;
  #flush: Flush | undefined = undefined;
  #ownFlushes = 0;
  #failure: unknown = undefined;
  #restartsInPlace = 0;
  #lastCheckpointId: number | null;
  #wake: (() => void) | undefined = undefined;
  /** How often the process was started anew. */
  restartCount = 0;
  metrics: Readonly<Record<string, number>> = {};
  nextTimerAtMs: number = Number.POSITIVE_INFINITY;

  private constructor(parameters: StageClientParameters) {
    this.#p = parameters;
    this.#log = new EntryLog(parameters.hello.nowMs);
    this.#attempt = parameters.hello.attempt;
    this.#lastCheckpointId = parameters.hello.restoredCheckpointId;
  }

  /** Starts the process and waits until it is ready. @throws What made the stage fail. */
  static async open(parameters: StageClientParameters): Promise<StageClient> {
    const client = new StageClient(parameters);
    client.#start();
    await client.#until(() => client.#phase === "running");
    return client;
  }

  get copy(): DurableCopy {
    return this.#p.copy;
  }

  /** Puts an entry, encoded, behind the others. */
  give(entry: Uint8Array): void {
    this.#log.append(entry);
    this.#send();
  }

  /** Waits until all entries are worked off and covered, by a flush where nothing less covers. */
  async settle(checkpointId: number): Promise<void> {
    await this.#until(() => this.#counted === this.#log.end);
    if (this.#log.covered < this.#log.end) await this.flush(checkpointId);
  }

  /** Makes a consistent cut behind all entries: afterwards the copy holds the stage's whole state. */
  async flush(checkpointId: number, reason: FlushReason = "CHECKPOINT"): Promise<void> {
    await this.#until(() => this.#flush === undefined);
    const flush = { checkpointId, reason, behind: this.#log.end, isSent: false };
    this.#flush = flush;
    this.#send();
    await this.#until(() => this.#flush !== flush);
  }

  notify(checkpointId: number, isComplete: boolean): void {
    this.#connection?.send(orderBytes({ kind: "notify", checkpointId, isComplete }));
  }

  /** What was emitted and is covered, since the last call. */
  takeOutput(): readonly StageEntry[] {
    const taken = this.#released;
    this.#released = [];
    return taken;
  }

  pause(): void {
    this.#connection?.pause();
  }

  resume(): void {
    this.#connection?.resume();
  }

  /** Ends the process in order, and waits until it is gone. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#connection?.send(orderBytes({ kind: "close" }));
    await this.#until(() => this.#connection === undefined);
  }

  #start(): void {
    const { hello, copy, connect } = this.#p;
    this.#phase = "starting";
    this.#names = new Map();
    this.#heldOutputs = [];
    this.#heldChanges = [];
    const reader = new FrameReader();
    const connection = connect({
      onBytes: (piece) => {
        if (this.#connection !== connection) return;
        this.#guard(() => {
          for (const frame of reader.push(piece)) this.#take(readReport(frame));
        });
      },
      onEnd: (how) => {
        if (this.#connection === connection) this.#onEnd(how);
      },
    });
    this.#connection = connection;
    const { time } = this.#log;
    const restoredCheckpointId = this.#lastCheckpointId;
    const attempt = this.#attempt++;
    connection.send(
      orderBytes({
        kind: "hello",
        hello: { ...hello, attempt, restoredCheckpointId, nowMs: time.nowMs },
      }),
    );
    this.#moment("starting");
    for (const frame of copy.loadFrames()) connection.send(frame);
    this.#moment("loading");
  }

  #onEnd(how: string): void {
    this.#connection = undefined;
    if (!this.#isClosing && this.#failure === undefined) {
      this.restartCount++;
      this.#restartsInPlace++;
      if (this.#restartsInPlace > MAX_RESTARTS_IN_PLACE)
        this.#failure = new Error(`The stage's process ends again and again: ${how}`);
      else this.#start();
    }
    this.#wake?.();
  }

  #take(report: StageReport): void {
    switch (report.kind) {
      case "ready":
        this.#moment("ready");
        this.#prime();
        break;
      case "out":
        if (this.#takeProgress(report.progress) && report.covers) this.#cover();
        this.#moment("out received");
        break;
      case "flushed":
        this.#takeProgress(report.progress);
        this.#cover(report.checkpointId, report.operatorStates);
        this.#moment("flushed received");
        break;
      case "metrics":
        this.metrics = report.metrics;
        break;
      case "error":
        this.#failure = receivedError(report.failure);
        break;
    }
    this.#send();
    this.#wake?.();
  }

  /** Tells a new process what time it is, in a DATA of its own: what comes of it has come before. */
  #prime(): void {
    const { watermark, isIdle } = this.#log.time;
    const entries: StageEntry[] = [];
    if (watermark !== MIN_TIMESTAMP) entries.push({ kind: "watermark", watermark });
    if (isIdle) entries.push({ kind: "idle" });
    this.#counted = this.#log.covered;
    this.#sent = this.#log.covered;
    this.#primes = entries.length;
    this.#countBase = this.#log.covered - entries.length;
    if (this.#flush !== undefined) this.#flush.isSent = false;
    this.#phase = entries.length === 0 ? "running" : "priming";
    if (entries.length > 0) this.#connection?.send(dataBytes(encoded(entries)));
  }

  /** @returns False if the progress is that of telling the time again. */
  #takeProgress(progress: StageProgress): boolean {
    this.nextTimerAtMs = progress.nextTimerAtMs;
    this.#heldChanges.push(progress.changes);
    if (this.#phase === "priming") {
      if (progress.countedEntries >= this.#primes) this.#phase = "running";
      return false;
    }
    this.#counted = Math.max(this.#counted, this.#countBase + progress.countedEntries);
    assert(this.#counted <= this.#sent, "a stage counts what it was sent");
    this.#heldOutputs.push(...progress.outputs);
    return true;
  }

  #cover(checkpointId?: number, operatorStates?: readonly OperatorStateBlob[]): void {
    for (const changes of this.#heldChanges) this.#p.copy.apply(changes, this.#names);
    this.#heldChanges = [];
    if (operatorStates !== undefined) this.#p.copy.setOperatorStates(operatorStates);
    if (this.#counted > this.#log.covered) this.#restartsInPlace = 0;
    this.#log.cover(this.#counted);
    this.#lastCheckpointId = checkpointId ?? this.#lastCheckpointId ?? 0;
    for (const entry of this.#heldOutputs) this.#release(entry);
    this.#heldOutputs = [];
    if (checkpointId !== undefined && this.#flush?.checkpointId === checkpointId)
      this.#flush = undefined;
  }

  /** A watermark that a restarted stage emits again has gone out before. */
  #release(entry: StageEntry): void {
    if (entry.kind === "watermark") {
      if (entry.watermark <= this.#releasedWatermark) return;
      this.#releasedWatermark = entry.watermark;
    }
    this.#released.push(entry);
  }

  /** Sends what the credit allows: at once if nothing is under way, else in large pieces. */
  #send(): void {
    if (this.#phase !== "running") return;
    const { maxInFlightEntries, maxEntriesPerData, maxUncoveredEntries } = this.#p;
    if (this.#flush === undefined && this.#log.end - this.#log.covered > maxUncoveredEntries)
      this.#flush = {
        checkpointId: OWN_FLUSHES + this.#ownFlushes++,
        reason: "CHECKPOINT",
        behind: this.#log.covered + maxUncoveredEntries,
        isSent: false,
      };
    const end = this.#flush?.behind ?? this.#log.end;
    for (;;) {
      const inFlight = this.#sent - this.#counted;
      const waiting = end - this.#sent;
      const room = Math.min(waiting, maxInFlightEntries - inFlight, maxEntriesPerData);
      const isWorthIt =
        inFlight === 0 || room >= Math.min(maxEntriesPerData, maxInFlightEntries / 2);
      const isLast = this.#flush !== undefined && room === waiting;
      if (room <= 0 || !(isWorthIt || isLast)) break;
      this.#connection?.send(dataBytes(this.#log.slice(this.#sent, this.#sent + room)));
      this.#sent += room;
      this.#moment("data sent");
    }
    if (this.#flush === undefined || this.#flush.isSent || this.#sent < end) return;
    const { checkpointId, reason } = this.#flush;
    this.#flush.isSent = true;
    this.#connection?.send(orderBytes({ kind: "flush", checkpointId, reason }));
    this.#moment("flush sent");
  }

  #moment(moment: StageMoment): void {
    if (this.#p.shouldKill?.(moment) === true) this.#connection?.kill();
  }

  #guard(action: () => void): void {
    try {
      action();
    } catch (error) {
      this.#failure ??= error;
      this.#connection?.kill();
      this.#wake?.();
    }
  }

  async #until(isDone: () => boolean): Promise<void> {
    for (;;) {
      if (this.#failure !== undefined) throw this.#failure;
      if (isDone()) return;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}

function encoded(entries: readonly StageEntry[]): EncodedEntries {
  const out = new ByteWriter();
  for (const entry of entries) writeEntry(entry, out);
  return { count: entries.length, bytes: out.toBytes() };
}
