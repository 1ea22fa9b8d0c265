import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

import { describe, expect, test } from "vitest";

const SCRIPT = fileURLToPath(new URL("../../scripts/simulate.mjs", import.meta.url));

function simulate(...inputs: readonly string[]): {
  readonly status: number | null;
  readonly output: string;
} {
  const { status, stdout } = spawnSync(process.execPath, [SCRIPT, ...inputs], { encoding: "utf8" });
  return { status, output: stdout };
}

describe("npm run simulate", () => {
  test("nothing is lost and nothing is published twice in 200 seeds, nor in those that once failed", () => {
    const { status, output } = simulate("--seeds", "200");
    expect(output).toMatch(
      /^\d+ runs \(\d+ of them seeds that once failed\): 0 lost, 0 duplicated; .* 0 bad$/m,
    );
    expect(status).toBe(0);
  }, 600_000);

  test("a seed takes the same steps again, whatever ran before it in the process", () => {
    const alone = simulate("--seed", "17", "--verbose").output.split("\n")[0];
    const among = simulate("--seed", "5", "--seeds", "20", "--workers", "1", "--verbose").output;
    expect(alone).toContain("seed 17: 0 lost");
    expect(among.split("\n")).toContain(alone);
  });
});
