import type { Platform } from "../../base/index.ts";
import { type CheckpointObserver, FAILURE_REASONS } from "../../checkpoint/index.ts";
import type { CliContext, OutputStream } from "../cli-context.ts";

/** What the status is made of. */
export interface RunProgress {
  readonly status: string;
  readonly recordsRead: number;
  /** Milliseconds since the epoch; undefined if there is none yet. */
  readonly watermark: number | undefined;
}

/** How often the line on a terminal is drawn. */
const DRAW_INTERVAL_MS = 250;

/** How often a line is written where nobody sees it change. */
const LINE_INTERVAL_MS = 10_000;

/**
 * Shows how a job is getting on: one line that changes in place on a terminal, a line each 10 s elsewhere.
 *
 * @remarks
 * The line stands below everything else: what the job or the log writes goes above it.
 */
export class RunStatus {
  /** Hears of checkpoints for the line. */
  readonly observer: CheckpointObserver;
  readonly #platform: Platform;
  readonly #output: OutputStream;
  readonly #isTerminal: boolean;
  readonly #restoreStdout: () => void;
  #jobName = "";
  #progress: (() => RunProgress) | undefined;
  #cancelTimer: (() => void) | undefined;
  #isShown = false;
  #completed: { readonly checkpointId: number; readonly atMs: number } | undefined;
  #completedCount = 0;
  #failedCount = 0;
  #before: { readonly recordsRead: number; readonly atMs: number } | undefined;

  constructor({ process }: CliContext, platform: Platform) {
    this.#platform = platform;
    this.#output = process.stderr;
    this.#isTerminal = process.stderr.isTTY === true;
    this.#restoreStdout =
      this.#isTerminal && process.stdout.isTTY === true
        ? this.#hideDuringWrites(process.stdout)
        : () => undefined;
    this.observer = {
      onEnded: ({ status, checkpointId, failure }) => {
        if (status === "COMPLETED") {
          this.#completed = { checkpointId, atMs: platform.monotonicMs() };
          this.#completedCount += 1;
        } else if (failure !== null && FAILURE_REASONS[failure.reason].counted) {
          this.#failedCount += 1;
        }
      },
    };
  }

  get completedCount(): number {
    return this.#completedCount;
  }

  get failedCount(): number {
    return this.#failedCount;
  }

  /** Begins to show; `progress` is asked for each line. */
  start(jobName: string, progress: () => RunProgress): void {
    this.#jobName = jobName;
    this.#progress = progress;
    this.#before = { recordsRead: progress().recordsRead, atMs: this.#platform.monotonicMs() };
    this.#schedule();
  }

  /** Writes above the line. */
  write(text: string): void {
    this.#hide();
    this.#output.write(text);
  }

  stop(): void {
    this.#cancelTimer?.();
    this.#hide();
    this.#restoreStdout();
  }

  #schedule(): void {
    const intervalMs = this.#isTerminal ? DRAW_INTERVAL_MS : LINE_INTERVAL_MS;
    this.#cancelTimer = this.#platform.after(intervalMs, () => {
      const text = this.#text();
      if (this.#isTerminal) {
        const columns = this.#output.columns ?? 80;
        this.#output.write(`${CLEAR_LINE}${text.slice(0, columns - 1)}`);
        this.#isShown = true;
      } else this.#output.write(`${text}\n`);
      this.#schedule();
    });
  }

  #text(): string {
    const nowMs = this.#platform.monotonicMs();
    const { status, recordsRead, watermark } = this.#progress?.() ?? NOTHING;
    const before = this.#before ?? { recordsRead, atMs: nowMs };
    const seconds = Math.max(0.001, (nowMs - before.atMs) / 1000);
    // A new attempt counts from zero again.
    const perSecond = Math.max(0, recordsRead - before.recordsRead) / seconds;
    if (nowMs - before.atMs >= RATE_WINDOW_MS) this.#before = { recordsRead, atMs: nowMs };
    const parts = [`${this.#jobName}: ${status}`, `${rateText(perSecond)} records/s`];
    // The watermark is the longest and comes last: a narrow terminal cuts it, and not the checkpoint.
    parts.push(this.#checkpointText(nowMs));
    if (watermark !== undefined) parts.push(`watermark ${timeText(watermark)}`);
    return parts.join(", ");
  }

  #checkpointText(nowMs: number): string {
    const failed = this.#failedCount === 0 ? "" : `, ${this.#failedCount} failed`;
    if (this.#completed === undefined) return `no checkpoint yet${failed}`;
    const { checkpointId, atMs } = this.#completed;
    return `checkpoint ${checkpointId} (${Math.round((nowMs - atMs) / 1000)} s ago)${failed}`;
  }

  #hide(): void {
    if (!this.#isShown) return;
    this.#isShown = false;
    this.#output.write(CLEAR_LINE);
  }

  #hideDuringWrites(stdout: { write: OutputStream["write"] }): () => void {
    const { write } = stdout;
    stdout.write = (...input: Parameters<OutputStream["write"]>) => {
      this.#hide();
      return write.apply(stdout, input);
    };
    return () => void (stdout.write = write);
  }
}

const NOTHING: RunProgress = { status: "", recordsRead: 0, watermark: undefined };

/** Over how long the rate is measured at least. */
const RATE_WINDOW_MS = 1_000;

const CLEAR_LINE = "\r\u001B[2K";

function rateText(perSecond: number): string {
  return Math.round(perSecond).toLocaleString("en-US");
}

function timeText(timestamp: number): string {
  const isDate = Math.abs(timestamp) <= 8.64e15;
  return isDate ? new Date(timestamp).toISOString().replace(/\.\d+Z$/, "Z") : "at its end";
}
