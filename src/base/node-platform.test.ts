import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { nodePlatform } from "./node-platform.ts";

const { files } = nodePlatform();
let directory = "";

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "node-platform-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

test("below a file there is nothing", async () => {
  writeFileSync(join(directory, "file"), "");
  expect(await files.status(join(directory, "file/a"))).toBeUndefined();
});

describe("createDirectory", () => {
  test("creates what is missing, and does nothing when it is there", async () => {
    const path = join(directory, "a/b/c");
    await files.createDirectory(path);
    await files.createDirectory(path);
    expect(existsSync(path)).toBe(true);
  });

  test("two at once both succeed", async () => {
    const path = join(directory, "a/b/c");
    await Promise.all([files.createDirectory(path), files.createDirectory(path)]);
    expect(existsSync(path)).toBe(true);
  });

  test("fails where a file stands in the way", async () => {
    writeFileSync(join(directory, "file"), "");
    await expect(files.createDirectory(join(directory, "file"))).rejects.toThrow("EEXIST");
    await expect(files.createDirectory(join(directory, "file/a"))).rejects.toThrow("ENOTDIR");
  });

  test.skipIf(!existsSync("/proc"))("fails where a directory takes no names", async () => {
    await expect(files.createDirectory("/proc/nowhere/a")).rejects.toThrow("ENOENT");
  });
});
