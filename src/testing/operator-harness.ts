import {
  MIN_TIMESTAMP,
  nodePlatform,
  type Platform,
  present,
  silentLogger,
  StreamError,
} from "../base/index.ts";
import {
  InputsWatermark,
  type OneInputOperator,
  type Operator,
  type OperatorContext,
  type OperatorFactory,
  OperatorMeters,
  type Output,
  type OutputTag,
  type TwoInputOperator,
  type WatermarkStatus,
} from "../operators/index.ts";
import { keyHash, Types, type TypeSerializer } from "../serde/index.ts";
import {
  defaultMaxParallelism,
  heapKeyedStateBackend,
  type KeyedStateBackend,
  keyGroupOf,
  keyGroupRangeOf,
  ManualProcessingTime,
  operatorIndexOf,
  portableKeyedStateBackend,
  portableOperatorState,
  throughBytes,
  freezeDeeply,
  OperatorStateBackend,
  type OperatorStateHandle,
  redistributeOperatorState,
} from "../state/index.ts";

import {
  type HarnessSnapshot,
  keyedBytes,
  operatorHandle,
  type SubtaskSnapshot,
} from "./harness-snapshot.ts";

/** What an operator is driven with. */
export interface HarnessSetup<OUT> {
  readonly factory: OperatorFactory<Operator, OUT>;
  /** Set if the inputs are keyed. */
  readonly keyType?: TypeSerializer<unknown> | undefined;
  readonly inputCount?: 1 | 2;
  readonly parallelism?: number;
  readonly maxParallelism?: number;
  readonly autoWatermarkIntervalMs?: number;
  readonly isCheckpointed?: boolean;
  /** Values go in, come out and lie in state as they would in another process. */
  readonly portable?: boolean;
  readonly operatorName?: string;
  readonly platform?: Platform;
}

/** One element that an operator has emitted. */
export type HarnessOutput<OUT> = { readonly subtask: number } & (
  | { readonly kind: "record"; readonly value: OUT; readonly timestamp: number }
  | {
      readonly kind: "side";
      readonly tag: string;
      readonly value: unknown;
      readonly timestamp: number;
    }
  | { readonly kind: "watermark"; readonly watermark: number }
  | { readonly kind: "status"; readonly status: WatermarkStatus }
);

interface Subtask {
  readonly operator: Operator;
  readonly keyed: KeyedStateBackend | undefined;
  readonly operatorState: OperatorStateBackend;
  readonly metrics: OperatorMeters;
  readonly watermarks: InputsWatermark | undefined;
  readonly actions: (() => void)[];
}

/**
 * Drives one operator as a task would: subtasks by key group, real state, a clock that stands until it is set, snapshots,
 * restores at another parallelism, and an output that can be full.
 *
 * @example
 * const harness = await OperatorHarness.open({ factory: mapOperator((n: number) => n + 1) });
 * harness.processElement(1, 10);
 * harness.takeOutput(); // [{ kind: "record", value: 2, timestamp: 10, subtask: 0 }]
 */
export class OperatorHarness<OUT> {
  readonly clock: ManualProcessingTime = new ManualProcessingTime();
  /** While true, operators get no turn to go on with work they have left over. */
  isOutputFull = false;
  readonly #setup: HarnessSetup<OUT>;
  readonly #maxParallelism: number;
  #subtasks: readonly Subtask[] = [];
  #output: HarnessOutput<OUT>[] = [];

  private constructor(setup: HarnessSetup<OUT>, maxParallelism: number) {
    this.#setup = setup;
    this.#maxParallelism = maxParallelism;
  }

  /** Makes and opens the subtasks, from a snapshot if one is given. */
  static async open<OUT>(
    setup: HarnessSetup<OUT>,
    snapshot?: HarnessSnapshot,
  ): Promise<OperatorHarness<OUT>> {
    const parallelism = setup.parallelism ?? 1;
    const maxParallelism =
      snapshot?.maxParallelism ?? setup.maxParallelism ?? defaultMaxParallelism(parallelism);
    const harness = new OperatorHarness<OUT>(setup, maxParallelism);
    const operatorStates =
      snapshot === undefined
        ? []
        : redistributeOperatorState(
            snapshot.subtasks.map((subtask) => subtask.operator),
            parallelism,
          );
    harness.#subtasks = Array.from({ length: parallelism }, (_, index) =>
      harness.#makeSubtask(index, snapshot, operatorStates[index] ?? []),
    );
    for (const { operator } of harness.#subtasks) {
      operator.initializeState?.();
      await operator.open?.();
    }
    harness.#runActions();
    return harness;
  }

  get parallelism(): number {
    return this.#subtasks.length;
  }

  /** The operators themselves, by subtask. */
  get operators(): readonly Operator[] {
    return this.#subtasks.map((subtask) => subtask.operator);
  }

  /**
   * Gives a record to the subtask of its key, or to `subtask` where there are no keys.
   *
   * @param input - 1 or 2, for operators with two inputs.
   */
  processElement(
    value: unknown,
    timestamp: number = MIN_TIMESTAMP,
    options: { readonly key?: unknown; readonly input?: 1 | 2; readonly subtask?: number } = {},
  ): void {
    const subtask = this.#subtaskOf(options);
    const { operator } = subtask;
    if (this.#setup.inputCount === 2) {
      const two = operator as TwoInputOperator<unknown, unknown>;
      if (options.input === 2) two.processElement2(value, timestamp);
      else two.processElement1(value, timestamp);
    } else {
      (operator as OneInputOperator<unknown>).processElement(value, timestamp);
    }
    this.#afterTurn();
  }

  /** Gives a record to every subtask: the broadcast input. */
  broadcast(value: unknown, timestamp: number = MIN_TIMESTAMP, input: 1 | 2 = 2): void {
    for (let subtask = 0; subtask < this.#subtasks.length; subtask++) {
      this.processElement(value, timestamp, { input, subtask });
    }
  }

  /** Brings all subtasks a watermark, on one input or on all. */
  processWatermark(watermark: number, input?: 1 | 2): void {
    for (const { operator, watermarks } of this.#subtasks) {
      if (watermarks === undefined) {
        (operator as OneInputOperator<unknown>).processWatermark(watermark);
      } else {
        if (input !== 2) watermarks.onWatermark(0, watermark);
        if (input !== 1) watermarks.onWatermark(1, watermark);
      }
    }
    this.#afterTurn();
  }

  processWatermarkStatus(status: WatermarkStatus, input?: 1 | 2): void {
    for (const { operator, watermarks } of this.#subtasks) {
      if (watermarks === undefined) {
        (operator as OneInputOperator<unknown>).processWatermarkStatus(status);
      } else {
        if (input !== 2) watermarks.onStatus(0, status);
        if (input !== 1) watermarks.onStatus(1, status);
      }
    }
    this.#afterTurn();
  }

  /** Sets the clock; timers that are due fire in order. */
  setProcessingTime(nowMs: number): void {
    this.clock.set(nowMs);
    this.#afterTurn();
  }

  finish(): void {
    for (const { operator } of this.#subtasks) operator.finish?.();
    this.#afterTurn();
  }

  async close(): Promise<void> {
    for (const { operator, keyed } of this.#subtasks) {
      await operator.close?.();
      keyed?.dispose();
    }
  }

  /** Lets operators go on with what they have left over, until nothing is left. */
  goOn(): void {
    for (const { operator } of this.#subtasks) while (operator.continue?.() === true);
  }

  /** One slice of left-over work of each subtask. Returns true if there may be more. */
  goOnOneSlice(): boolean {
    return this.#subtasks.map(({ operator }) => operator.continue?.() ?? false).includes(true);
  }

  /** Takes a snapshot of all subtasks. What their operators have left over is done before, as in a task. */
  async snapshot(checkpointId = 1): Promise<HarnessSnapshot> {
    this.goOn();
    const subtasks: SubtaskSnapshot[] = [];
    for (const { operator, keyed, operatorState } of this.#subtasks) {
      operator.prepareSnapshotPreBarrier?.(checkpointId);
      await operator.snapshotState?.(checkpointId);
      subtasks.push({
        keyed: keyed === undefined ? undefined : keyedBytes(keyed, checkpointId),
        operator: operatorHandle(operatorState),
      });
    }
    return { checkpointId, maxParallelism: this.#maxParallelism, subtasks };
  }

  async notifyCheckpointComplete(checkpointId: number): Promise<void> {
    for (const { operator } of this.#subtasks)
      await operator.notifyCheckpointComplete?.(checkpointId);
  }

  /** What was emitted since the last call, in order. */
  takeOutput(): readonly HarnessOutput<OUT>[] {
    const output = this.#output;
    this.#output = [];
    return output;
  }

  /** The sum over all subtasks. */
  metric(name: "numRecordsIn" | "numRecordsOut" | "numLateRecordsDropped"): number {
    return this.#subtasks.reduce((sum, { metrics }) => sum + metrics[name], 0);
  }

  keyedStates(): readonly KeyedStateBackend[] {
    return this.#subtasks.flatMap(({ keyed }) => (keyed === undefined ? [] : [keyed]));
  }

  #afterTurn(): void {
    if (!this.isOutputFull) this.goOn();
    this.#runActions();
  }

  #runActions(): void {
    for (const { actions } of this.#subtasks) for (const action of actions.splice(0)) action();
  }

  #subtaskOf(options: { readonly key?: unknown; readonly subtask?: number }): Subtask {
    const { keyType } = this.#setup;
    let index = options.subtask ?? 0;
    if (keyType !== undefined && "key" in options) {
      const hash = keyHash(options.key, keyType.keyKind);
      const keyGroup = keyGroupOf(hash, this.#maxParallelism);
      index = operatorIndexOf(keyGroup, this.#maxParallelism, this.#subtasks.length);
      present(this.#subtasks[index]?.keyed, "the subtask is keyed").setCurrentKey(
        options.key,
        hash,
      );
    }
    return present(this.#subtasks[index], "the subtask exists");
  }

  #makeSubtask(
    index: number,
    snapshot: HarnessSnapshot | undefined,
    operatorStates: readonly OperatorStateHandle[],
  ): Subtask {
    const keyed = this.#makeKeyed(index, snapshot);
    const operatorState = new OperatorStateBackend(`harness (${index + 1})`);
    for (const { states, stream } of operatorStates) {
      if (stream.kind === "bytes") operatorState.restore({ states, bytes: stream.data });
    }
    const metrics = new OperatorMeters();
    const actions: (() => void)[] = [];
    const context = this.#context(index, snapshot, { keyed, operatorState, metrics, actions });
    const output = this.#collect(index, undefined) as Output<OUT>;
    const operator = this.#setup.factory.create(undefined, { context, output });
    const watermarks =
      this.#setup.inputCount === 2
        ? new InputsWatermark(2, operator as TwoInputOperator<unknown, unknown>)
        : undefined;
    return { operator, keyed, operatorState, metrics, watermarks, actions };
  }

  #makeKeyed(index: number, snapshot: HarnessSnapshot | undefined): KeyedStateBackend | undefined {
    const { keyType } = this.#setup;
    if (keyType === undefined) return undefined;
    const backend =
      this.#setup.portable === true
        ? portableKeyedStateBackend(heapKeyedStateBackend)
        : heapKeyedStateBackend;
    const keyed = backend.create(undefined, {
      keyType,
      maxParallelism: this.#maxParallelism,
      keyGroupRange: keyGroupRangeOf(index, this.#maxParallelism, this.#setup.parallelism ?? 1),
      processingTime: this.clock,
      ownerName: `harness (${index + 1})`,
    });
    for (const subtask of snapshot?.subtasks ?? []) {
      if (subtask.keyed !== undefined) keyed.restore(subtask.keyed);
    }
    return keyed;
  }

  #context(
    subtaskIndex: number,
    snapshot: HarnessSnapshot | undefined,
    parts: Pick<Subtask, "keyed" | "operatorState" | "metrics" | "actions">,
  ): OperatorContext {
    const { keyed, operatorState, metrics, actions } = parts;
    const platform = this.#setup.platform ?? nodePlatform();
    return {
      jobName: "harness",
      jobId: "0".repeat(32),
      operatorName: this.#setup.operatorName ?? this.#setup.factory.kind,
      operatorId: "0".repeat(32),
      subtaskIndex,
      parallelism: this.#setup.parallelism ?? 1,
      maxParallelism: this.#maxParallelism,
      attempt: 0,
      log: silentLogger,
      metrics,
      processingTime: this.clock,
      platform,
      files: platform.files,
      keyed,
      operatorState:
        this.#setup.portable === true
          ? portableOperatorState(operatorState, `harness (${subtaskIndex + 1})`)
          : operatorState,
      isRestored: snapshot !== undefined,
      restoredCheckpointId: snapshot?.checkpointId,
      isCheckpointed: this.#setup.isCheckpointed ?? true,
      autoWatermarkIntervalMs: this.#setup.autoWatermarkIntervalMs ?? 0,
      sideOutput: <T>(tag: OutputTag<T>) => this.#collect(subtaskIndex, tag.id) as Output<T>,
      execute: (action) => actions.push(action),
      fail(error) {
        throw error;
      },
    };
  }

  #collect(subtask: number, tag: string | undefined): Output<unknown> {
    return {
      processElement: (emitted, timestamp) => {
        const value = this.#setup.portable === true ? handedOver(emitted) : emitted;
        this.#output.push(
          tag === undefined
            ? { kind: "record", value: value as OUT, timestamp, subtask }
            : { kind: "side", tag, value, timestamp, subtask },
        );
      },
      processWatermark: (watermark) => this.#output.push({ kind: "watermark", watermark, subtask }),
      processWatermarkStatus: (status) => this.#output.push({ kind: "status", status, subtask }),
    };
  }
}

/** A copy of what was emitted, as an edge makes it; the operator must not change it any more. */
function handedOver(emitted: unknown): unknown {
  const copy = throughBytes(Types.any(), emitted);
  freezeDeeply(
    emitted,
    (path) => new StreamError("EMITTED_RECORD_CHANGED", { edge: "the operator", path }),
  );
  return copy;
}
