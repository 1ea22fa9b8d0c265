import {
  assert,
  ByteReader,
  type Logger,
  MalformedBytesError,
  type Platform,
  present,
} from "../base/index.ts";
import type { OneInputOperator, TwoInputOperator } from "../operators/index.ts";
import { transferError } from "../runtime/index.ts";
import { readCanonicalKey } from "../serde/index.ts";
import {
  EMPTY_CELLS,
  flushedBytes,
  type Frame,
  type FlushReason,
  type Hello,
  type OperatorStateBlob,
  outBytes,
  readOrder,
  reportBytes,
  type StageEntry,
  type StageKey,
  type StageOrder,
  type StageProgress,
} from "../stage/index.ts";
import { keyGroupOf, ManualProcessingTime } from "../state/index.ts";
import { makeChain, makeStates, type StageLink, type StageState } from "./stage-chain.ts";
import { StageChanges } from "./stage-changes.ts";
import { StageLoading } from "./stage-loading.ts";
import { StageOutputs } from "./stage-output.ts";
import type { StageProgram } from "./stage-program.ts";

/** What a host needs of its process. */
export interface StageHostParameters {
  readonly loadProgram: (program: Hello["program"]) => Promise<StageProgram>;
  readonly platform: Platform;
  readonly log: Logger;
  /** Sends a frame. */
  readonly send: (frame: Uint8Array) => void;
  /** Called once, after CLOSE or after ERROR was sent. */
  readonly end: (isFailed: boolean) => void;
}

/**
 * One stage in its own process: works off orders, one after the other, with the same operators that run embedded.
 *
 * Invariants:
 *
 * - H1. When an entry is counted, all that it emitted has been sent, or is in the same frame.
 * - H2. Nothing is sent before READY, and nothing after ERROR.
 * - H3. Changes are told only between two entries: with those of the entries counted, never with a part of one.
 * - H4. The clock of processing time is that of the last tick.
 */
export class StageHost {
  readonly #p: StageHostParameters;
  readonly #clock: ManualProcessingTime = new ManualProcessingTime();
  readonly #changes: StageChanges = new StageChanges();
  readonly #loading: StageLoading = new StageLoading();
  readonly #actions: (() => void)[] = [];
  #hello: Hello | undefined = undefined;
  #program: StageProgram | undefined = undefined;
  #states: readonly StageState[] = [];
  #links: readonly StageLink[] = [];
  #outputs: StageOutputs | undefined = undefined;
  #countedEntries = 0;
  #toldEntries = 0;
  #openInputs = 0;
  #isInTurn = false;
  #isOver = false;
  /** Set while an operator takes no element: called when an action has come. */
  #onAction: (() => void) | undefined = undefined;

  constructor(parameters: StageHostParameters) {
    this.#p = parameters;
  }

  /** Works off one frame. The next is given when this is done. Never rejects: what fails is sent as ERROR. */
  async take(frame: Frame): Promise<void> {
    if (this.#isOver) return;
    try {
      await this.#take(readOrder(frame));
    } catch (error) {
      this.fail(error);
    }
  }

  /** Gives up, and says why. */
  fail(error: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#p.send(reportBytes({ kind: "error", failure: transferError(error) }));
    this.#p.end(true);
  }

  async #take(order: StageOrder): Promise<void> {
    switch (order.kind) {
      case "hello":
        return await this.#start(order.hello);
      case "load":
        return this.#loading.add(order.cells, order.operatorStates);
      case "load-end":
        return await this.#open(order);
      case "data":
        return await this.#work(order.entries);
      case "flush":
        return await this.#flush(order.checkpointId, order.reason);
      case "notify":
        return await this.#notify(order.checkpointId, order.isComplete);
      case "close":
        return await this.#close();
    }
  }

  async #start(hello: Hello): Promise<void> {
    assert(this.#hello === undefined, "HELLO comes once");
    this.#hello = hello;
    this.#program = await this.#p.loadProgram(hello.program);
    this.#clock.set(hello.nowMs);
    this.#openInputs = this.#program.inputs.length;
    this.#states = makeStates(this.#program, { hello, clock: this.#clock });
  }

  async #open(sent: { readonly cellCount: number; readonly blobCount: number }): Promise<void> {
    const program = present(this.#program, "HELLO comes before LOAD_END");
    const hello = present(this.#hello, "HELLO comes before LOAD_END");
    this.#loading.finish(sent, program, this.#states);
    for (const { keyed } of this.#states) keyed?.trackChanges();
    const outputs = new StageOutputs(program.outputs, () => this.#sendOut(false));
    this.#outputs = outputs;
    this.#links = makeChain(program, this.#states, {
      hello,
      clock: this.#clock,
      platform: this.#p.platform,
      log: this.#p.log,
      outputs,
      execute: (action) => this.#execute(action),
      fail: (error) => this.fail(error),
    });
    for (const { operator } of this.#links.toReversed()) {
      operator.initializeState?.();
      await operator.open?.();
    }
    this.#p.send(reportBytes({ kind: "ready" }));
    this.#runActions();
    if (!outputs.isEmpty) this.#sendOut(false);
  }

  async #work(entries: readonly StageEntry[]): Promise<void> {
    for (const entry of entries) {
      while (!this.#isAvailable()) await this.#nextAction();
      this.#isInTurn = true;
      this.#give(entry);
      this.#goOn();
      this.#isInTurn = false;
      this.#countedEntries++;
    }
    const { changesEveryEntries } = present(this.#hello, "HELLO has come");
    const untold = this.#countedEntries - this.#toldEntries;
    this.#sendOut(changesEveryEntries > 0 && untold >= changesEveryEntries);
  }

  #give(entry: StageEntry): void {
    const program = present(this.#program, "the stage is open");
    const head = present(this.#links[0], "a stage has an operator").operator;
    const input = head as OneInputOperator<unknown>;
    switch (entry.kind) {
      case "record": {
        if (entry.key !== undefined) this.#setKey(entry.key);
        const type = present(program.inputs[entry.port], "the input exists");
        const value = type.read(new ByteReader(entry.value));
        if (program.inputs.length === 1) input.processElement(value, entry.timestamp);
        else {
          const two = head as TwoInputOperator<unknown, unknown>;
          if (entry.port === 0) two.processElement1(value, entry.timestamp);
          else two.processElement2(value, entry.timestamp);
        }
        break;
      }
      case "watermark":
        input.processWatermark(entry.watermark);
        break;
      case "idle":
      case "active":
        input.processWatermarkStatus(entry.kind === "idle" ? "IDLE" : "ACTIVE");
        break;
      case "tick":
        this.#clock.set(entry.nowMs);
        break;
      case "end":
        this.#openInputs--;
        if (this.#openInputs === 0) for (const { operator } of this.#links) operator.finish?.();
        break;
    }
  }

  /** @throws MalformedBytesError for a key of another subtask's key group. */
  #setKey({ hash, bytes }: StageKey): void {
    const { keyed } = present(this.#links[0], "a stage has an operator");
    const { maxParallelism, keyGroupRange } = present(this.#hello, "HELLO has come");
    assert(keyed !== undefined, "a keyed record comes to a keyed operator");
    const keyGroup = keyGroupOf(hash, maxParallelism);
    if (keyGroup < keyGroupRange.first || keyGroup > keyGroupRange.last) {
      throw new MalformedBytesError(
        `A record of key group ${keyGroup}, outside ${keyGroupRange.first} to ${keyGroupRange.last},`,
        0,
      );
    }
    const { keyType } = present(this.#program, "the stage is open");
    keyed.setCurrentKey(readCanonicalKey(bytes, keyType?.keyKind), hash);
  }

  /** Lets operators do what they have left over, and actions that are due. */
  #goOn(): void {
    for (const { operator } of this.#links) while (operator.continue?.() === true);
    this.#runActions();
  }

  #runActions(): void {
    while (this.#actions.length > 0) {
      for (const action of this.#actions.splice(0)) action();
      for (const { operator } of this.#links) while (operator.continue?.() === true);
    }
  }

  /** An action from outside any entry is worked off at once; what it emits goes out and counts nothing. */
  #execute(action: () => void): void {
    this.#actions.push(action);
    if (this.#isInTurn) return;
    queueMicrotask(() => {
      if (this.#isInTurn || this.#isOver || this.#outputs === undefined) return;
      try {
        this.#runActions();
      } catch (error) {
        return this.fail(error);
      }
      this.#onAction?.();
    });
  }

  #isAvailable(): boolean {
    return this.#links.every(({ operator }) => operator.isAvailable?.() ?? true);
  }

  #nextAction(): Promise<void> {
    return new Promise((resolve) => {
      this.#onAction = () => {
        this.#onAction = undefined;
        resolve();
      };
    });
  }

  async #flush(checkpointId: number, _reason: FlushReason): Promise<void> {
    this.#goOn();
    for (const { operator } of this.#links) operator.prepareSnapshotPreBarrier?.(checkpointId);
    const work = this.#links
      .toReversed()
      .map(async ({ operator }) => operator.snapshotState?.(checkpointId));
    const operatorStates = this.#links.flatMap(({ id, operatorState }): OperatorStateBlob[] => {
      const snapshot = operatorState.snapshot();
      return snapshot === undefined ? [] : [{ operatorId: id, ...snapshot }];
    });
    const progress = this.#progress(true);
    // Both are taken at this moment: what happens while the operators' own files are written belongs to the next flush.
    const frame = flushedBytes(checkpointId, progress, operatorStates);
    await Promise.all(work);
    if (this.#isOver) return;
    this.#p.send(reportBytes({ kind: "metrics", metrics: this.#metrics() }));
    this.#p.send(frame);
  }

  async #notify(checkpointId: number, isComplete: boolean): Promise<void> {
    for (const { operator } of this.#links) {
      if (isComplete) await operator.notifyCheckpointComplete?.(checkpointId);
      else operator.notifyCheckpointAborted?.(checkpointId);
    }
    this.#runActions();
    this.#sendOut(false);
  }

  async #close(): Promise<void> {
    this.#isOver = true;
    for (const { operator, keyed } of this.#links) {
      await operator.close?.();
      keyed?.dispose();
    }
    this.#p.end(false);
  }

  #sendOut(withChanges: boolean): void {
    if (this.#isOver) return;
    const hasOther = this.#links.some(({ operatorState }) => operatorState.hasStates());
    this.#p.send(outBytes(this.#progress(withChanges), withChanges && !hasOther));
  }

  #progress(
    withChanges: boolean,
  ): Omit<StageProgress, "outputs"> & { readonly outputs: ReturnType<StageOutputs["take"]> } {
    if (withChanges) {
      for (const { operator } of this.#links) operator.releaseHeld?.();
      this.#toldEntries = this.#countedEntries;
    }
    return {
      countedEntries: this.#countedEntries,
      nextTimerAtMs: this.#clock.nextTimerAtMs(),
      outputs: present(this.#outputs, "the stage is open").take(),
      changes: withChanges ? this.#changes.take(this.#links) : EMPTY_CELLS,
    };
  }

  #metrics(): Readonly<Record<string, number>> {
    const sums: Record<string, number> = {};
    const add = (name: string, count: number): void =>
      void (sums[name] = (sums[name] ?? 0) + count);
    for (const { metrics } of this.#links) {
      add("numRecordsIn", metrics.numRecordsIn);
      add("numRecordsOut", metrics.numRecordsOut);
      add("numLateRecordsDropped", metrics.numLateRecordsDropped);
      for (const [name, count] of Object.entries(metrics.registered().counters)) add(name, count);
    }
    return sums;
  }
}
