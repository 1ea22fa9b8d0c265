import type { JobDefinition } from "../../api/index.ts";
import { nodePlatform } from "../../base/index.ts";
import { loadJob } from "../../loader/index.ts";
import {
  drawVariety,
  type SimulatedJob,
  type SimulateResult,
  simulate,
  simulatedJobFile,
  simulateWithoutFaults,
  type SimulationReport,
} from "../../testing/index.ts";
import type { CliContext } from "../cli-context.ts";
import { errorReport } from "../error-report.ts";
import { EXIT_CODES, type ExitReason } from "../exit-code.ts";

export interface SimulateFlags {
  readonly seeds: number;
  readonly seed?: number;
  readonly verbose: boolean;
}

/** Most lines of a failing seed's difference that are shown. */
const MAX_LINES_SHOWN = 5;

/** `cutwater simulate`. */
export async function simulateJobFile(
  this: CliContext,
  flags: SimulateFlags,
  jobFile: string,
  ...jobArguments: readonly string[]
): Promise<void> {
  const end = (reason: ExitReason): void => void (this.process.exitCode = EXIT_CODES[reason]);
  const restore = muted(this.process.stdout);
  try {
    const platform = nodePlatform();
    const { job } = await loadJob<JobDefinition>(jobFile, platform.files);
    const simulated = await simulatedJobFile(job, jobArguments, platform);
    const baseline = await simulateWithoutFaults(simulated, { seed: 0 });
    restore();
    if (baseline.output.length === 0) {
      this.process.stderr.write(
        `${job.name} publishes nothing to files and prints nothing: whether something is lost or comes twice cannot be told, only whether it ends.\n`,
      );
    }
    const behind = jobArguments.length === 0 ? "" : ` -- ${jobArguments.join(" ")}`;
    const replay = (seed: number) =>
      `cutwater simulate ${jobFile} --seed ${seed} --verbose${behind}`;
    end((await trySeeds(this, flags, simulated, baseline, replay)) ? "FINISHED" : "FAILED");
  } catch (error) {
    restore();
    this.process.stderr.write(errorReport(error, { isVerbose: flags.verbose }));
    end("REFUSED");
  }
}

/** @returns True if no seed failed. */
async function trySeeds(
  { process }: CliContext,
  flags: SimulateFlags,
  job: SimulatedJob,
  baseline: SimulationReport,
  replay: (seed: number) => string,
): Promise<boolean> {
  const first = flags.seed ?? 0;
  const count = flags.seed === undefined ? flags.seeds : 1;
  const totals = { lost: 0, duplicated: 0, lives: 0, restarts: 0, checkpoints: 0, failedSeeds: 0 };
  for (let seed = first; seed < first + count; seed++) {
    const restore = muted(process.stdout);
    let result: SimulateResult;
    try {
      result = await simulate(job, { seed, baseline, ...drawVariety(seed) });
    } catch (error) {
      totals.failedSeeds += 1;
      process.stderr.write(`seed ${seed}: ${errorReport(error, { isVerbose: false })}`);
      process.stderr.write(`  again: ${replay(seed)}\n`);
      continue;
    } finally {
      restore();
    }
    const { difference, report } = result;
    totals.lost += difference.lost.length;
    totals.duplicated += difference.duplicated.length;
    totals.lives += report.lives - 1;
    totals.restarts += report.restarts;
    totals.checkpoints += report.completedCheckpoints;
    const isWrong = difference.lost.length + difference.duplicated.length > 0;
    if (isWrong) totals.failedSeeds += 1;
    if (isWrong || flags.verbose) process.stdout.write(seedText(seed, result, flags.verbose));
    if (isWrong) process.stdout.write(`  again: ${replay(seed)}\n`);
  }
  process.stdout.write(
    `${count} seed${count === 1 ? "" : "s"}: ${totals.lost} lost, ${totals.duplicated} duplicated of ${baseline.output.length} records; ` +
      `${totals.lives} crashes, ${totals.restarts} restarts, ${totals.checkpoints} checkpoints; ${totals.failedSeeds} seeds failed\n`,
  );
  return totals.failedSeeds === 0;
}

function seedText(
  seed: number,
  { difference, report, recentLog }: SimulateResult,
  isVerbose: boolean,
): string {
  const { lost, duplicated } = difference;
  const struck = [...report.struck].map(([kind, count]) => `${kind} ${count}`).join(", ");
  const lines = [
    `seed ${seed}: ${lost.length} lost, ${duplicated.length} duplicated; ${report.steps} steps, trace ${report.traceHash}; ${struck || "no faults"}`,
    ...lost.slice(0, MAX_LINES_SHOWN).map((line) => `  lost ${line}`),
    ...duplicated.slice(0, MAX_LINES_SHOWN).map((line) => `  twice ${line}`),
  ];
  const isWrong = lost.length + duplicated.length > 0;
  if (isVerbose && isWrong) lines.push(...recentLog.map((line) => `  ${line}`));
  return `${lines.join("\n")}\n`;
}

/** What the job prints says nothing in a simulation. @returns Ends that. */
function muted(stdout: { write: (text: string) => void }): () => void {
  const { write } = stdout;
  stdout.write = () => undefined;
  return () => void (stdout.write = write);
}
