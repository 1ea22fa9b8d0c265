import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";

import { nodePlatform } from "../../base/index.ts";
import { decideLiveness, nodeProcessTable, type ProcessIdentity } from "./process-identity.ts";

const own: ProcessIdentity = {
  pid: 1,
  host: "blue",
  startTicks: "500",
  bootId: "boot-1",
  pidNamespace: 10,
};

test("pid 1 of a container that was there before is dead, although this process has pid 1 too", () => {
  const before = { ...own, startTicks: "100" };
  expect(decideLiveness(before, own, { startTicks: "500", isEnded: false })).toBe("dead");
});

test("a process whose pid another one has now is dead", () => {
  const seen = { startTicks: "900", isEnded: false };
  expect(decideLiveness({ ...own, pid: 77, startTicks: "300" }, own, seen)).toBe("dead");
});

test("a process with its own pid and start lives, and is dead once it only waits to be reaped", () => {
  const other = { ...own, pid: 77, startTicks: "300" };
  expect(decideLiveness(other, own, { startTicks: "300", isEnded: false })).toBe("alive");
  expect(decideLiveness(other, own, { startTicks: "300", isEnded: true })).toBe("dead");
  expect(decideLiveness(other, own, undefined)).toBe("dead");
});

test("what ran before the machine was booted is dead, and of another machine nothing is known", () => {
  const seen = { startTicks: "500", isEnded: false };
  expect(decideLiveness({ ...own, bootId: "boot-0" }, own, seen)).toBe("dead");
  expect(decideLiveness({ ...own, bootId: "boot-9", host: "red" }, own, seen)).toBe("unknown");
});

test("of a process in another container of this machine nothing is known, whatever has its pid here", () => {
  const elsewhere = { ...own, pidNamespace: 11, host: "3f2a" };
  expect(decideLiveness(elsewhere, own, { startTicks: "500", isEnded: false })).toBe("unknown");
  expect(decideLiveness(elsewhere, own, undefined)).toBe("unknown");
});

test("where processes cannot be looked at, a pid without a process is dead, and one with a process is unknown", () => {
  const plain = { ...own, startTicks: undefined, bootId: undefined, pidNamespace: undefined };
  expect(decideLiveness({ ...plain, pid: 77 }, plain, undefined)).toBe("dead");
  expect(decideLiveness({ ...plain, pid: 77 }, plain, "unseen")).toBe("unknown");
});

test("a real process is alive until it is killed", async () => {
  const { files } = nodePlatform();
  const table = nodeProcessTable(files);
  const child = spawn(process.execPath, ["-e", "process.stdin.resume()"], { stdio: "pipe" });
  await once(child, "spawn");
  const self = await table.own();
  const stat = new TextDecoder().decode(await files.read(`/proc/${child.pid}/stat`));
  const identity = { ...self, pid: child.pid ?? 0, startTicks: stat.split(" ")[21] };
  expect(await table.livenessOf(self)).toBe("alive");
  expect(await table.livenessOf(identity)).toBe("alive");
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(await table.livenessOf(identity)).toBe("dead");
});
