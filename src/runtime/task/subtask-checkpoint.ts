import { causeChain, type Logger, type Platform, present } from "../../base/index.ts";
import {
  type BarrierAction,
  type CheckpointBarrier,
  type CheckpointFailureReason,
  type CheckpointMetrics,
  type CheckpointResponder,
  EMPTY_SUBTASK_STATE,
  type OperatorSubtaskState,
  type StateStorage,
  type SubtaskRef,
  withoutOvertaking,
  withOvertaking,
} from "../../checkpoint/index.ts";
import type {
  ChannelStateHandle,
  KeyedStateSnapshot,
  OperatorStateBytes,
  OperatorStateHandle,
} from "../../state/index.ts";
import type { ChannelStateBytes } from "../channel-state/channel-state-codec.ts";
import type { Recorded } from "../channel-state/in-flight-recorder.ts";
import type { ChainEdge, ChainLink } from "./operator-chain.ts";
import { SliceBudget } from "./budget/slice-budget.ts";

export interface SubtaskCheckpointParameters {
  readonly task: SubtaskRef;
  readonly taskName: string;
  /** Checkpoint that the attempt started from. */
  readonly restoredCheckpointId: number | undefined;
  readonly platform: Platform;
  readonly log: Logger;
  readonly storage: StateStorage;
  readonly responder: CheckpointResponder;
  readonly links: readonly ChainLink[];
  readonly edges: readonly Pick<ChainEdge, "output" | "supportsUnaligned">[];
  /** Puts an action into the task's mailbox. */
  readonly inTurn: (action: () => void) => void;
  readonly fail: (error: unknown) => void;
}

/** A snapshot whose synchronous part is done. */
interface OpenSnapshot {
  readonly barrier: CheckpointBarrier;
  readonly isUnaligned: boolean;
  readonly startDelayMs: number;
  alignmentDurationMs: number;
  readonly alignmentProcessedBytes: number;
  readonly syncDurationMs: number;
  readonly asyncStartMs: number;
  readonly parts: readonly OperatorPart[];
  /** What operators wait for: their work for this checkpoint and for all before it. */
  readonly durable: Promise<void>;
  /** What was in flight; `awaited` until the last barrier has come. */
  channelState: ChannelStateBytes | "awaited" | undefined;
  isWriting: boolean;
  isCancelled: boolean;
}

interface OperatorPart {
  readonly operatorId: string;
  readonly keyed: KeyedStateSnapshot | undefined;
  readonly operatorState: OperatorStateBytes | undefined;
  isKeyedDone: boolean;
}

type TriggerAction = BarrierAction & { readonly kind: "trigger" };
type AbortAction = BarrierAction & { readonly kind: "abort" };

/** How many aborted checkpoints whose barrier has not come are remembered. Source: Flink `MAX_RECORD_ABORTED_CHECKPOINTS`. */
const MAX_REMEMBERED_ABORTS = 128;

/**
 * One subtask's part in checkpoints: the synchronous part in its turn, the asynchronous part in slices between batches.
 *
 * Invariants:
 *
 * - S1. Checkpoint ids that are taken ascend.
 * - S2. Each snapshot that is begun ends in exactly one acknowledgement or decline, or is cancelled by the coordinator.
 * - S3. The barrier goes out before the state is taken, and nothing is emitted between the two.
 * - S4. A checkpoint is acknowledged only when the operators' work for it and for all earlier ones is durable.
 *
 * Source: Flink `SubtaskCheckpointCoordinatorImpl`; protocol reference part 6.
 */
export class SubtaskCheckpoints {
  readonly #p: SubtaskCheckpointParameters;
  readonly #budget: SliceBudget;
  readonly #open: OpenSnapshot[] = [];
  readonly #abortedEarly = new Set<number>();
  /** The checkpoint for which channel state is being collected. */
  #spillingId: number | undefined;
  #lastId: number;
  #durable: Promise<void> = Promise.resolve();

  constructor(parameters: SubtaskCheckpointParameters) {
    this.#p = parameters;
    this.#budget = new SliceBudget(parameters.platform);
    this.#lastId = parameters.restoredCheckpointId ?? 0;
  }

  /** Highest id whose barrier was taken here; before the first that of the restored checkpoint, or 0. */
  get lastCheckpointId(): number {
    return this.#lastId;
  }

  /** True while there is encoding to be done between batches. */
  get hasWork(): boolean {
    return this.#open.some(({ parts }) => parts.some(({ isKeyedDone }) => !isKeyedDone));
  }

  /** Takes the snapshot, in the task's turn. */
  perform(action: TriggerAction, alignmentProcessedBytes: number): void {
    const { checkpointId } = action.barrier;
    if (checkpointId <= this.#lastId) {
      this.#p.log.log(
        "INFO",
        `Out of order checkpoint barrier (aborted previously?): ${this.#lastId} >= ${checkpointId}`,
      );
      this.#abortedEarly.delete(checkpointId);
      return;
    }
    this.#lastId = checkpointId;
    if (this.#forgetAborted(checkpointId)) {
      this.#broadcastCancel(checkpointId);
      this.#p.log.log(
        "INFO",
        `Checkpoint ${checkpointId} has been notified as aborted, would not trigger any checkpoint.`,
      );
      return;
    }
    for (const { operator } of this.#p.links) operator.prepareSnapshotPreBarrier?.(checkpointId);
    this.#broadcastBarrier(action.barrier);
    try {
      this.#open.push(this.#takeSynchronousPart(action, alignmentProcessedBytes));
    } catch (error) {
      this.#decline(action, "CHECKPOINT_DECLINED", error);
      throw error;
    }
    this.#writeWhatIsEncoded();
  }

  /** Declines what a barrier handler has given up, and tells downstream. */
  abortOnBarrier({ checkpointId, reason, warning }: AbortAction): void {
    // Taken at the first of several barriers, of which the others will not come.
    for (const snapshot of this.#open.filter(
      ({ barrier, isUnaligned }) => isUnaligned && barrier.checkpointId <= checkpointId,
    )) {
      this.#cancel(snapshot);
    }
    if (warning !== undefined) this.#p.log.log("WARN", `${this.#p.taskName}: ${warning}`);
    this.#lastId = Math.max(this.#lastId, checkpointId);
    this.#abortedEarly.delete(checkpointId);
    this.#p.responder.declineCheckpoint(this.#p.task, checkpointId, reason, [], {});
    this.#broadcastCancel(checkpointId);
  }

  /** The coordinator has given this checkpoint up. */
  abort(checkpointId: number): void {
    for (const snapshot of this.#open.filter(
      ({ barrier }) => barrier.checkpointId === checkpointId,
    )) {
      this.#cancel(snapshot);
    }
    if (checkpointId <= this.#lastId) return;
    this.#abortedEarly.add(checkpointId);
    if (this.#abortedEarly.size <= MAX_REMEMBERED_ABORTS) return;
    this.#abortedEarly.delete(Math.min(...this.#abortedEarly));
  }

  /** The next snapshot waits until {@link channelStateDone}. */
  awaitChannelState(checkpointId: number): void {
    this.#spillingId = checkpointId;
  }

  /** What was in flight when the snapshot was taken is collected. */
  channelStateDone({ checkpointId, state }: Recorded, alignmentDurationMs: number): void {
    this.#spillingId = undefined;
    const snapshot = this.#open.find(({ barrier }) => barrier.checkpointId === checkpointId);
    if (snapshot === undefined) return;
    snapshot.channelState = state;
    snapshot.alignmentDurationMs = alignmentDurationMs;
    this.#writeWhatIsEncoded();
  }

  /** Encodes one slice of the oldest snapshot. */
  advance(): void {
    const snapshot = this.#open.find(({ parts }) => parts.some(({ isKeyedDone }) => !isKeyedDone));
    const part = snapshot?.parts.find(({ isKeyedDone }) => !isKeyedDone);
    if (snapshot === undefined || part?.keyed === undefined) return this.#writeWhatIsEncoded();
    const { keyed } = part;
    try {
      if (this.#budget.run((entries) => keyed.advance(entries))) part.isKeyedDone = true;
    } catch (error) {
      this.#failed(snapshot, error);
      return;
    }
    this.#writeWhatIsEncoded();
  }

  /** Gives up everything: the task ends. */
  close(): void {
    for (let snapshot = this.#open[0]; snapshot !== undefined; snapshot = this.#open[0]) {
      this.#cancel(snapshot);
    }
  }

  #takeSynchronousPart(action: TriggerAction, alignmentProcessedBytes: number): OpenSnapshot {
    const { platform, links } = this.#p;
    const { checkpointId } = action.barrier;
    const startMs = platform.monotonicMs();
    const durable: Promise<void>[] = [];
    const parts: OperatorPart[] = [];
    try {
      for (const { operator, keyed, operatorState, spec } of links.toReversed()) {
        const work = operator.snapshotState?.(checkpointId);
        if (work !== undefined) durable.push(work);
        const snapshot = keyed?.snapshot(checkpointId);
        parts.push({
          operatorId: spec.id,
          keyed: snapshot,
          operatorState: operatorState.snapshot(),
          isKeyedDone: snapshot === undefined,
        });
      }
    } catch (error) {
      for (const part of parts) part.keyed?.cancel();
      this.#mustBecomeDurable(durable);
      throw error;
    }
    this.#mustBecomeDurable(durable);
    const asyncStartMs = platform.monotonicMs();
    return {
      barrier: action.barrier,
      isUnaligned: action.isUnaligned,
      channelState: this.#spillingId === checkpointId ? "awaited" : undefined,
      startDelayMs: action.startDelayMs,
      alignmentDurationMs: action.alignmentDurationMs,
      alignmentProcessedBytes,
      syncDurationMs: asyncStartMs - startMs,
      asyncStartMs,
      parts,
      durable: this.#durable,
      isWriting: false,
      isCancelled: false,
    };
  }

  /**
   * Adds work of operators to what this and every later checkpoint waits for, also when this one is given up: what it was to publish
   * is in the state of the next. A failure fails the task, since it would be missing there, too.
   */
  #mustBecomeDurable(work: readonly Promise<void>[]): void {
    if (work.length === 0) return;
    this.#durable = Promise.all([this.#durable, ...work]).then(() => undefined);
    this.#durable.catch(this.#p.fail);
  }

  #writeWhatIsEncoded(): void {
    for (const snapshot of this.#open) {
      if (snapshot.isWriting || snapshot.channelState === "awaited") continue;
      if (snapshot.parts.some(({ isKeyedDone }) => !isKeyedDone)) continue;
      snapshot.isWriting = true;
      this.#write(snapshot).then(
        (state) => this.#p.inTurn(() => this.#written(snapshot, state)),
        (error: unknown) => this.#p.inTurn(() => this.#failed(snapshot, error)),
      );
    }
  }

  async #write(snapshot: OpenSnapshot): Promise<ReadonlyMap<string, WrittenPart>> {
    await snapshot.durable;
    const written = await Promise.all(
      snapshot.parts.map(
        async (part) => [part.operatorId, await this.#writePart(snapshot, part)] as const,
      ),
    );
    return this.#withChannelState(snapshot, new Map(written));
  }

  /** What is in flight towards a task stands beside the state of its head operator. */
  async #withChannelState(
    { channelState, barrier }: OpenSnapshot,
    written: ReadonlyMap<string, WrittenPart>,
  ): Promise<ReadonlyMap<string, WrittenPart>> {
    const head = this.#p.links[0]?.spec.id;
    if (channelState === undefined || channelState === "awaited" || head === undefined)
      return written;
    const { chunks, channels, sizeBytes } = channelState;
    const { subtaskIndex } = this.#p.task;
    const { targetDirectory } = barrier.options;
    const stream = await this.#p.storage.writeState(targetDirectory, chunks);
    const handle: ChannelStateHandle = {
      kind: "merged",
      subtaskIndex,
      sizeBytes,
      channels,
      stream,
    };
    const part = present(written.get(head), "the head operator has its part");
    const withHandle: WrittenPart = {
      state: { ...part.state, inputChannel: [handle] },
      sizeBytes: part.sizeBytes + sizeBytes,
    };
    return new Map([...written, [head, withHandle]]);
  }

  async #writePart({ barrier }: OpenSnapshot, part: OperatorPart): Promise<WrittenPart> {
    const { storage } = this.#p;
    const directory = barrier.options.targetDirectory;
    let state: OperatorSubtaskState = EMPTY_SUBTASK_STATE;
    let sizeBytes = 0;
    if (part.operatorState !== undefined) {
      const { bytes, states } = part.operatorState;
      const stream = await storage.writeState(directory, [bytes]);
      const managedOperator: OperatorStateHandle = { states, stream, merged: undefined };
      state = { ...state, managedOperator };
      sizeBytes += bytes.length;
    }
    const keyed = part.keyed?.result();
    if (keyed !== undefined && keyed.sizeBytes > 0) {
      const stream = await storage.writeState(directory, keyed.chunks);
      const { range, offsets } = keyed;
      const { snapshot } = barrier.options;
      // As Flink marks what every state backend reads. Our files are the same in both forms.
      const tag = snapshot.kind === "SAVEPOINT" && snapshot.format === "CANONICAL" ? 7 : 3;
      state = {
        ...state,
        managedKeyed: { kind: "key-groups", tag, range, offsets, stream, handleId: undefined },
      };
      sizeBytes += keyed.sizeBytes;
    }
    return { state, sizeBytes };
  }

  #written(snapshot: OpenSnapshot, parts: ReadonlyMap<string, WrittenPart>): void {
    if (snapshot.isCancelled) return this.#discard(snapshot, parts);
    this.#remove(snapshot);
    const { responder, task } = this.#p;
    let sizeBytes = 0;
    for (const part of parts.values()) sizeBytes += part.sizeBytes;
    const state = new Map([...parts].map(([operatorId, part]) => [operatorId, part.state]));
    const metrics: CheckpointMetrics = {
      startDelayMs: snapshot.startDelayMs,
      alignmentDurationMs: snapshot.alignmentDurationMs,
      alignmentProcessedBytes: snapshot.alignmentProcessedBytes,
      alignmentPersistedBytes: persistedBytes(snapshot),
      syncDurationMs: snapshot.syncDurationMs,
      asyncDurationMs: this.#p.platform.monotonicMs() - snapshot.asyncStartMs,
      checkpointedSizeBytes: sizeBytes,
      stateSizeBytes: sizeBytes,
      isUnaligned: snapshot.isUnaligned,
    };
    const hasState = [...state.values()].some(
      ({ managedKeyed, managedOperator, inputChannel }) =>
        managedKeyed !== undefined || managedOperator !== undefined || inputChannel.length > 0,
    );
    responder.acknowledgeCheckpoint(
      task,
      snapshot.barrier.checkpointId,
      metrics,
      hasState ? state : undefined,
    );
  }

  /** Removes files that were finished after the checkpoint had been given up. */
  #discard({ barrier }: OpenSnapshot, parts: ReadonlyMap<string, WrittenPart>): void {
    const { storage, log } = this.#p;
    for (const { state } of parts.values()) {
      const { managedOperator, managedKeyed, inputChannel } = state;
      const keyed = managedKeyed?.kind === "key-groups" ? managedKeyed.stream : undefined;
      const inFlight = inputChannel.map(({ stream }) => stream);
      for (const stream of [managedOperator?.stream, keyed, ...inFlight]) {
        if (stream === undefined) continue;
        storage.discardState(stream, barrier.options.targetDirectory).catch((error: unknown) => {
          log.log(
            "WARN",
            `State of the aborted checkpoint ${barrier.checkpointId} could not be removed.`,
            { error },
          );
        });
      }
    }
  }

  #failed(snapshot: OpenSnapshot, error: unknown): void {
    if (snapshot.isCancelled) return;
    this.#cancel(snapshot);
    this.#decline(snapshot, "CHECKPOINT_ASYNC_EXCEPTION", error);
  }

  #decline(
    at: Pick<OpenSnapshot, "barrier" | "startDelayMs" | "alignmentDurationMs">,
    reason: CheckpointFailureReason,
    error: unknown,
  ): void {
    const { responder, task, log, taskName } = this.#p;
    const { checkpointId } = at.barrier;
    log.log("WARN", `${taskName}: could not complete checkpoint ${checkpointId}.`, { error });
    responder.declineCheckpoint(task, checkpointId, reason, causeChain(error), {
      startDelayMs: at.startDelayMs,
      alignmentDurationMs: at.alignmentDurationMs,
    });
  }

  #cancel(snapshot: OpenSnapshot): void {
    snapshot.isCancelled = true;
    this.#remove(snapshot);
    if (snapshot.isWriting) return;
    for (const part of snapshot.parts) part.keyed?.cancel();
  }

  #remove(snapshot: OpenSnapshot): void {
    const index = this.#open.indexOf(snapshot);
    if (index >= 0) this.#open.splice(index, 1);
  }

  /** @returns True if the checkpoint was aborted before its barrier came. Older aborts are of no use any more. */
  #forgetAborted(checkpointId: number): boolean {
    const wasAborted = this.#abortedEarly.has(checkpointId);
    for (const id of this.#abortedEarly) if (id <= checkpointId) this.#abortedEarly.delete(id);
    return wasAborted;
  }

  #broadcastCancel(checkpointId: number): void {
    for (const { output } of this.#p.edges) output.broadcast({ kind: "cancel", checkpointId });
  }

  #broadcastBarrier(taken: CheckpointBarrier): void {
    const barrier = withOvertaking(taken);
    for (const { output, supportsUnaligned } of this.#p.edges) {
      output.broadcast({
        kind: "barrier",
        barrier: supportsUnaligned ? barrier : withoutOvertaking(barrier),
      });
    }
  }
}

interface WrittenPart {
  readonly state: OperatorSubtaskState;
  readonly sizeBytes: number;
}

function persistedBytes({ channelState }: OpenSnapshot): number {
  return typeof channelState === "object" ? channelState.sizeBytes : 0;
}
