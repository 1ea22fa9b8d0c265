import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const examples = readdirSync(join(root, "examples")).filter((name) => name.endsWith(".ts"));

const modes: readonly (readonly [string, readonly string[]])[] = [
  ["as it is", []],
  ["in portable mode", ["-D", "cutwater.portable=true"]],
];
const runs = examples.flatMap((name) => modes.map(([mode, flags]) => [name, mode, flags] as const));

test.each(runs)("%s runs %s, and its own check of its result holds", (name, _mode, flags) => {
  const folder = mkdtempSync(join(tmpdir(), "cutwater-example-"));
  try {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [join(root, "dist/cli/main.js"), "run", ...flags, join(root, "examples", name)],
      { cwd: folder, encoding: "utf8", timeout: 100_000 },
    );
    expect({ status, output: status === 0 ? "" : `${stdout}${stderr}` }).toEqual({
      status: 0,
      output: "",
    });
    expect(readFileSync(join(root, "examples", name), "utf8")).toMatch(
      /^export (?:async )?function check\(/m,
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("the README lists every example", () => {
  const readme = readFileSync(join(root, "README.md"), "utf8");
  expect(examples.filter((name) => !readme.includes(`examples/${name}`))).toEqual([]);
});
