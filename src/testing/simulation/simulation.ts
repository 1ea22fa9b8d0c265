import {
  causesOf,
  Configuration,
  type ConfigurationEntry,
  isStreamError,
  type Logger,
  type LogLevel,
} from "../../base/index.ts";
import type { CheckpointObserver } from "../../checkpoint/index.ts";
import type { JobGraph } from "../../graph/index.ts";
import {
  type Job,
  type JobSurroundings,
  type SlotPacing,
  startJob,
  type Task,
} from "../../runtime/index.ts";
import { drainPromises } from "./drive.ts";
import type { FaultKind, SimulatedFaults } from "./fault-schedule.ts";
import { SeededRandom } from "./seeded-random.ts";
import { SimulatedDisk } from "./simulated-disk.ts";
import { SimulatedFiles } from "./simulated-files.ts";
import { SIMULATION_START_MS, SimulatedPlatform } from "./simulated-platform.ts";
import { savepointToBeginWith } from "./stop-savepoints.ts";
import { SimulatedSlots } from "./simulated-slots.ts";
import { SimulatedProcess } from "./simulated-process.ts";
import { TraceHash } from "./trace-hash.ts";
import { askOf, STOP_DIRECTORY, type UserRequests } from "./user-requests.ts";

/** A job as a simulation runs it. */
export interface SimulatedJob {
  /** Makes the job graph anew: called for each life of the process. */
  build(configuration: Configuration): JobGraph;
  /** What the job has published so far, in any order. */
  output(disk: SimulatedDisk): readonly string[];
  /** Puts the job's input on the disk. */
  prepare?(disk: SimulatedDisk): void;
}

export interface SimulationOptions {
  readonly seed: number;
  /** What goes wrong, made of the run's own chance and clock. */
  readonly faults: (random: SeededRandom, nowMs: () => number) => SimulatedFaults;
  /** Settings under Flink's keys, stronger than those of the simulation. */
  readonly settings?: Readonly<Record<string, string>> | undefined;
  readonly createBarrierHandler?: JobSurroundings["createBarrierHandler"];
  /** Each life of the process has one of these as its `parallelism.default`. Every operator with state needs a uid then. */
  readonly parallelisms?: readonly number[] | undefined;
  /** Each life of the process has so many slots, with rings between them. Without it one. */
  readonly slotCounts?: readonly number[] | undefined;
  /** What a user asks of the job on the way. */
  readonly requests?: UserRequests | undefined;
}

export interface SimulationReport {
  readonly output: readonly string[];
  readonly steps: number;
  readonly durationMs: number;
  /** Lives of the process: 1 if it never crashed. */
  readonly lives: number;
  readonly restarts: number;
  readonly completedCheckpoints: number;
  readonly failedCheckpoints: number;
  readonly struck: ReadonlyMap<FaultKind, number>;
  readonly traceHash: string;
  readonly disk: SimulatedDisk;
}

/** Where a simulated job keeps its checkpoints. */
export const CHECKPOINT_DIRECTORY = "/checkpoints";

/** Steps after which a run counts as stuck. */
const MAX_STEPS = 400_000;

const MAX_LIVES = 200;

/** Lines of the log that an error shows, and that are kept. */
const LINES_SHOWN = 30;
const LINES_KEPT = 200;

/** How long a supervisor waits at most before it starts a process again: at first, and after many times. */
const FIRST_WAIT_MS = 10;
const MAX_WAIT_MS = 1_000;

/** A run of a job on a simulated machine, with faults from a seed: the same tasks, coordinator and storage as in earnest. */
export class Simulation {
  readonly #job: SimulatedJob;
  readonly #options: SimulationOptions;
  readonly #random: SeededRandom;
  readonly #machine: SimulatedPlatform;
  readonly #disk: SimulatedDisk;
  readonly #faults: SimulatedFaults;
  readonly #configuration: Configuration;
  readonly #trace = new TraceHash();
  readonly #log: Logger;
  /** The last lines of the job's log, for the report of a run that went wrong. */
  readonly recentLog: string[] = [];
  #files: SimulatedFiles;
  #steps = 0;
  #restarts = 0;
  #completed = 0;
  #failed = 0;

  constructor(job: SimulatedJob, options: SimulationOptions) {
    this.#job = job;
    this.#options = options;
    this.#random = new SeededRandom(options.seed);
    let files: SimulatedFiles | undefined;
    this.#disk = new SimulatedDisk(() => this.#machine?.nowMs() ?? SIMULATION_START_MS);
    this.#machine = new SimulatedPlatform(this.#random.below(0x7fff_ffff), (platform) => {
      files = new SimulatedFiles(platform, this.#disk, {
        latencyMs: (operation) => this.#faults.latencyMs(operation),
        failure: (operation) => this.#faults.failure(operation),
      });
      return files;
    });
    this.#files = files as unknown as SimulatedFiles;
    this.#faults = options.faults(this.#random, () => this.#machine.nowMs());
    this.#configuration = simulatedConfiguration(this.#random, options.settings ?? {});
    this.#log = { log: (level, message) => this.#note(level, message) };
    job.prepare?.(this.#disk);
  }

  /** Runs the job to its end, through as many lives of the process as it takes. */
  async run(): Promise<SimulationReport> {
    for (let life = 1; ; life++) {
      const ended = await this.#live();
      if (life > MAX_LIVES) throw new Error(`The simulated job never ends.\n${this.#logEnd()}`);
      if (!ended) {
        this.#wait(life);
        continue;
      }
      return {
        output: this.#job.output(this.#disk),
        steps: this.#steps,
        durationMs: this.#machine.monotonicMs(),
        lives: life,
        restarts: this.#restarts,
        completedCheckpoints: this.#completed,
        failedCheckpoints: this.#failed,
        struck: this.#faults.struck,
        traceHash: this.#trace.toString(),
        disk: this.#disk,
      };
    }
  }

  /** Whoever starts the process again waits a while, and longer each time. */
  #wait(life: number): void {
    const longestMs = Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** (life - 1));
    this.#machine.after(this.#random.next() * longestMs, () => undefined);
    this.#machine.step();
  }

  /** One life of the process. @returns True if the job has finished. */
  async #live(): Promise<boolean> {
    const life = new Life(this.#machine);
    const pacing = this.#pacing();
    const configuration = this.#configurationOfLife();
    const started = startJob(this.#job.build(configuration), configuration, {
      platform: life.process,
      log: this.#log,
      observers: [this.#observer()],
      start: "newest-retained",
      pacing,
      schedule: (callback) => void life.process.after(this.#faults.messageDelayMs(), callback),
      createBarrierHandler: this.#options.createBarrierHandler,
      slotCount: this.#slotCountOfLife(),
      slotPlatform: () => life.slots.newPlatform(),
      onEnd: async (status) => {
        life.hasFinished = status === "FINISHED";
      },
      onSlot: (slot) => life.slots.add(slot),
    });
    started.then(
      (job) => life.started(job),
      (error: unknown) => life.ended(error),
    );
    while (true) {
      await drainPromises();
      if (life.outcome !== undefined) return this.#bury(life);
      const strike = this.#faults.strike(this.#steps);
      if (strike === "crash") {
        this.#crash(life);
        // Whoever would start the job again has written down that it has finished.
        return life.hasFinished && !life.isStopped;
      }
      if (strike === "lost-slot") this.#loseSlot(life);
      if (strike === "task-failure") this.#failTask(life);
      this.#ask(life);
      this.#step(life);
    }
  }

  #ask(life: Life): void {
    const { job } = life;
    if (job?.status !== "RUNNING") return;
    const request = this.#options.requests?.at(this.#steps);
    if (request === undefined) return;
    this.#note("INFO", `A user asks for a ${request}.`);
    askOf(job, request, () => (life.isStopped = true));
  }

  #configurationOfLife(): Configuration {
    const { parallelisms = [] } = this.#options;
    const parallelism = parallelisms[this.#random.below(parallelisms.length)];
    const settings: ConfigurationEntry[] = [];
    if (parallelism !== undefined)
      settings.push(setting("parallelism.default", String(parallelism)));
    const savepoint = savepointToBeginWith(this.#disk, STOP_DIRECTORY, CHECKPOINT_DIRECTORY);
    if (savepoint !== undefined) {
      const claimMode = this.#random.chance(0.5) ? "CLAIM" : "NO_CLAIM";
      settings.push(setting("execution.state-recovery.path", savepoint));
      settings.push(setting("execution.state-recovery.claim-mode", claimMode));
    }
    return this.#configuration.with(settings);
  }

  #slotCountOfLife(): number {
    const { slotCounts = [] } = this.#options;
    return slotCounts.length === 0 ? 1 : (slotCounts[this.#random.below(slotCounts.length)] ?? 1);
  }

  #step(life: Life): void {
    this.#steps++;
    if (this.#steps > MAX_STEPS) throw this.#stuck(life, "does not end");
    if (!this.#machine.step()) throw this.#stuck(life, "stands still: nothing is scheduled");
    this.#trace.addNumber(this.#machine.monotonicMs());
  }

  #stuck({ job, slots }: Life, problem: string): Error {
    const tasks = slots.tasks.map(({ name, status, phase }) => `${name}: ${status}, ${phase}`);
    const facts = [`Job: ${job?.status ?? "not started"}`, ...tasks, this.#logEnd()];
    return new Error(`The simulated job ${problem}.\n${facts.join("\n")}`);
  }

  /** @returns True if the job has finished; a job that failed for good is started again, as a supervisor would. */
  #bury(life: Life): boolean {
    const { outcome } = life;
    this.#restarts += life.job?.master.restartCount ?? 0;
    this.#endProcess(life);
    if (outcome?.kind === "suspended") return false;
    if (outcome?.kind === "ended" && outcome.error === undefined) return true;
    this.#note("ERROR", `The job failed: ${String(outcome?.error)}`);
    // With nothing to blame but itself it would only fail again, unless it is to go on elsewhere.
    const goesOnElsewhere = causesOf(outcome?.error).some((cause) =>
      isStreamError(cause, "JOB_FAILED_WHILE_STOPPING"),
    );
    if (this.#faults.isOver && !goesOnElsewhere) {
      const text = `The simulated job fails without a fault.\n${this.#logEnd()}`;
      throw new Error(text, { cause: outcome?.error });
    }
    this.#faults.lifeEnded();
    return false;
  }

  #crash(life: Life): void {
    this.#note("ERROR", "The process crashes.");
    this.#restarts += life.job?.master.restartCount ?? 0;
    this.#endProcess(life);
    this.#disk.crash(this.#random);
    this.#faults.lifeEnded();
  }

  /** What the process had under way with files happens or does not. */
  #endProcess(life: Life): void {
    life.kill();
    this.#machine.crash();
    this.#files.crash(() => this.#random.chance(0.5));
  }

  #loseSlot({ slots }: Life): void {
    if (slots.count === 0) return;
    const index = slots.count === 1 ? 0 : this.#random.below(slots.count);
    this.#note("ERROR", `Slot ${index} dies.`);
    slots.lose(index);
  }

  #failTask(life: Life): void {
    const running = life.slots.tasks.filter(({ status }) => status === "RUNNING");
    const victim = running[this.#random.below(running.length)];
    if (victim === undefined) return;
    this.#note("ERROR", `${victim.name} is made to fail.`);
    victim.fail(new Error("Made to fail"));
  }

  #pacing(): SlotPacing {
    const random = this.#random;
    const batchSize = 1 + random.below(8);
    const slowest = random.next();
    const isDirect = random.chance(0.5);
    let slow: Task | undefined;
    return {
      recordsPerCall: 1 + random.below(8),
      channelLimits: (channelCount) => ({
        batchSize,
        capacityRecords: batchSize * (1 + random.below(4)),
        capacityBatches: 2 + random.below(4),
        isDirect: isDirect && channelCount === 1,
      }),
      order: (tasks) => {
        slow = tasks[Math.floor(slowest * tasks.length)];
        return random.shuffled(tasks);
      },
      skips: (task) => task === slow && this.#faults.holdsBack(),
      roundsPerTurn: () => 1 + random.below(4),
      turnMs: 5,
      flushMs: random.next() * 2,
    };
  }

  #observer(): CheckpointObserver {
    return {
      onEnded: ({ status }) => {
        if (status === "COMPLETED") this.#completed++;
        else this.#failed++;
      },
    };
  }

  /** The last lines of the log: what an error shows. */
  #logEnd(): string {
    return this.recentLog.slice(-LINES_SHOWN).join("\n");
  }

  #note(level: LogLevel, message: string): void {
    this.#trace.add(message);
    if (level === "DEBUG" && !process.env["SIMDEBUG"]) return;
    this.recentLog.push(`${this.#machine.monotonicMs().toFixed(3)} ms ${level} ${message}`);
    if (this.recentLog.length > LINES_KEPT) this.recentLog.shift();
  }
}

/** One life of the process: from its start to its end, or to a crash. */
class Life {
  readonly process: SimulatedProcess;
  readonly slots: SimulatedSlots;
  job: Job | undefined;
  hasFinished = false;
  /** It ends because a user has stopped it with a savepoint. */
  isStopped = false;
  /** How it ended: by itself, well or not, or as a user asked, to go on later. */
  outcome:
    | { readonly kind: "ended"; readonly error: unknown }
    | { readonly kind: "suspended" }
    | undefined;

  constructor(machine: SimulatedPlatform) {
    this.process = new SimulatedProcess(machine);
    this.slots = new SimulatedSlots(machine);
  }

  started(job: Job): void {
    this.job = job;
    job.result.then(
      ({ status }) => {
        if (status === "SUSPENDED" || this.isStopped) this.outcome ??= { kind: "suspended" };
        else this.ended(undefined);
      },
      (error: unknown) => this.ended(error),
    );
  }

  ended(error: unknown): void {
    this.outcome ??= { kind: "ended", error };
  }

  kill(): void {
    this.process.kill();
    this.slots.kill();
  }
}

/** What a simulated job runs with: small and frequent, and partly drawn from the seed. */
function simulatedConfiguration(
  random: SeededRandom,
  given: Readonly<Record<string, string>>,
): Configuration {
  const settings: Readonly<Record<string, string>> = {
    "execution.checkpointing.interval": `${10 + random.below(40)} ms`,
    "execution.checkpointing.timeout": "2 s",
    "execution.checkpointing.dir": CHECKPOINT_DIRECTORY,
    "execution.checkpointing.externalized-checkpoint-retention": "RETAIN_ON_CANCELLATION",
    "execution.checkpointing.tolerable-failed-checkpoints": String([0, 3, 1000][random.below(3)]),
    "execution.checkpointing.max-concurrent-checkpoints": String(1 + random.below(2)),
    "execution.checkpointing.data-inline-threshold": random.chance(0.5) ? "0 b" : "20 kb",
    "execution.checkpointing.num-retained": String(1 + random.below(3)),
    "restart-strategy.type": "fixed-delay",
    "restart-strategy.fixed-delay.attempts": "100",
    "restart-strategy.fixed-delay.delay": `${1 + random.below(50)} ms`,
    "pipeline.auto-watermark-interval": "10 ms",
    "cutwater.operator-isolation": "shared",
    ...given,
  };
  return new Configuration(Object.entries(settings).map(([key, value]) => setting(key, value)));
}

function setting(key: string, value: string): ConfigurationEntry {
  return { key, value, origin: "flag", place: "simulation" };
}
