import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";

import { runCli } from "../cli-harness.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "cutwater-lint-"));
});
afterEach(() => rm(folder, { recursive: true }));

async function config(text: string): Promise<string> {
  const path = join(folder, "config.yaml");
  await writeFile(path, text);
  return path;
}

test("findings come with line and column, and an error gives code 1", async () => {
  const path = await config("heartbeat.timeout: 50 secs\nheartbeat.interval: 10 sekunden\n");
  const result = await runCli("lint", "--flink", "2.3", path);
  expect(result).toMatchObject({ exitCode: 1, stderr: "" });
  expect(result.stdout).toContain(`${path}:2:21: error: heartbeat.interval: `);
  const chinese = await runCli("lint", "--flink", "2.3", "--lang", "zh", path);
  expect(chinese.stdout).toMatch(/错误[^]*请?/u);
  const { stdout } = await runCli("lint", "--flink", "2.3", "--json", path);
  expect(JSON.parse(stdout)).toMatchObject({ version: 1, findings: [{ code: "wrong-value" }] });
});

test("warnings are no errors unless they shall be", async () => {
  const path = await config("heartbeat.timeout: 50000\nakka.framesize: 20971520b\n");
  expect((await runCli("lint", "--flink", "1.20", path)).exitCode).toBe(0);
  expect((await runCli("lint", "--flink", "1.20", "--strict", path)).exitCode).toBe(1);
});

test("the mended file is printed, or written", async () => {
  const path = await config("heartbeat.timeout: 50 secs # ours\nakka.framesize: 20 MiB\n");
  const printed = await runCli("lint", "--flink", "1.20", "--print", path);
  expect(printed.stdout).toBe("heartbeat.timeout: 50 secs # ours\npekko.framesize: 20 MiB\n");
  expect(printed.stderr).toContain("key-renamed");
  expect(await readFile(path, "utf8")).toContain("akka");
  expect((await runCli("lint", "--flink", "1.20", "--fix", path)).exitCode).toBe(0);
  expect(await readFile(path, "utf8")).toBe(printed.stdout);
});

test("what is no release and what cannot be read is refused", async () => {
  const path = await config("a: [\n");
  expect((await runCli("lint", "--flink", "1.20", path)).exitCode).toBe(3);
  expect((await runCli("lint", "--flink", "new", path)).stderr).toContain("no release");
  const missing = await runCli("lint", "--flink", "1.20", join(folder, "nowhere.yaml"));
  expect(missing).toMatchObject({ exitCode: 3, stdout: "" });
});
