import { MIN_TIMESTAMP, present, unreachable } from "../../base/index.ts";
import type { BarrierAction, BarrierHandler } from "../../checkpoint/index.ts";
import {
  InputsWatermark,
  type OneInputOperator,
  type Operator,
  type TwoInputOperator,
  WatermarkValve,
} from "../../operators/index.ts";
import type { KeyedStateStore } from "../../state/index.ts";
import type { InFlightRecorder } from "../channel-state/in-flight-recorder.ts";
import type { DirectGate, DirectInput } from "../exchange/direct-gate.ts";
import type { Cursor, PumpModule, PumpTarget } from "../exchange/pump.ts";
import type { RecordBatch } from "../exchange/record-batch.ts";
import type { FlowControl } from "../exchange/flow-control.ts";
import type { ControlElement } from "../exchange/stream-element.ts";
import { RecordBudget } from "./budget/record-budget.ts";
import type { InputChannel, TaskInput } from "./task-input.ts";

/** What one call of a head has done. `END`: no record will ever come; said once. */
export type HeadResult = "TOOK" | "NOTHING" | "END";

/** Where a task's elements come from: its channels, or a source. */
export interface Head {
  /** Processes one element, or goes on with a batch that is begun. */
  take(): HeadResult;
  /** True if nothing at all will come, not even a barrier. */
  readonly isEnded: boolean;
  /** Whether operators finish what they hold when the data has ended. */
  readonly isDrained: boolean;
  /** Event time that has reached the head operator; undefined before the first watermark, and at a source. */
  readonly watermark: number | undefined;
  /** The short way into the task, if it may be driven by the one before it. */
  readonly gate: DirectGate | undefined;
  /** True if no element waits and none is begun. */
  readonly isEmpty: boolean;
}

/** Records that one call processes at most, however quick they are: more than any batch has. */
const LARGEST_CALL = 4_096;

/** For an operator without keyed state. */
const NO_KEYS: DirectInput["keyed"] = { setCurrentKey() {} };

export interface InputHeadParameters {
  readonly input: TaskInput;
  readonly handler: BarrierHandler;
  readonly operator: Operator;
  readonly inputCount: number;
  /** State of the head operator; undefined if no input is keyed. */
  readonly keyed: KeyedStateStore | undefined;
  /** One module instance per logical input. */
  readonly pumps: readonly PumpModule[];
  readonly flow: FlowControl;
  readonly nowMs: () => number;
  readonly monotonicMs: () => number;
  readonly onBarrierActions: (actions: readonly BarrierAction[]) => void;
  /** Writes down what is taken while channel state is collected; undefined if barriers never overtake. */
  readonly recorder: InFlightRecorder | undefined;
  /** Told of records processed while barriers are awaited. */
  readonly onAlignedRecords: (batch: RecordBatch, count: number) => void;
}

/** One logical input of the head operator. */
interface LogicalInput {
  readonly valve: WatermarkValve;
  readonly target: PumpTarget;
  readonly pump: PumpModule;
}

/** The head of a task that reads channels. */
export class InputHead implements Head {
  readonly #p: InputHeadParameters;
  readonly #inputs: readonly LogicalInput[];
  readonly #cursor: Cursor = { position: 0, limit: 0 };
  readonly #budget = new RecordBudget(LARGEST_CALL);
  #isDrained = true;
  #hasSaidEnd = false;
  #pumpedCount = 0;

  constructor(parameters: InputHeadParameters) {
    this.#p = parameters;
    this.#inputs = logicalInputs(parameters);
  }

  get isEnded(): boolean {
    return this.#p.input.isEnded;
  }

  get isDrained(): boolean {
    return this.#isDrained;
  }

  get gate(): DirectGate | undefined {
    const { channels } = this.#p.input;
    return channels.length === 1 ? channels[0]?.reader.gate : undefined;
  }

  /** Records that have come into the task, through channels or past them. */
  get recordCount(): number {
    return this.#pumpedCount + (this.gate?.drivenCount ?? 0);
  }

  /** Of the batch that is begun: how many of its records are processed. */
  get position(): number {
    return this.#cursor.position;
  }

  get isEmpty(): boolean {
    const { channels, isRestoring } = this.#p.input;
    if (isRestoring) return false;
    return channels.every(({ reader }) => reader.size() === 0 && reader.gate?.isDrained !== false);
  }

  /**
   * Offers itself to the task before it.
   *
   * @param settle - Lets operators do what they have left over; true if nothing is.
   */
  connect(
    settle: () => boolean,
    { fail, namesInTurn }: Pick<DirectInput, "fail" | "namesInTurn">,
  ): void {
    const { gate } = this;
    if (gate === undefined) return;
    const { target, valve } = present(this.#inputs[0], "a task with one channel has one input");
    gate.input = {
      target,
      keyed: this.#p.keyed ?? NO_KEYS,
      flow: this.#p.flow,
      watermark: (timestamp) => {
        this.#p.recorder?.watermarkTaken(0, timestamp);
        valve.onWatermark(0, timestamp);
        return settle();
      },
      status: (status) => {
        valve.onStatus(0, status);
        return settle();
      },
      fail,
      namesInTurn,
    };
  }

  get watermark(): number | undefined {
    const lowest = Math.min(...this.#inputs.map(({ valve }) => valve.watermark));
    return lowest === MIN_TIMESTAMP ? undefined : lowest;
  }

  take(): HeadResult {
    const { input } = this.#p;
    if (input.isDataEnded && !this.#hasSaidEnd) {
      this.#hasSaidEnd = true;
      return "END";
    }
    let incoming = input.next();
    if (incoming.kind === "nothing" && this.gate?.pull() === true) incoming = input.next();
    if (incoming.kind === "nothing") return "NOTHING";
    if (incoming.kind === "records") {
      this.#processRecords(incoming.channelIndex, incoming.batch);
    } else {
      this.#p.recorder?.elementTaken(incoming.channelIndex, incoming.element, 0);
      input.taken();
      this.#processControl(incoming.channelIndex, incoming.element);
    }
    return "TOOK";
  }

  #processRecords(channelIndex: number, batch: RecordBatch): void {
    const { flow, keyed, handler, input, recorder, monotonicMs } = this.#p;
    const { pump, target } = this.#inputOf(channelIndex);
    const cursor = this.#cursor;
    const before = cursor.position;
    recorder?.elementTaken(channelIndex, batch, before);
    cursor.limit = this.#budget.limit;
    const startMs = monotonicMs();
    if (batch.keys !== undefined && keyed !== undefined)
      pump.pumpKeyed(target, keyed, batch, cursor, flow);
    else pump.pump(target, batch, cursor, flow);
    this.#pumpedCount += cursor.position - before;
    this.#budget.took(cursor.position - before, monotonicMs() - startMs);
    if (handler.isCheckpointPending) this.#p.onAlignedRecords(batch, cursor.position - before);
    if (cursor.position < batch.length) return;
    cursor.position = 0;
    recorder?.batchDone();
    input.taken();
  }

  #processControl(channelIndex: number, element: ControlElement): void {
    const { input, handler, nowMs, onBarrierActions, recorder } = this.#p;
    switch (element.kind) {
      case "watermark":
        return this.#inputOf(channelIndex).valve.onWatermark(
          this.#channel(channelIndex).indexInInput,
          element.timestamp,
        );
      case "status":
        return this.#inputOf(channelIndex).valve.onStatus(
          this.#channel(channelIndex).indexInInput,
          element.status,
        );
      case "barrier":
        recorder?.barrierComes(channelIndex, element.barrier.checkpointId, []);
        onBarrierActions(handler.onBarrier(channelIndex, element.barrier, nowMs()));
        return recorder?.barrierDone();
      case "cancel":
        return onBarrierActions(
          handler.onCancellation(channelIndex, element.checkpointId, nowMs()),
        );
      case "end-of-data":
        if (!element.drain) this.#isDrained = false;
        return input.endOfData(channelIndex);
      case "end-of-partition":
        input.endOfPartition(channelIndex);
        return onBarrierActions(handler.onEndOfPartition(channelIndex, nowMs()));
      default:
        return unreachable(element);
    }
  }

  #channel(index: number): InputChannel {
    return present(this.#p.input.channels[index], "the channel exists");
  }

  #inputOf(channelIndex: number): LogicalInput {
    return present(this.#inputs[this.#channel(channelIndex).inputIndex], "the input exists");
  }
}

function logicalInputs(parameters: InputHeadParameters): readonly LogicalInput[] {
  const { input, operator, inputCount, pumps } = parameters;
  const watermarks =
    inputCount === 1
      ? undefined
      : new InputsWatermark(inputCount, operator as TwoInputOperator<unknown, unknown>);
  return Array.from({ length: inputCount }, (_, inputIndex): LogicalInput => {
    const pump = present(pumps[inputIndex], "every logical input has its pump");
    const channelCount = input.channels.filter(
      (channel) => channel.inputIndex === inputIndex,
    ).length;
    if (watermarks === undefined) {
      const only = operator as OneInputOperator<unknown>;
      return { pump, target: only, valve: new WatermarkValve(channelCount, only) };
    }
    return {
      pump,
      target: pump.inputOfTwo(operator as TwoInputOperator<unknown, unknown>, inputIndex),
      valve: new WatermarkValve(channelCount, {
        processWatermark: (watermark) => watermarks.onWatermark(inputIndex, watermark),
        processWatermarkStatus: (status) => watermarks.onStatus(inputIndex, status),
      }),
    };
  });
}
