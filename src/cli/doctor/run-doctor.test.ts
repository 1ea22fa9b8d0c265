import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";

import { runCli } from "../cli-harness.ts";
import { reportLanguage } from "./report-language.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "cutwater-doctor-"));
});
afterEach(() => rm(folder, { recursive: true }));

const LOG = `2026-11-30 10:00:00,000 INFO  org.apache.flink.runtime.checkpoint.CheckpointCoordinator [] - Triggering checkpoint 7 (type=CheckpointType{name='Checkpoint', sharingFilesStrategy=FORWARD_BACKWARD}) @ 1796032800000 for job 00000000000000000000000000000001.
2026-11-30 10:00:01,000 INFO  org.apache.flink.runtime.checkpoint.CheckpointCoordinator [] - Completed checkpoint 7 for job 00000000000000000000000000000001 (1024 bytes, checkpointDuration=1000 ms, finalizationTime=1 ms).
`;

test("a log that is well gives code 0, in words and as JSON", async () => {
  const path = join(folder, "jobmanager.log");
  await writeFile(path, LOG);
  const words = await runCli("doctor", path);
  expect(words).toMatchObject({ exitCode: 0, stderr: "" });
  expect(words.stdout).not.toContain("\u001B");
  const { stdout } = await runCli("doctor", "--json", path);
  expect(JSON.parse(stdout)).toMatchObject({ verdict: "healthy" });
});

test("the page is written beside the report; where it cannot be, that is said", async () => {
  const log = join(folder, "jobmanager.log");
  const page = join(folder, "report.html");
  await writeFile(log, LOG);
  await writeFile(page, "x".repeat(100_000));
  expect(await runCli("doctor", "--html", page, log)).toMatchObject({ exitCode: 0, stderr: "" });
  expect((await readFile(page, "utf8")).trimEnd()).toMatch(/^<!doctype html>[^]*<\/html>$/u);
  const refused = await runCli("doctor", "--html", join(folder, "no", "page.html"), log);
  expect(refused).toMatchObject({ exitCode: 3, stdout: "" });
  expect(refused.stderr).toContain("page.html cannot be written");
});

test("what cannot be read is named, and code 3 if that is all", async () => {
  const result = await runCli("doctor", join(folder, "nowhere.log"));
  expect(result).toMatchObject({ exitCode: 3, stdout: "" });
  expect(result.stderr).toContain("nowhere.log");
});

test("two environments are compared; nothing else goes with it", async () => {
  const [left, right] = [join(folder, "a.yaml"), join(folder, "b.yaml")];
  await writeFile(left, "execution.checkpointing.timeout: 10 min\n");
  await writeFile(right, "execution.checkpointing.timeout: 1 min\n");
  const result = await runCli("doctor", "--compare", left, right);
  expect(result).toMatchObject({ exitCode: 1, stderr: "" });
  expect(result.stdout).toContain("A: 10 min");
  expect((await runCli("doctor", "--compare", left, left)).exitCode).toBe(0);
  for (const misuse of [[left], [left, right, "--follow"], [left, right, "--html", "x"]])
    expect((await runCli("doctor", "--compare", ...misuse)).exitCode).toBe(3);
  expect((await runCli("doctor", "--follow", "-")).stderr).toContain("cannot be followed");
});

test("the doctor without an input is bad usage", async () => {
  expect((await runCli("doctor")).exitCode).toBe(3);
});

test("a cause is explained in either language; a slip names the nearest", async () => {
  const english = await runCli("explain", "backpressure-slow-operator");
  const chinese = await runCli("explain", "backpressure-slow-operator", "--lang", "zh");
  expect(english).toMatchObject({ exitCode: 0, stderr: "" });
  expect(english.stdout).toMatch(/^backpressure-slow-operator: /);
  expect(chinese.stdout).toMatch(/\p{Script=Han}/u);
  expect((await runCli("explain")).stdout.split("\n").length).toBeGreaterThan(20);
  const slip = await runCli("explain", "backpresure-slow-operator");
  expect(slip).toMatchObject({ exitCode: 3, stdout: "" });
  expect(slip.stderr).toContain("Did you mean backpressure-slow-operator?");
});

test("the language is the one asked for, else that of the environment", () => {
  expect(reportLanguage("zh", { LANG: "en_GB.UTF-8" })).toBe("zh");
  expect(reportLanguage(undefined, { LANG: "zh_CN.UTF-8" })).toBe("zh");
  expect(reportLanguage(undefined, { LANG: "zh_CN.UTF-8", LC_ALL: "C" })).toBe("en");
  expect(reportLanguage(undefined, {})).toBe("en");
});
