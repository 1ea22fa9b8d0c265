import { defineJob, type StreamExecutionEnvironment } from "../../api/index.ts";
import { Configuration } from "../../base/index.ts";
import { type Job, type LocalSlot, startJob } from "../../runtime/index.ts";
import { drive } from "./drive.ts";
import { quietMachine } from "./quiet-machine.ts";

/** What a look at a played job sees. */
export interface JobScene {
  readonly job: Job;
  readonly slots: readonly LocalSlot[];
  /** Since the machine was started. */
  readonly elapsedMs: number;
}

export interface PlayedJob {
  readonly define: (env: StreamExecutionEnvironment, clock: PlayClock) => void;
  readonly settings: Readonly<Record<string, string>>;
  readonly slotCount?: number | undefined;
  /** Called every millisecond. */
  readonly look?: ((scene: JobScene) => void) | undefined;
}

/** The machine's time, as a job's definition may want it. */
export interface PlayClock {
  readonly startMs: number;
  readonly elapsedMs: () => number;
}

/** Runs a job to its end on a machine of its own, on which nothing goes wrong by itself. @returns How often it was started again. */
export async function playJob(played: PlayedJob): Promise<{ readonly restarts: number }> {
  const { define, settings, slotCount = 1, look } = played;
  const { platform } = quietMachine();
  const startMs = platform.nowMs();
  const elapsedMs = () => platform.nowMs() - startMs;
  const configuration = new Configuration(
    Object.entries(settings).map(([key, value]) => ({ key, value, origin: "flag", place: "test" })),
  );
  const definition = defineJob("played", (env) => define(env, { startMs, elapsedMs }));
  const slots: LocalSlot[] = [];
  const job = await drive(
    platform,
    startJob(definition.build(configuration), configuration, {
      platform,
      slotCount,
      onSlot: (slot) => slots.push(slot),
    }),
  );
  const lookAgain = (): void => {
    look?.({ job, slots, elapsedMs: elapsedMs() });
    if (job.status === "RUNNING" || job.status === "RESTARTING") platform.after(1, lookAgain);
  };
  lookAgain();
  const { restarts } = await drive(platform, job.result);
  return { restarts };
}
