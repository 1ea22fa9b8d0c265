import { existsSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

import { build } from "vite";

/** Builds the page into a temporary folder. */
export async function buildPage(): Promise<string> {
  const outDir = await mkdtemp(join(tmpdir(), "cutwater-page-"));
  const configFile = fileURLToPath(new URL("../../../dashboard/vite.config.ts", import.meta.url));
  await build({ configFile, build: { outDir, emptyOutDir: true } });
  return outDir;
}

/** Where a Chromium is; undefined if there is none. */
export function findChromium(): string | undefined {
  const given = process.env["CHROMIUM_PATH"];
  if (given !== undefined) return given;
  const names = ["chromium", "chromium-browser", "google-chrome"];
  return (process.env["PATH"] ?? "")
    .split(delimiter)
    .flatMap((folder) => names.map((name) => join(folder, name)))
    .find((path) => existsSync(path));
}

export const CHROMIUM_ARGUMENTS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-dev-shm-usage",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
