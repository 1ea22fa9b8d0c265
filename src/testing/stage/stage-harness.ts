import { ByteReader, ByteWriter, MIN_TIMESTAMP, present } from "../../base/index.ts";
import { InputsWatermark, type WatermarkStatus } from "../../operators/index.ts";
import { canonicalKeyBytes, keyHash, Types, type TypeSerializer } from "../../serde/index.ts";
import {
  beginRecord,
  endRecord,
  PROTOCOL_VERSION,
  type StageEntry,
  type StageKey,
  writeEntry,
} from "../../stage/index.ts";
import {
  defaultMaxParallelism,
  keyGroupOf,
  keyGroupRangeOf,
  operatorIndexOf,
  type OperatorStateHandle,
  redistributeOperatorState,
} from "../../state/index.ts";
import type { HarnessOutput } from "../operator-harness.ts";
import type { DrivenOperator, OpenOperator, OperatorCase, OperatorItem } from "../operator-laws.ts";
import { DurableCopy } from "./durable-copy.ts";
import { StageClient, type StageClientParameters } from "./stage-client.ts";
import type { ConnectStage } from "./stage-connection.ts";

/** How stages are started, and disturbed. */
export interface StageExecution {
  /** The module that exports each case as a stage, under its name. */
  readonly module: string;
  readonly connect: ConnectStage;
  readonly changesEveryEntries: number;
  readonly maxInFlightEntries: number;
  readonly maxEntriesPerData: number;
  readonly maxUncoveredEntries: number;
  readonly shouldKill?: StageClientParameters["shouldKill"];
  /** Told of each stage that is closed. */
  readonly onClose?: (client: StageClient, givenEntries: number) => void;
}

/** Main output first, then the side outputs of a case, by name: the ports of its stage. */
export function stageOutputs({ sideTypes }: OperatorCase): readonly {
  readonly tag: string | undefined;
  readonly type: TypeSerializer<unknown>;
}[] {
  const sides = Object.entries(sideTypes).map(([tag, type]) => ({ tag, type }));
  return [{ tag: undefined, type: Types.any() }, ...sides];
}

/** The operator of a case id, as its only operator in a stage. */
export const STAGE_OPERATOR_ID: string = "0".repeat(32);

/** The operator in other processes, one for each subtask. */
export function stageOpener(execution: StageExecution): OpenOperator {
  return async (operatorCase, parallelism, snapshot) => {
    const harness = new StageHarness(execution, operatorCase, parallelism);
    await harness.open(snapshot as StageSnapshot | undefined);
    return harness;
  };
}

interface StageSnapshot {
  readonly checkpointId: number;
  readonly maxParallelism: number;
  readonly copies: readonly DurableCopy[];
}

interface Subtask {
  readonly client: StageClient;
  readonly watermarks: InputsWatermark;
  givenEntries: number;
}

class StageHarness implements DrivenOperator {
  readonly #execution: StageExecution;
  readonly #case: OperatorCase;
  readonly #parallelism: number;
  readonly #outputTypes: ReturnType<typeof stageOutputs>;
  #maxParallelism: number;
  #subtasks: readonly Subtask[] = [];
  #flushes = 1_000_000;

  constructor(execution: StageExecution, operatorCase: OperatorCase, parallelism: number) {
    this.#execution = execution;
    this.#case = operatorCase;
    this.#parallelism = parallelism;
    this.#maxParallelism = operatorCase.setup.maxParallelism ?? defaultMaxParallelism(parallelism);
    this.#outputTypes = stageOutputs(operatorCase);
  }

  async open(snapshot: StageSnapshot | undefined): Promise<void> {
    this.#maxParallelism = snapshot?.maxParallelism ?? this.#maxParallelism;
    const copies = this.#copies(snapshot);
    const clients = await Promise.all(
      copies.map((copy, index) => this.#openClient(index, copy, snapshot?.checkpointId)),
    );
    this.#subtasks = clients.map((client): Subtask => {
      const subtask: Subtask = {
        client,
        givenEntries: 0,
        watermarks: new InputsWatermark(2, {
          processWatermark: (watermark) => giveEntry(subtask, { kind: "watermark", watermark }),
          processWatermarkStatus: (status) => giveEntry(subtask, statusEntry(status)),
        }),
      };
      return subtask;
    });
  }

  #copies(snapshot: StageSnapshot | undefined): readonly DurableCopy[] {
    const old = snapshot?.copies ?? [];
    const handles = old.map((copy) => handleOf(copy));
    const dealt = redistributeOperatorState(handles, this.#parallelism);
    return Array.from({ length: this.#parallelism }, (_, index) => {
      const range = keyGroupRangeOf(index, this.#maxParallelism, this.#parallelism);
      const copy = DurableCopy.part(old, range, this.#maxParallelism);
      copy.setOperatorStates(
        (dealt[index] ?? []).flatMap(({ states, stream }) =>
          stream.kind === "bytes"
            ? [{ operatorId: STAGE_OPERATOR_ID, states, bytes: stream.data }]
            : [],
        ),
      );
      return copy;
    });
  }

  #openClient(
    subtaskIndex: number,
    copy: DurableCopy,
    restoredCheckpointId: number | undefined,
  ): Promise<StageClient> {
    const { setup, name } = this.#case;
    const { module, connect, shouldKill, changesEveryEntries } = this.#execution;
    return StageClient.open({
      connect,
      copy,
      maxInFlightEntries: this.#execution.maxInFlightEntries,
      maxEntriesPerData: this.#execution.maxEntriesPerData,
      maxUncoveredEntries: this.#execution.maxUncoveredEntries,
      ...(shouldKill === undefined ? {} : { shouldKill }),
      hello: {
        protocol: PROTOCOL_VERSION,
        program: { module, name },
        jobName: "harness",
        jobId: "0".repeat(32),
        subtaskIndex,
        parallelism: this.#parallelism,
        maxParallelism: this.#maxParallelism,
        keyGroupRange: keyGroupRangeOf(subtaskIndex, this.#maxParallelism, this.#parallelism),
        attempt: 0,
        restoredCheckpointId: restoredCheckpointId ?? null,
        isCheckpointed: setup.isCheckpointed ?? true,
        autoWatermarkIntervalMs: setup.autoWatermarkIntervalMs ?? 0,
        nowMs: 0,
        changesEveryEntries,
      },
    });
  }

  setOutputFull(isFull: boolean): void {
    for (const { client } of this.#subtasks) {
      if (isFull) client.pause();
      else client.resume();
    }
  }

  give(item: OperatorItem): void {
    switch (item.kind) {
      case "element": {
        const { value, timestamp = MIN_TIMESTAMP, key, input = 1 } = item;
        const { subtask, stageKey } = this.#route(key);
        this.#giveRecord(subtask, input - 1, value, timestamp, stageKey);
        break;
      }
      case "broadcast":
        for (const subtask of this.#subtasks)
          this.#giveRecord(subtask, 1, item.value, item.timestamp ?? MIN_TIMESTAMP, undefined);
        break;
      case "watermark":
        for (const subtask of this.#subtasks) {
          if (item.input !== 2) subtask.watermarks.onWatermark(0, item.watermark);
          if (item.input !== 1) subtask.watermarks.onWatermark(1, item.watermark);
        }
        break;
      case "processing-time":
        for (const subtask of this.#subtasks)
          giveEntry(subtask, { kind: "tick", nowMs: item.nowMs });
        break;
    }
  }

  async goOn(): Promise<void> {
    this.setOutputFull(false);
    await Promise.all(this.#subtasks.map(({ client }) => client.settle(this.#flushes++)));
  }

  takeOutput(): readonly HarnessOutput<unknown>[] {
    return this.#subtasks.flatMap(({ client }, subtask) =>
      client.takeOutput().map((entry) => this.#output(entry, subtask)),
    );
  }

  async snapshot(checkpointId: number): Promise<StageSnapshot> {
    await Promise.all(this.#subtasks.map(({ client }) => client.flush(checkpointId)));
    const copies = this.#subtasks.map(({ client }) => client.copy);
    return { checkpointId, maxParallelism: this.#maxParallelism, copies };
  }

  async close(): Promise<void> {
    await Promise.all(this.#subtasks.map(({ client }) => client.flush(this.#flushes++)));
    for (const { client, givenEntries } of this.#subtasks) {
      await client.close();
      this.#execution.onClose?.(client, givenEntries);
    }
  }

  #route(key: unknown): { readonly subtask: Subtask; readonly stageKey: StageKey | undefined } {
    const { keyType } = this.#case.setup;
    let index = 0;
    let stageKey: StageKey | undefined;
    if (keyType !== undefined && key !== undefined) {
      const hash = keyHash(key, keyType.keyKind);
      stageKey = { hash, bytes: canonicalKeyBytes(key, keyType.keyKind) };
      const keyGroup = keyGroupOf(hash, this.#maxParallelism);
      index = operatorIndexOf(keyGroup, this.#maxParallelism, this.#parallelism);
    }
    return { subtask: present(this.#subtasks[index], "the subtask exists"), stageKey };
  }

  #giveRecord(
    subtask: Subtask,
    port: number,
    value: unknown,
    timestamp: number,
    key: StageKey | undefined,
  ): void {
    const out = new ByteWriter();
    const at = beginRecord(out, port, timestamp, key);
    present(this.#case.inputTypes[port], "each input has its type").write(value, out);
    endRecord(out, at);
    subtask.givenEntries++;
    subtask.client.give(out.toBytes());
  }

  #output(entry: StageEntry, subtask: number): HarnessOutput<unknown> {
    switch (entry.kind) {
      case "record": {
        const { tag, type } = present(this.#outputTypes[entry.port], "the output exists");
        const value = type.read(new ByteReader(entry.value));
        const { timestamp } = entry;
        return tag === undefined
          ? { kind: "record", value, timestamp, subtask }
          : { kind: "side", tag, value, timestamp, subtask };
      }
      case "watermark":
        return { kind: "watermark", watermark: entry.watermark, subtask };
      default:
        return { kind: "status", status: entry.kind === "idle" ? "IDLE" : "ACTIVE", subtask };
    }
  }
}

function giveEntry(subtask: Subtask, entry: StageEntry): void {
  const out = new ByteWriter(32);
  writeEntry(entry, out);
  subtask.givenEntries++;
  subtask.client.give(out.toBytes());
}

function statusEntry(status: WatermarkStatus): StageEntry {
  return { kind: status === "IDLE" ? "idle" : "active" };
}

function handleOf({ operatorStates }: DurableCopy): OperatorStateHandle | undefined {
  const blob = operatorStates[0];
  if (blob === undefined) return undefined;
  const stream = { kind: "bytes", name: "operator-state", data: blob.bytes } as const;
  return { states: blob.states, stream, merged: undefined };
}
