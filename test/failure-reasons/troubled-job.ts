import { Configuration, type LogLevel, StreamError } from "../../src/base/index.ts";
import {
  type CheckpointFailure,
  type CheckpointRecord,
  MemoryCheckpointStorage,
  type TriggerResult,
} from "../../src/checkpoint/index.ts";
import { collectSink, defineJob, generatorSource, type Sink, Types } from "../../src/index.ts";
import {
  type Job,
  type JobSurroundings,
  type LocalSlot,
  startJob,
} from "../../src/runtime/index.ts";
import type { StateStorage } from "../../src/checkpoint/index.ts";
import { drive, driveUntil } from "../../src/testing/simulation/drive.ts";
import { quietMachine } from "../../src/testing/simulation/quiet-machine.ts";

/** A job at whose every step something can be made to go wrong. */
export interface TroubledJob {
  readonly job: Job;
  readonly slot: LocalSlot;
  readonly trouble: Trouble;
  readonly storage: TroubledStorage;
  readonly records: CheckpointRecord[];
  readonly refused: CheckpointFailure[];
  /** Lines of its log, the level first. */
  readonly log: string[];
  /** Lets time pass until this holds. */
  until(holds: () => boolean): Promise<void>;
  /** Lets time pass until the promise is settled. */
  drive<T>(promise: Promise<T>): Promise<T>;
  trigger(): Promise<TriggerResult>;
  /** A promise for this moment of simulated time. */
  after(delayMs: number): Promise<void>;
}

/** What is wrong at present. */
export interface Trouble {
  sinkThrows: boolean;
  enumeratorThrows: boolean;
  /** Tasks whose name this is the beginning of get no turn. */
  heldBack: string | undefined;
}

/** Memory in which writing can fail or wait. */
export class TroubledStorage extends MemoryCheckpointStorage {
  initializeFails = false;
  writeFails = false;
  finalizeFails = false;
  /** Directories in which nothing is ever written to the end. */
  waitsIn: ((directory: string) => boolean) | undefined;

  override async initializeCheckpoint(checkpointId: number): Promise<string> {
    if (this.initializeFails) {
      throw new StreamError("CHECKPOINT_STORAGE_FAILED", {
        operation: "Creating directory",
        path: `chk-${checkpointId}`,
        systemCode: "EROFS",
        problem: "read-only file system",
      });
    }
    return super.initializeCheckpoint(checkpointId);
  }

  override async writeState(
    ...[directory, chunks]: Parameters<StateStorage["writeState"]>
  ): ReturnType<StateStorage["writeState"]> {
    if (this.writeFails) throw new Error("disk is full");
    if (this.waitsIn?.(directory) === true) await new Promise<never>(() => undefined);
    return super.writeState(directory, chunks);
  }

  override async finalize(directory: string, metadata: Uint8Array): Promise<void> {
    if (this.finalizeFails) throw new Error("no _metadata");
    await super.finalize(directory, metadata);
  }
}

const SETTINGS: Readonly<Record<string, string>> = {
  "execution.checkpointing.interval": "1 h",
  "execution.checkpointing.tolerable-failed-checkpoints": "0",
  "restart-strategy.type": "none",
  "cutwater.operator-isolation": "shared",
};

function configurationOf(settings: Readonly<Record<string, string>>): Configuration {
  return new Configuration(
    Object.entries({ ...SETTINGS, ...settings }).map(([key, value]) => ({
      key,
      value,
      origin: "flag",
      place: "test",
    })),
  );
}

export interface TroubledOptions {
  readonly settings?: Readonly<Record<string, string>>;
  /** Records of the first source; left out, it never ends. */
  readonly count?: number;
  readonly surroundings?: Partial<JobSurroundings>;
}

/** Starts two sources, `left` and `right`, that meet in one sink. */
export async function startTroubled(options: TroubledOptions = {}): Promise<TroubledJob> {
  const { platform } = quietMachine();
  const trouble: Trouble = {
    sinkThrows: false,
    enumeratorThrows: false,
    heldBack: undefined,
  };
  const definition = defineJob("troubled", (env) => {
    const left = env.fromSource(troubledSource(trouble, options.count)).uid("left").name("left");
    const right = env.fromGenerator((index) => index, { type: Types.int() });
    left
      .rebalance()
      .union(right.uid("right").name("right").rebalance())
      .sinkTo(troubledSink(trouble))
      .uid("sink")
      .name("sink");
  });
  const configuration = configurationOf(options.settings ?? {});
  const storage = new TroubledStorage(platform);
  const records: CheckpointRecord[] = [];
  const refused: CheckpointFailure[] = [];
  const log: string[] = [];
  let slot: LocalSlot | undefined;
  const starting = startJob(definition.build(configuration), configuration, {
    platform,
    storage,
    log: { log: (level: LogLevel, message: string) => void log.push(`${level} ${message}`) },
    observers: [
      { onEnded: (record) => records.push(record), onRefused: (failure) => refused.push(failure) },
    ],
    pacing: {
      recordsPerCall: 2,
      channelLimits: () => ({ batchSize: 2, capacityRecords: 4, capacityBatches: 4 }),
      order: (tasks) => tasks,
      skips: (task) => trouble.heldBack !== undefined && task.name.includes(trouble.heldBack),
      roundsPerTurn: () => 1,
      turnMs: 5,
      flushMs: 1,
    },
    onSlot: (made) => {
      slot = made;
    },
    ...options.surroundings,
  });
  const job = await drive(platform, starting);
  if (slot === undefined) throw new Error("No slot was made");
  const until = (holds: () => boolean): Promise<void> => driveUntil(platform, holds);
  return {
    job,
    slot,
    trouble,
    storage,
    records,
    refused,
    log,
    until,
    drive: (promise) => drive(platform, promise),
    after: (delayMs) => new Promise((resolve) => platform.after(delayMs, resolve)),
    trigger: () => job.master.coordinator.triggerCheckpoint(),
  };
}

function troubledSource(trouble: Trouble, count: number | undefined) {
  const source = generatorSource((index) => index, {
    ...(count === undefined ? {} : { count }),
    type: Types.int(),
  });
  return {
    ...source,
    createEnumerator: (...given: Parameters<typeof source.createEnumerator>) => {
      const enumerator = source.createEnumerator(...given);
      const snapshotState = enumerator.snapshotState.bind(enumerator);
      enumerator.snapshotState = (checkpointId) => {
        if (trouble.enumeratorThrows) throw new Error("no splits to be found");
        return snapshotState(checkpointId);
      };
      return enumerator;
    },
  };
}

function troubledSink(trouble: Trouble): Sink<number, unknown> {
  const sink = collectSink(Types.int()) as unknown as Sink<number, unknown>;
  return {
    ...sink,
    createWriter: async (context, restored) => {
      const writer = await sink.createWriter(context, restored);
      return {
        write: (record, timestamp) => writer.write(record, timestamp),
        prepareCommit: (checkpointId) => {
          if (trouble.sinkThrows) throw new Error("cannot prepare");
          return writer.prepareCommit(checkpointId);
        },
        close: () => writer.close(),
      };
    },
  };
}
