import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

import type * as Sucrase from "sucrase";

/**
 * TypeScript to JavaScript for the user's files, kept by content so that only the first start pays for the transformation.
 *
 * @remarks
 * Types are dropped and nothing is checked, as Node itself does it from 22.18 on. Every statement keeps its line, so a stack trace of the
 * result is one of the source. Docs: docs/decisions/0009-typescript-job-files.md.
 */

/** Part of the cache's keys: raise it when the transformation changes. */
const CACHE_VERSION = "sucrase-3.35.1 1";

/**
 * @param path - Where the source lies; for messages and to find the cache.
 * @throws SyntaxError naming path, line and column.
 */
export function transformTypeScript(source: string, path: string): string {
  const cached = cachePath(source, path);
  try {
    return readFileSync(cached, "utf8");
  } catch {
    // Not there yet, or not readable: it is made anew.
  }
  const result = transform(source, path);
  try {
    mkdirSync(dirname(cached), { recursive: true });
    const written = `${cached}.${process.pid}`;
    writeFileSync(written, result);
    renameSync(written, cached);
  } catch {
    // A cache that cannot be written costs time at the next start, and nothing else.
  }
  return result;
}

function transform(source: string, path: string): string {
  // Only where something must be transformed: it takes as long to import as Node to start.
  const { transform: sucrase } = createRequire(import.meta.url)("sucrase") as typeof Sucrase;
  try {
    return sucrase(source, {
      transforms: ["typescript"],
      disableESTransforms: true,
      preserveDynamicImport: true,
    }).code;
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    const place = /\((\d+):(\d+)\)\s*$/.exec(text);
    throw place === null
      ? new SyntaxError(`${path}: ${text}`)
      : new SyntaxError(
          `${path}:${place[1]}:${place[2]}: ${text
            .slice(0, place.index)
            .replace(/^Error transforming [^:]*: /, "")
            .trim()}`,
        );
  }
}

function cachePath(source: string, path: string): string {
  const key = createHash("sha256").update(CACHE_VERSION).update("\0").update(source).digest("hex");
  return join(cacheFolder(dirname(path)), `${key.slice(0, 32)}.js`);
}

const folders = new Map<string, string>();

/** Beside the packages of the project that the file belongs to; without such, in the working directory. */
function cacheFolder(directory: string): string {
  let folder = folders.get(directory);
  if (folder === undefined) {
    folder = findCacheFolder(directory);
    folders.set(directory, folder);
  }
  return folder;
}

function findCacheFolder(directory: string): string {
  let ancestor = directory;
  for (;;) {
    const packages = join(ancestor, "node_modules");
    if (existsSync(packages)) return join(packages, ".cache", "cutwater");
    const parent = dirname(ancestor);
    if (parent === ancestor) return join(process.cwd(), ".cutwater", ".cache");
    ancestor = parent;
  }
}
