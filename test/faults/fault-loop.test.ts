import { expect, test } from "vitest";

import { FileCheckpointStorage } from "../../src/checkpoint/index.ts";
import {
  compareOutput,
  drive,
  failEachOperation,
  type FaultMode,
  quietMachine,
  Simulation,
  type SimulatedDisk,
  type SimulatedJob,
  simulateWithoutFaults,
} from "../../src/testing/index.ts";
import { sessionJob, stateJob } from "../../src/testing/index.ts";

/**
 * Each file operation of a whole run fails once, in turn: opening, writing, syncing, renaming, listing, reading and removing, of
 * checkpoints, commits and restores. A second life goes on from what the first one left.
 */

const SETTINGS = {
  "execution.checkpointing.interval": "70 ms",
  "execution.checkpointing.data-inline-threshold": "0 b",
  "execution.checkpointing.tolerable-failed-checkpoints": "3",
  "restart-strategy.fixed-delay.attempts": "2",
  "restart-strategy.fixed-delay.delay": "1 ms",
};

/**
 * Files that nobody needs and nobody will remove: all but the job's input, its output, and the history of its checkpoints, when the
 * next start of the job has cleaned up. A complete checkpoint may stay if the fault met its deletion.
 */
async function leakedFiles(disk: SimulatedDisk): Promise<readonly string[]> {
  const { platform } = quietMachine(1, disk);
  const [jobId] = disk.list("/checkpoints").map(({ name }) => name);
  if (jobId !== undefined) {
    const storage = new FileCheckpointStorage(platform, {
      directory: "/checkpoints",
      savepointDirectory: undefined,
      jobId,
      createSubdirectory: true,
      inlineThresholdBytes: 0,
    });
    await drive(platform, storage.removeLeftovers());
  }
  const files = disk.filesBelow("/");
  const complete = files
    .filter((path) => path.endsWith("/_metadata"))
    .map((path) => path.slice(0, -"_metadata".length));
  return files.filter(
    (path) =>
      !path.startsWith("/in/") &&
      !/\/part-[^/]*$/.test(path) &&
      !path.endsWith("/history.jsonl") &&
      !complete.some((directory) => path.startsWith(directory)),
  );
}

const loops: readonly {
  readonly name: string;
  readonly make: () => SimulatedJob;
  readonly mode: FaultMode;
}[] = [
  { name: "files to files", make: sessionJob, mode: "transient" },
  { name: "files to files", make: sessionJob, mode: "persistent" },
  { name: "files to files", make: sessionJob, mode: "crash" },
  { name: "all kinds of state", make: stateJob, mode: "transient" },
];

/** What takes long and finds little more: `npm run test:faults` has it. */
const longLoops: typeof loops =
  process.env["CUTWATER_FAULTS"] === "all"
    ? [
        { name: "all kinds of state", make: stateJob, mode: "persistent" },
        { name: "all kinds of state", make: stateJob, mode: "crash" },
      ]
    : [];

test.each([...loops, ...longLoops])(
  "$name: $mode failure of each operation in turn gives no wrong result and leaks no file",
  async ({ make, mode }) => {
    const baseline = await simulateWithoutFaults(make(), { seed: 0, settings: SETTINGS });
    const wrong: string[] = [];
    let restored = false;
    const met = await failEachOperation(
      async (fault) => {
        const simulation = new Simulation(make(), {
          seed: 0,
          settings: SETTINGS,
          faults: () => fault,
        });
        const report = await simulation.run();
        const { lost, duplicated } = compareOutput(baseline.output, report.output);
        restored ||=
          report.lives > 1 && simulation.recentLog.some((line) => line.includes("Restoring job"));
        const leaked = await leakedFiles(report.disk);
        if (lost.length + duplicated.length + leaked.length === 0) return;
        const at = `${fault.met?.kind} ${fault.met?.path}`;
        wrong.push(
          `${at}: lost ${lost.length}, twice ${duplicated.length}, leaked ${leaked.join(" ")}`,
        );
      },
      mode,
      [Math.floor(baseline.steps * 0.8)],
    );
    const kinds = new Map<string, number>();
    for (const { kind } of met) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    // The count is part of what the loop says.
    process.stdout.write(
      `${mode}: ${met.length} operations failed in turn (${[...kinds].map(([kind, count]) => `${kind} ${count}`).join(", ")})\n`,
    );
    expect(wrong).toEqual([]);
    expect(met.length).toBeGreaterThan(100);
    expect(restored).toBe(true);
  },
  600_000,
);
