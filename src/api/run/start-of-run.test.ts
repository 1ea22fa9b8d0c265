import { cp, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";

import { generatorSource } from "../../connectors/index.ts";
import { defineJob } from "../job-definition.ts";
import { runAsync } from "./run.ts";

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "cutwater-start-"));
});
afterEach(() => rm(root, { recursive: true }));

const counting = defineJob("counting", (env) => {
  env
    .fromSource(generatorSource((n) => n, { recordsPerSecond: 1000 }))
    .keyBy((n) => n % 3)
    .reduce((a, b) => a + b)
    .filter(() => false)
    .print();
});

const settings = (): Record<string, string> => ({
  "execution.checkpointing.dir": root,
  "execution.checkpointing.interval": "10 ms",
});

/** Runs the job until a checkpoint is complete, and stops it; its directory. */
async function stopAfterCheckpoint(): Promise<string> {
  let completed = (): void => undefined;
  const completion = new Promise<void>((resolve) => (completed = resolve));
  const onEnded = ({ status }: { status: string }): void => {
    if (status === "COMPLETED") completed();
  };
  const client = await runAsync(counting, settings(), { observers: [{ onEnded }] });
  await completion;
  await client.stop();
  await client.result;
  return client.directory ?? "";
}

test("a checkpoint that was completed and has lost its _metadata is named, and an older one taken only if asked for", async () => {
  const directory = await stopAfterCheckpoint();
  const [newest = ""] = (await readdir(directory)).filter((name) => name.startsWith("chk-"));
  const id = Number(newest.slice("chk-".length));
  await cp(join(directory, newest), join(root, "older"), { recursive: true });
  await rm(join(directory, newest, "_metadata"));
  await expect(runAsync(counting, settings())).rejects.toMatchObject({
    code: "CHECKPOINT_MISSING",
    details: { directory, checkpointId: id, newestId: undefined },
  });
  const named = { ...settings(), "execution.state-recovery.path": join(root, "older") };
  const client = await runAsync(counting, named);
  expect(client.startedFrom).toBe(join(root, "older"));
  await client.stop();
  await client.result;
});

test("asked for a fresh start, what an earlier life has completed is not missed, then or later", async () => {
  const directory = await stopAfterCheckpoint();
  for (const name of await readdir(directory))
    if (name.startsWith("chk-")) await rm(join(directory, name), { recursive: true });
  const client = await runAsync(counting, settings(), { fresh: true });
  client.cancel();
  await client.result;
  const again = await runAsync(counting, settings());
  await again.stop();
  await again.result;
});
