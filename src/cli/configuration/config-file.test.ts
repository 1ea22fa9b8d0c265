import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";

import { nodePlatform } from "../../base/index.ts";
import { type ConfigFile, readConfigFile } from "./config-file.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "cutwater-config-"));
});
afterEach(() => rm(folder, { recursive: true }));

async function read(text: string, name = "config.yaml"): Promise<ConfigFile> {
  await writeFile(join(folder, name), text);
  const file = await readConfigFile(join(folder, name), nodePlatform().files);
  const short = (line: string): string => line.replace(`${folder}/`, "");
  return {
    entries: file.entries.map((entry) => ({ ...entry, place: short(entry.place) })),
    warnings: file.warnings.map(short),
  };
}

test("nested and flat keys are the same, each with line and column of its value", async () => {
  const { entries } = await read(
    "execution:\n  checkpointing:\n    interval: 10 s\nparallelism.default: 4\n",
  );
  expect(entries).toEqual([
    {
      key: "execution.checkpointing.interval",
      value: "10 s",
      origin: "file",
      place: "config.yaml:3:15",
    },
    { key: "parallelism.default", value: "4", origin: "file", place: "config.yaml:4:22" },
  ]);
});

test("a value is the text that stands there, whatever YAML would make of it", async () => {
  const { entries } = await read("a: 1e3\nb: yes\nc: \"0x10\"\nd: 2026-11-30\ne: [x, 'y z']\n");
  expect(entries.map(({ value }) => value)).toEqual(["1e3", "yes", "0x10", "2026-11-30", "x;y z"]);
});

test("a key without a value is passed over with a warning", async () => {
  expect(await read("a:\n  b:\n")).toEqual({
    entries: [],
    warnings: ["config.yaml:2:3: passed over: a.b has no value"],
  });
});

test("broken YAML is refused with line and column", async () => {
  await expect(read("a: 1\nb: [1, 2\nc: 3\n")).rejects.toMatchObject({
    code: "CONFIGURATION_UNREADABLE",
    message: expect.stringMatching(/config\.yaml:\d+:\d+ cannot be read: /),
  });
  await expect(read("a: 1\na: 2\n")).rejects.toThrow(
    "config.yaml:2:1 cannot be read: Map keys must be unique",
  );
  await expect(read("just words\n")).rejects.toThrow(
    "config.yaml:1:1 cannot be read: expected keys and values",
  );
});

test("an empty file says nothing, and one that is not there is refused", async () => {
  expect(await read("# nothing\n")).toEqual({ entries: [], warnings: [] });
  await expect(
    readConfigFile(join(folder, "nowhere.yaml"), nodePlatform().files),
  ).rejects.toMatchObject({
    code: "CONFIGURATION_UNREADABLE",
  });
});

test("flink-conf.yaml is read line by line, as Flink 1.x does, and what it drops is told", async () => {
  expect(await read("a.b: 'x'\nc:d\n", "flink-conf.yaml")).toEqual({
    entries: [{ key: "a.b", value: "'x'", origin: "file", place: "flink-conf.yaml:1" }],
    warnings: [expect.stringMatching(/^flink-conf\.yaml:2: passed over: not a "key: value" pair/)],
  });
});
