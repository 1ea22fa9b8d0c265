import { describe, expect, test } from "vitest";

import { silentLogger } from "../../base/index.ts";
import {
  type BarrierAction,
  type CheckpointResponder,
  MemoryCheckpointStorage,
} from "../../checkpoint/index.ts";
import type { Operator } from "../../operators/index.ts";
import { OperatorStateBackend } from "../../state/index.ts";
import { Types } from "../../serde/index.ts";
import { drainPromises } from "../../testing/simulation/drive.ts";
import { quietMachine } from "../../testing/simulation/quiet-machine.ts";
import type { RecordOutput } from "../exchange/record-output.ts";
import type { ControlElement } from "../exchange/stream-element.ts";
import type { ChainLink } from "./operator-chain.ts";
import { SubtaskCheckpoints } from "./subtask-checkpoint.ts";

const TASK = { vertexId: "v", subtaskIndex: 0, attempt: 0 };

function trigger(checkpointId: number): BarrierAction & { readonly kind: "trigger" } {
  return {
    kind: "trigger",
    barrier: {
      checkpointId,
      triggeredAtMs: 0,
      options: {
        snapshot: { kind: "CHECKPOINT" },
        alignment: "ALIGNED",
        alignedTimeoutMs: undefined,
        targetDirectory: "memory/chk",
      },
    },
    isUnaligned: false,
    startDelayMs: 3,
    alignmentDurationMs: 4,
  };
}

/** The checkpoints of a task whose operators are given, head first; `said` is what happens, in order. */
function checkpointsOf(operators: readonly Operator[], storage?: MemoryCheckpointStorage) {
  const { platform } = quietMachine();
  const said: string[] = [];
  const failures: unknown[] = [];
  const responder: CheckpointResponder = {
    acknowledgeCheckpoint: (_task, id, metrics, state) =>
      said.push(
        `acknowledge ${id} (${metrics.startDelayMs}, ${metrics.alignmentDurationMs}) ${state?.size ?? 0}`,
      ),
    declineCheckpoint: (_task, id, reason, causes) =>
      said.push(`decline ${id} ${reason} ${causes.join(" < ")}`),
    reportFinished: () => undefined,
  };
  const output = {
    broadcast: (element: ControlElement) =>
      said.push(
        element.kind === "barrier" ? `barrier ${element.barrier.checkpointId}` : element.kind,
      ),
    overtake: () => [],
  } as unknown as RecordOutput;
  const links = operators.map((operator, index): ChainLink => {
    const operatorState = new OperatorStateBackend(`operator ${index}`);
    operatorState.listState({ name: "list", type: Types.int() }).add(index);
    const spec = { id: String(index).padStart(32, "0"), name: `operator ${index}` };
    return { spec, operator, operatorState, keyed: undefined } as unknown as ChainLink;
  });
  const checkpoints = new SubtaskCheckpoints({
    task: TASK,
    taskName: "task (1/1)#0",
    restoredCheckpointId: undefined,
    platform,
    log: silentLogger,
    storage: storage ?? new MemoryCheckpointStorage(platform),
    responder,
    links,
    edges: [{ output, supportsUnaligned: true }],
    inTurn: (action) => action(),
    fail: (error) => void failures.push(error),
  });
  return { checkpoints, said, failures };
}

function deferred(): {
  promise: Promise<void>;
  resolve: () => void;
  reject: (error: unknown) => void;
} {
  let resolve: () => void = () => undefined;
  let reject: (error: unknown) => void = () => undefined;
  const promise = new Promise<void>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}

describe("a subtask's part in checkpoints", () => {
  test("goes in Flink's order: before the barrier head first, the barrier, state tail first, acknowledgement", async () => {
    const order: string[] = [];
    const operator = (name: string): Operator => ({
      prepareSnapshotPreBarrier: () => void order.push(`prepare ${name}`),
      snapshotState: () => void order.push(`snapshot ${name}`),
    });
    const { checkpoints, said } = checkpointsOf([operator("head"), operator("tail")]);
    checkpoints.perform(trigger(1), 0);
    await drainPromises();
    expect(order).toEqual(["prepare head", "prepare tail", "snapshot tail", "snapshot head"]);
    expect(said).toEqual(["barrier 1", "acknowledge 1 (3, 4) 2"]);
  });

  test("is not acknowledged before the operators' work is durable, that of earlier checkpoints included", async () => {
    const works = [deferred(), deferred()];
    const { checkpoints, said } = checkpointsOf([
      { snapshotState: (checkpointId) => works[checkpointId - 1]?.promise },
    ]);
    checkpoints.perform(trigger(1), 0);
    checkpoints.abort(1);
    checkpoints.perform(trigger(2), 0);
    works[1]?.resolve();
    await drainPromises();
    expect(said).toEqual(["barrier 1", "barrier 2"]);
    works[0]?.resolve();
    await drainPromises();
    expect(said.at(-1)).toBe("acknowledge 2 (3, 4) 1");
  });

  test("fails the task when an operator's work fails, also if the checkpoint was given up meanwhile", async () => {
    const work = deferred();
    const { checkpoints, failures } = checkpointsOf([{ snapshotState: () => work.promise }]);
    checkpoints.perform(trigger(1), 0);
    checkpoints.abort(1);
    work.reject(new Error("disk full"));
    await drainPromises();
    expect(failures).toEqual([new Error("disk full")]);
  });

  test("an operator that throws declines the checkpoint and fails the task", () => {
    const { checkpoints, said } = checkpointsOf([
      {
        snapshotState: () => {
          throw new Error("not now");
        },
      },
    ]);
    expect(() => checkpoints.perform(trigger(1), 0)).toThrow("not now");
    expect(said).toEqual(["barrier 1", "decline 1 CHECKPOINT_DECLINED Error: not now"]);
  });

  test("a storage that fails declines it and lets the task go on", async () => {
    const { platform } = quietMachine();
    const storage = new MemoryCheckpointStorage(platform);
    storage.writeState = () =>
      Promise.reject(new Error("no space", { cause: new Error("ENOSPC") }));
    const { checkpoints, said, failures } = checkpointsOf([{}], storage);
    checkpoints.perform(trigger(1), 0);
    await drainPromises();
    expect(said).toEqual([
      "barrier 1",
      "decline 1 CHECKPOINT_ASYNC_EXCEPTION Error: no space < Error: ENOSPC",
    ]);
    expect(failures).toEqual([]);
  });

  test("a disk that is full when what was in flight is written declines it, and the task goes on", async () => {
    const { platform } = quietMachine();
    const storage = new MemoryCheckpointStorage(platform);
    const write = storage.writeState.bind(storage);
    const inFlight = Uint8Array.of(1, 2, 3);
    storage.writeState = (directory, chunks) =>
      chunks.includes(inFlight)
        ? Promise.reject(new Error("ENOSPC: no space left on device"))
        : write(directory, chunks);
    const { checkpoints, said, failures } = checkpointsOf([{}], storage);
    const state = { chunks: [inFlight], channels: [], sizeBytes: 3 };
    checkpoints.awaitChannelState(1);
    checkpoints.perform({ ...trigger(1), isUnaligned: true }, 0);
    await drainPromises();
    expect(said).toEqual(["barrier 1"]);
    checkpoints.channelStateDone({ checkpointId: 1, state }, 0);
    await drainPromises();
    expect(said).toEqual([
      "barrier 1",
      "decline 1 CHECKPOINT_ASYNC_EXCEPTION Error: ENOSPC: no space left on device",
    ]);
    expect(failures).toEqual([]);
    checkpoints.perform(trigger(2), 0);
    await drainPromises();
    expect(said.slice(2)).toEqual(["barrier 2", "acknowledge 2 (3, 4) 1"]);
  });

  test("a barrier that comes after the abort is answered with a cancellation marker, an old one not at all", async () => {
    const { checkpoints, said } = checkpointsOf([{}]);
    checkpoints.abort(2);
    checkpoints.perform(trigger(2), 0);
    checkpoints.perform(trigger(1), 0);
    await drainPromises();
    expect(said).toEqual(["cancel"]);
    checkpoints.perform(trigger(3), 0);
    await drainPromises();
    expect(said).toEqual(["cancel", "barrier 3", "acknowledge 3 (3, 4) 1"]);
  });

  test("state that was written for a checkpoint given up meanwhile is removed", async () => {
    const { platform } = quietMachine();
    const storage = new MemoryCheckpointStorage(platform);
    const discarded: string[] = [];
    storage.discardState = () => {
      discarded.push("state");
      return Promise.resolve();
    };
    const { checkpoints, said } = checkpointsOf([{}], storage);
    checkpoints.perform(trigger(1), 0);
    checkpoints.abort(1);
    await drainPromises();
    expect(said).toEqual(["barrier 1"]);
    expect(discarded).toEqual(["state"]);
  });
});
