import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

import { decodeMetadata, encodeMetadata, readSnapshot } from "../../src/checkpoint/index.ts";
import { drive, quietMachine } from "../../src/testing/index.ts";
import { goldenJob } from "./golden-job.ts";
import { type Machine, start } from "./savepoint-job.ts";

/** Whole checkpoints of the first format, as released. They must restore for ever; a later format gets a folder of its own beside them. */

const FOLDER = fileURLToPath(new URL("../golden/checkpoints-1/", import.meta.url));
const KINDS = ["aligned", "unaligned", "savepoint"] as const;
type Kind = (typeof KINDS)[number];

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? filesBelow(path) : [path];
  });
}

/** The directory of the checkpoint, as it was and is on the machine's disk. */
function load(kind: Kind, { disk }: Machine): string {
  const root = join(FOLDER, kind);
  let directory = "";
  for (const path of filesBelow(root)) {
    const there = path.slice(root.length);
    disk.put(there, readFileSync(path));
    if (there.endsWith("/_metadata")) directory = dirname(there);
  }
  return directory;
}

/** Makes the files. Only where there are none: what is released stays. */
async function write(kind: Kind): Promise<void> {
  const machine = quietMachine();
  const { job, until, records } = await start(machine, goldenJob().definition, {
    "parallelism.default": "3",
    "execution.checkpointing.unaligned.enabled": String(kind === "unaligned"),
  });
  const done = (): number => records.filter(({ status }) => status === "COMPLETED").length;
  await until(() => done() >= 3);
  const directory =
    kind === "savepoint"
      ? await drive(machine.platform, job.triggerSavepoint({ targetDirectory: "/savepoints" }))
      : newestBelow("/checkpoints", machine);
  for (const path of machine.disk.filesBelow(directory)) {
    const place = join(FOLDER, kind, path);
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(place, machine.disk.read(path));
  }
}

function newestBelow(folder: string, { disk }: Machine): string {
  const newest = disk.filesBelow(folder).findLast((path) => path.endsWith("/_metadata"));
  if (newest === undefined) throw new Error("There is no complete checkpoint");
  return dirname(newest);
}

async function output(
  settings: Record<string, string>,
  machine: Machine,
): Promise<readonly string[]> {
  const { definition, records } = goldenJob();
  const { job } = await start(machine, definition, settings);
  await drive(machine.platform, job.result);
  return records.toSorted();
}

if (process.env["UPDATE_GOLDEN"] !== undefined) {
  for (const kind of KINDS) if (!existsSync(join(FOLDER, kind))) await write(kind);
}

test.each(KINDS)("the _metadata of the $0 one is written today in the same bytes", (kind) => {
  const path = filesBelow(join(FOLDER, kind)).find((name) => name.endsWith("_metadata")) ?? "";
  const bytes = readFileSync(path);
  const again = encodeMetadata(decodeMetadata(bytes, { path }));
  expect(Buffer.from(again).toString("hex")).toBe(bytes.toString("hex"));
});

describe("a checkpoint written in format 1", () => {
  test.each(KINDS.flatMap((kind) => ["3", "2", "5"].map((parallelism) => ({ kind, parallelism }))))(
    "$kind, by a job of parallelism 3, goes on at $parallelism to the result of a run that was never interrupted",
    async ({ kind, parallelism }) => {
      const whole = await output({ "parallelism.default": "2" }, quietMachine());
      expect(whole).toHaveLength(14);
      const machine = quietMachine();
      const directory = load(kind, machine);
      const { metadata } = await drive(
        machine.platform,
        readSnapshot(directory, machine.platform.files),
      );
      expect(metadata.operatorStates.length).toBeGreaterThan(3);
      const settings = {
        "parallelism.default": parallelism,
        "execution.state-recovery.path": directory,
        "execution.state-recovery.claim-mode": "NO_CLAIM",
      };
      expect(await output(settings, machine)).toEqual(whole);
    },
  );
});
