import { Configuration } from "../../src/base/index.ts";
import type { CheckpointRecord } from "../../src/checkpoint/index.ts";
import type { JobDefinition } from "../../src/index.ts";
import type { JobGraph } from "../../src/graph/index.ts";
import {
  type Job,
  type JobSurroundings,
  type LocalSlot,
  startJob,
} from "../../src/runtime/index.ts";
import { drive, driveUntil, type quietMachine } from "../../src/testing/index.ts";

export type Machine = ReturnType<typeof quietMachine>;
export type Settings = Readonly<Record<string, string>>;

const SETTINGS: Settings = {
  "execution.checkpointing.interval": "10 ms",
  "execution.checkpointing.dir": "/checkpoints",
  "execution.checkpointing.data-inline-threshold": "0 b",
  "execution.checkpointing.externalized-checkpoint-retention": "RETAIN_ON_CANCELLATION",
  "restart-strategy.type": "fixed-delay",
  "restart-strategy.fixed-delay.attempts": "20",
  "restart-strategy.fixed-delay.delay": "1 ms",
  "pipeline.auto-watermark-interval": "5 ms",
  "cutwater.operator-isolation": "shared",
};

export function configurationOf(settings: Settings): Configuration {
  return new Configuration(
    Object.entries({ ...SETTINGS, ...settings }).map(([key, value]) => ({
      key,
      value,
      origin: "flag",
      place: "test",
    })),
  );
}

export interface Started {
  readonly job: Job;
  readonly records: readonly CheckpointRecord[];
  readonly slot: LocalSlot;
  readonly drive: <T>(promise: Promise<T>) => Promise<T>;
  /** Lets time pass until this holds. */
  readonly until: (holds: () => boolean) => Promise<void>;
  /** Has a running task whose name holds this fail. */
  readonly failTask: (name: string) => void;
}

/** Starts a job on a machine on which nothing goes wrong, with small batches, so that it takes a while. */
export async function start(
  { platform }: Machine,
  definition: Pick<JobDefinition, "build"> | { build(configuration: Configuration): JobGraph },
  settings: Settings = {},
  surroundings: Partial<JobSurroundings> = {},
): Promise<Started> {
  const configuration = configurationOf(settings);
  const records: CheckpointRecord[] = [];
  let slot: LocalSlot | undefined;
  const starting = startJob(definition.build(configuration), configuration, {
    platform,
    observers: [{ onEnded: (record) => void records.push(record) }],
    pacing: {
      recordsPerCall: 4,
      channelLimits: () => ({ batchSize: 4, capacityRecords: 8, capacityBatches: 4 }),
      order: (tasks) => tasks,
      skips: () => false,
      roundsPerTurn: () => 2,
      turnMs: 5,
      flushMs: 1,
    },
    onSlot: (made) => {
      slot = made;
    },
    ...surroundings,
  });
  const job = await drive(platform, starting);
  job.result.catch(() => undefined);
  const until = (holds: () => boolean): Promise<void> => driveUntil(platform, holds);
  return {
    job,
    records,
    get slot() {
      if (slot === undefined) throw new Error("No slot was made");
      return slot;
    },
    drive: (promise) => drive(platform, promise),
    until,
    failTask(name) {
      const victim = slot?.tasks.find(
        (task) => task.status === "RUNNING" && task.name.includes(name),
      );
      if (victim === undefined) throw new Error(`There is no task ${name}`);
      victim.fail(new Error("Made to fail"));
    },
  };
}

/** Moves everything below a directory, as `mv` does. */
export function move({ disk }: Machine, from: string, to: string): void {
  for (const path of disk.filesBelow(from)) {
    disk.put(`${to}${path.slice(from.length)}`, disk.read(path));
    disk.remove(path);
  }
}
