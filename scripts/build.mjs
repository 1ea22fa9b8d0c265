// Builds the package into dist/: one JavaScript file per source file.
import { spawnSync } from "node:child_process";
import { existsSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const dist = join(root, "dist");
const next = join(root, "dist.next");
rmSync(next, { recursive: true, force: true });
const compiler = join(root, "node_modules", "typescript", "bin", "tsc");
const { status } = spawnSync(
  process.execPath,
  [compiler, "-p", join(root, "tsconfig.json"), "--outDir", next],
  { stdio: "inherit" },
);
if (status !== 0) process.exit(status ?? 1);
writeFileSync(join(next, ".built"), "");
if (existsSync(dist)) rmSync(dist, { recursive: true });
renameSync(next, dist);
