import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { build } from "vite";

import type { StateCell, StateDeclaration } from "../../src/stage/index.ts";
import { OperatorHarness } from "../../src/testing/operator-harness.ts";
import {
  giveToHarness,
  OPERATOR_LAWS,
  type OperatorCase,
  type OperatorLaw,
  undisturbed,
} from "../../src/testing/operator-laws.ts";
import { SeededRandom } from "../../src/testing/simulation/seeded-random.ts";
import { type ConnectStage, spawnStage } from "../../src/testing/stage/stage-connection.ts";
import { DurableCopy } from "../../src/testing/stage/durable-copy.ts";
import { STAGE_OPERATOR_ID, stageOpener } from "../../src/testing/stage/stage-harness.ts";
import { inMemoryStage } from "./in-memory-stage.ts";

/** What a run of the suite has seen. */
export interface BorderCounts {
  runs: number;
  entries: number;
  processes: number;
  kills: number;
  readonly differences: string[];
}

export function noCounts(): BorderCounts {
  return { runs: 0, entries: 0, processes: 0, kills: 0, differences: [] };
}

/** How stages are reached, and how often they die. */
export interface BorderRun {
  readonly seed: number;
  /** Of a kill at each moment that the driving end knows. */
  readonly killChance: number;
  /** Makes the way to a stage; asks chance. */
  readonly connect: (random: SeededRandom) => ConnectStage;
  /** 0: only a flush covers. */
  readonly changesEveryEntries: number;
}

/** Laws with a snapshot and a restore after each item: each costs a process per item. */
export const RESTORING_LAWS: readonly OperatorLaw[] = OPERATOR_LAWS.filter(({ name }) =>
  name.includes("restore"),
);

/** The items of a case up to one, so that a law costs less. */
export function shortened(operatorCase: OperatorCase, itemCount: number): OperatorCase {
  return { ...operatorCase, items: operatorCase.items.slice(0, itemCount) };
}

/** Runs a case under a law behind the border, and compares with the undisturbed case in this process. */
export async function runBehindBorder(
  operatorCase: OperatorCase,
  law: OperatorLaw,
  run: BorderRun,
  counts: BorderCounts,
): Promise<void> {
  const random = new SeededRandom(run.seed);
  const expected = await undisturbed(operatorCase);
  const connect = run.connect(random);
  const dump: string[] = [];
  const open = stageOpener({
    module: "the operator suite",
    connect: (listener) => {
      counts.processes++;
      return connect(listener);
    },
    changesEveryEntries: run.changesEveryEntries,
    maxInFlightEntries: 1 + random.below(40),
    maxEntriesPerData: 1 + random.below(8),
    maxUncoveredEntries: 5 + random.below(20),
    shouldKill: () => random.chance(run.killChance),
    onClose: (client, givenEntries) => {
      counts.entries += givenEntries;
      counts.kills += client.restartCount;
      dump.push(...client.copy.dump());
    },
  });
  const actual = await law.run(operatorCase, open);
  counts.runs++;
  if (!RESTORING_LAWS.includes(law)) {
    const [found, wantedDump] = [dump.sort(), await embeddedDump(operatorCase)];
    if (JSON.stringify(found) !== JSON.stringify(wantedDump)) {
      counts.differences.push(
        `seed ${run.seed}, ${operatorCase.name}, ${law.name}: state ${wantedDump.join("; ")} expected, ${found.join("; ")} found`,
      );
    }
  }
  const wanted = actual.length === 1 ? [expected.flat().toSorted()] : expected;
  for (const [item, texts] of wanted.entries()) {
    const found = actual[item];
    if (JSON.stringify(found) === JSON.stringify(texts)) continue;
    counts.differences.push(
      `seed ${run.seed}, ${operatorCase.name}, ${law.name}, item ${item}: ${JSON.stringify(texts)} expected, ${JSON.stringify(found)} found`,
    );
  }
}

/** All keyed state that the case leaves behind in this process, byte for byte. */
async function embeddedDump(operatorCase: OperatorCase): Promise<readonly string[]> {
  const harness = await OperatorHarness.open(operatorCase.setup);
  for (const keyed of harness.keyedStates()) keyed.trackChanges();
  for (const item of operatorCase.items) giveToHarness(harness, item);
  const copy = new DurableCopy();
  for (const keyed of harness.keyedStates()) {
    const ids = new Map<string, number>();
    const names = new Map<number, string>();
    const declarations: StateDeclaration[] = [];
    const cells = Array.from(keyed.takeChanges(), ({ state: name, ...cell }): StateCell => {
      const id = ids.get(name) ?? ids.size;
      if (!ids.has(name)) {
        const description = keyed.describeState(name);
        declarations.push({ id, operatorId: STAGE_OPERATOR_ID, name, description });
      }
      ids.set(name, id);
      return { stateId: id, ...cell };
    });
    copy.apply({ declarations, cells }, names);
  }
  await harness.close();
  return copy.dump();
}

/** A run without processes: dying is losing what has not come. */
export function inMemoryRun(seed: number, killChance: number): BorderRun {
  return {
    seed,
    killChance,
    connect: (random) => inMemoryStage(() => 1 + random.below(400)),
    changesEveryEntries: seed % 3,
  };
}

/** A run with processes, which also die by themselves in the middle of an entry. */
export function processRun(
  seed: number,
  killChance: number,
  childFile: string,
  dieWithin: number,
): BorderRun {
  return {
    seed,
    killChance,
    connect: (random) =>
      spawnStage(() => [
        childFile,
        ...(dieWithin > 0 && random.chance(0.5) ? [String(1 + random.below(dieWithin))] : []),
      ]),
    changesEveryEntries: seed % 3,
  };
}

/** Bundles the child, with the whole engine, into one file. @returns Its path. */
export async function bundleStageChild(): Promise<string> {
  const outDir = mkdtempSync(join(tmpdir(), "cutwater-stage-"));
  await build({
    configFile: false,
    logLevel: "error",
    build: {
      ssr: fileURLToPath(new URL("stage-child.ts", import.meta.url)),
      outDir,
      minify: false,
      target: "node20",
      rolldownOptions: { output: { entryFileNames: "stage-child.mjs", codeSplitting: false } },
    },
  });
  return join(outDir, "stage-child.mjs");
}
