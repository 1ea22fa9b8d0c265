import {
  asUnaligned,
  type BarrierAction,
  type BarrierHandler,
  type CheckpointBarrier,
} from "../../checkpoint/index.ts";
import { present } from "../../base/index.ts";
import type { TaskInput } from "../task/task-input.ts";
import type { InFlightRecorder, Recorded } from "./in-flight-recorder.ts";

export interface UnalignedInputParameters {
  readonly input: TaskInput;
  readonly handler: BarrierHandler;
  readonly recorder: InFlightRecorder;
  /** Of the batch that is begun: how many of its records are processed. */
  readonly position: () => number;
  readonly nowMs: () => number;
  readonly onBarrierActions: (actions: readonly BarrierAction[]) => void;
  /** Has {@link UnalignedInput.step} called at this time. */
  readonly wakeAt: (atMs: number) => void;
}

/**
 * The barriers of one task's input that may overtake: it looks for them in the channels, behind what lies before them.
 *
 * @remarks
 * What a barrier overtakes stays in the channel, to be processed later, and goes into the channel state of the checkpoint. What waits
 * at the sender beyond the bound of its channel lies in the same queue, so it is in flight towards the receiver, too: there is no state of
 * result subpartitions of its own. Source: Flink `CheckpointedInputGate`, `PipelinedSubpartition`.
 */
export class UnalignedInput {
  readonly #p: UnalignedInputParameters;
  /** By channel: the barrier that was announced last. */
  readonly #announced: (CheckpointBarrier | undefined)[];
  readonly #toPriority: number[] = [];
  #wakesAtMs: number | undefined;

  constructor(parameters: UnalignedInputParameters) {
    this.#p = parameters;
    this.#announced = parameters.input.channels.map(() => undefined);
  }

  /** True if there is something for {@link step} to do. */
  get isWaiting(): boolean {
    const { handler, input, nowMs } = this.#p;
    if (this.#toPriority.length > 0) return true;
    if (handler.nextTickAtMs !== undefined && nowMs() >= handler.nextTickAtMs) return true;
    return input.channels.some(({ reader }, index) =>
      (reader.barriers?.() ?? []).some((barrier) => this.#concerns(index, barrier)),
    );
  }

  /** Lets barriers overtake. Only between two records, with no work left over. @returns True if one did. */
  step(): boolean {
    const { input, handler, nowMs, onBarrierActions } = this.#p;
    let progress = false;
    if (handler.nextTickAtMs !== undefined && nowMs() >= handler.nextTickAtMs) {
      onBarrierActions(handler.tick(nowMs()));
      progress = true;
    }
    for (const [index, { reader }] of input.channels.entries()) {
      for (const barrier of reader.barriers?.() ?? []) {
        if (!this.#concerns(index, barrier)) continue;
        progress = true;
        if (barrier.options.alignment === "UNALIGNED") this.#overtake(index, barrier);
        else this.#announce(index, barrier);
      }
    }
    for (let index = this.#toPriority.shift(); index !== undefined;) {
      this.#raise(index);
      progress = true;
      index = this.#toPriority.shift();
    }
    this.#wake();
    return progress;
  }

  /** The announced barrier of this channel is to overtake. */
  raise(channelIndex: number): void {
    this.#toPriority.push(channelIndex);
  }

  startSpill(checkpointId: number): void {
    const { recorder, handler } = this.#p;
    recorder.start(checkpointId, handler.blockedChannels());
  }

  stopSpill(): Recorded | undefined {
    return this.#p.recorder.stop();
  }

  drop(checkpointId: number): void {
    this.#p.recorder.drop(checkpointId);
  }

  #concerns(index: number, { checkpointId, options }: CheckpointBarrier): boolean {
    if (options.alignment === "UNALIGNED") return true;
    const canBeRaised = options.alignment === "ALIGNED" && options.alignedTimeoutMs !== undefined;
    return canBeRaised && checkpointId > (this.#announced[index]?.checkpointId ?? 0);
  }

  #announce(index: number, barrier: CheckpointBarrier): void {
    const { handler, nowMs, onBarrierActions } = this.#p;
    this.#announced[index] = barrier;
    onBarrierActions(handler.onAnnouncement(index, barrier, nowMs()));
  }

  /** The barrier may have been taken in its turn meanwhile. */
  #raise(index: number): void {
    const announced = present(this.#announced[index], "only what was announced is raised");
    const waiting = this.#p.input.channels[index]?.reader.barriers?.() ?? [];
    const isThere = waiting.some(({ checkpointId }) => checkpointId === announced.checkpointId);
    if (isThere) this.#overtake(index, asUnaligned(announced));
  }

  #overtake(index: number, barrier: CheckpointBarrier): void {
    const { input, handler, recorder, position, nowMs, onBarrierActions } = this.#p;
    const isBegun = input.begunChannel === index;
    const elements = input.overtake(index, barrier.checkpointId);
    recorder.barrierComes(
      index,
      barrier.checkpointId,
      elements.map((element, at) => ({ element, start: at === 0 && isBegun ? position() : 0 })),
    );
    onBarrierActions(handler.onBarrier(index, barrier, nowMs()));
    recorder.barrierDone();
  }

  /** Sees to it that a time-out is noticed while nothing comes. */
  #wake(): void {
    const { handler, wakeAt } = this.#p;
    const atMs = handler.nextTickAtMs;
    if (atMs === undefined || atMs === this.#wakesAtMs) return;
    this.#wakesAtMs = atMs;
    wakeAt(atMs);
  }
}
