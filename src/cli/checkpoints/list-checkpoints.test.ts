import { cp, mkdir, mkdtemp, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { existsSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";

import { runCli } from "../cli-harness.ts";

const golden = fileURLToPath(new URL("../../../test/golden/flink-metadata/", import.meta.url));
const shared = fileURLToPath(new URL("../../../../shared/", import.meta.url));
const inline = "table-stream-exec-sink_2__sink-upsert__savepoint";
const withFiles = "new-stateful-udf-migration-itcase-flink2.2-hashmap-checkpoint";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "cutwater-checkpoints-"));
});
afterEach(() => rm(folder, { recursive: true }));

const lines = (text: string): readonly string[] => text.split("\n").filter((line) => line !== "");
const json = (text: string): readonly unknown[] =>
  lines(text).map((line): unknown => JSON.parse(line));

test("the facts of a snapshot are one line of JSON under fixed names, from its folder and from its _metadata alike", async () => {
  const truth = json(await readFile(join(golden, "facts.jsonl"), "utf8"));
  const ofFolder = await runCli("checkpoints", "--json", join(golden, inline));
  const ofFile = await runCli("checkpoints", "--json", join(golden, inline, "_metadata"));
  expect(json(ofFolder.stdout)).toEqual([expect.objectContaining({ snapshot: inline })]);
  expect(truth).toContainEqual(json(ofFolder.stdout)[0]);
  expect(ofFile.stdout).toBe(ofFolder.stdout);
  expect(ofFolder).toMatchObject({ exitCode: 0, stderr: "" });
});

test("a single checkpoint is explained with its operators, and its missing files are named", async () => {
  const result = await runCli("checkpoints", join(golden, withFiles));
  await expect(result.stdout.replaceAll(golden, "<folder>/")).toMatchFileSnapshot(
    "../../../test/golden/cli/checkpoints.txt",
  );
  expect(result.stderr).toContain(": missing (");
  expect(result.exitCode).toBe(1);
});

test("a directory of checkpoints gives a line for each, the incomplete and the damaged one named", async () => {
  await cp(join(golden, inline), join(folder, "job", "chk-3"), { recursive: true });
  await cp(join(golden, inline), join(folder, "job", "chk-4"), { recursive: true });
  await truncate(join(folder, "job", "chk-4", "_metadata"), 100);
  await mkdir(join(folder, "job", "chk-5"));
  const result = await runCli("checkpoints", folder);
  expect(result.exitCode).toBe(1);
  expect(lines(result.stdout)[0]).toContain("chk-3: ");
  expect(lines(result.stderr)).toEqual([
    expect.stringContaining("chk-4/_metadata is not a valid _metadata file"),
    expect.stringContaining("caused by MalformedBytesError"),
    expect.stringContaining("What to do: "),
    expect.stringContaining("chk-5: incomplete"),
  ]);
});

test("a folder without checkpoints, a path without anything, and a file that is none are refused", async () => {
  await writeFile(join(folder, "notes.txt"), "hello");
  expect(await runCli("checkpoints", folder)).toMatchObject({ exitCode: 3, stdout: "" });
  const nowhere = await runCli("checkpoints", join(folder, "nowhere"));
  expect(nowhere.exitCode).toBe(3);
  expect(nowhere.stderr).toContain("there is no such file or directory");
  const file = await runCli("checkpoints", join(folder, "notes.txt"));
  expect(file.exitCode).toBe(1);
  expect(file.stderr).toContain("notes.txt is not a valid _metadata file");
});

test.skipIf(!existsSync(join(shared, "flink-snapshots-truth.jsonl")))(
  "all snapshots that Flink's own reader was run on give the same facts",
  async () => {
    const truth = json(readFileSync(join(shared, "flink-snapshots-truth.jsonl"), "utf8"));
    const result = await runCli("checkpoints", "--json", join(shared, "flink-snapshots"));
    const bySnapshot = new Map(json(result.stdout).map((facts) => [nameOf(facts), facts]));
    expect(bySnapshot.size).toBe(349);
    for (const facts of truth) expect(bySnapshot.get(nameOf(facts))).toEqual(facts);
  },
);

function nameOf(facts: unknown): string {
  return (facts as { readonly snapshot: string }).snapshot;
}
