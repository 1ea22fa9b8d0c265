import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, normalize } from "node:path";
import { describe, expect, test } from "vitest";

import { ERRORS } from "../src/base/index.ts";

/** A module may import itself and modules of a lower rank. ARCHITECTURE.md says what each holds. */
const RANK: Readonly<Record<string, number>> = {
  base: 0,
  serde: 1,
  state: 2,
  checkpoint: 3,
  stage: 3,
  operators: 4,
  flink: 4,
  doctor: 5,
  graph: 5,
  connectors: 5,
  loader: 5,
  runtime: 6,
  api: 7,
  testing: 8,
  "flink-worker": 8,
  server: 8,
  cli: 9,
  /** The package's doors. */
  "": 10,
};

/** Modules that import no npm package, so that the engine has no dependency. */
const ENGINE = [
  "base",
  "serde",
  "state",
  "checkpoint",
  "stage",
  "operators",
  "graph",
  "runtime",
  "api",
];

const MAX_LINES = 400;
const MAX_FILES_IN_FOLDER = 20;

/** Over the limit when the rule arrived, with the length of then: it may only fall. Tables of data are named with the reason. */
const LONG_FILES: Readonly<Record<string, number>> = {
  "src/base/error-codes.ts": Number.POSITIVE_INFINITY, // one table of all codes
  "src/state/heap/heap-states.ts": 835, // imported once per operator as a whole: what it imported would be shared by all
  "src/operators/source-operator.ts": 410, // the same, once per source
  "src/runtime/task/task.ts": 440, // one status machine and the turns that it allows
  "src/runtime/task/subtask-checkpoint.ts": 450, // the phases of one snapshot, in Flink's order
  "src/runtime/job/job-master.ts": 440, // the one place where restarts, deployments and stops meet
  "src/api/run/run.ts": 420, // the life of a run around a job: lock, state, start, stop
  "src/api/data-stream.ts": 1020, // each kind of stream makes the others: in files of their own they would be a cycle
};

const FULL_FOLDERS: Readonly<Record<string, number>> = {
  "src/base": 40, // one file per small concept, all of them at the bottom
};

interface SourceFile {
  readonly path: string;
  readonly text: string;
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(path) : [path];
  });
}

const sources: readonly SourceFile[] = filesBelow("src")
  .filter((path) => path.endsWith(".ts"))
  .map((path) => ({ path, text: readFileSync(path, "utf8") }));
const production = sources.filter(({ path }) => !path.endsWith(".test.ts"));
const tests: readonly SourceFile[] = [
  ...sources.filter(({ path }) => path.endsWith(".test.ts")),
  ...filesBelow("test")
    .filter((path) => path.endsWith(".ts"))
    .map((path) => ({ path, text: readFileSync(path, "utf8") })),
];

function moduleOf(path: string): string {
  const parts = path.split("/");
  return parts.length > 2 ? (parts[1] ?? "") : "";
}

function rankOf(path: string): number {
  return RANK[moduleOf(path)] ?? Number.NaN;
}

function importsOf({ path, text }: SourceFile): readonly { specifier: string; target: string }[] {
  const specifiers = [...text.matchAll(/(?:from|import)\s*\(?\s*"([^"\n;]+)"/g)].map(
    (match) => match[1] ?? "",
  );
  return specifiers.map((specifier) => ({
    specifier,
    target: specifier.startsWith(".") ? normalize(join(dirname(path), specifier)) : specifier,
  }));
}

/** Comments do not count: they may name what the code must not use. */
function code(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\//g, "").replaceAll(/(^|\s)\/\/.*$/gm, "$1");
}

describe("layers", () => {
  test("every module has a rank", () => {
    expect(
      production.filter(({ path }) => Number.isNaN(rankOf(path))).map(({ path }) => path),
    ).toEqual([]);
  });

  test("modules import only lower modules, types included", () => {
    const violations = production.flatMap((source) =>
      importsOf(source)
        .filter(({ specifier, target }) => specifier.startsWith(".") && target.startsWith("src/"))
        .filter(
          ({ target }) =>
            moduleOf(target) !== moduleOf(source.path) && !(rankOf(target) < rankOf(source.path)),
        )
        .map(({ target }) => `${source.path} imports ${target}`),
    );
    expect(violations).toEqual([]);
  });

  test("across modules imports go through index.ts, within a module never", () => {
    const violations = production.flatMap((source) =>
      importsOf(source)
        .filter(({ specifier }) => specifier.startsWith("."))
        .filter(({ target }) => {
          const isOwn = moduleOf(target) === moduleOf(source.path);
          const isIndex = basename(target) === "index.ts" && target.split("/").length === 3;
          return isOwn ? isIndex : !isIndex;
        })
        .filter(() => moduleOf(source.path) !== "")
        .map(({ target }) => `${source.path} imports ${target}`),
    );
    expect(violations).toEqual([]);
  });

  test("the engine imports no package", () => {
    const violations = production
      .filter(({ path }) => ENGINE.includes(moduleOf(path)))
      .flatMap((source) =>
        importsOf(source)
          .filter(({ specifier }) => !specifier.startsWith(".") && !specifier.startsWith("node:"))
          .map(({ specifier }) => `${source.path} imports ${specifier}`),
      );
    expect(violations).toEqual([]);
  });
});

describe("determinism", () => {
  test("only the node platform touches clock, timers, chance and files", () => {
    const forbidden =
      /\bDate\.now\b|\bnew Date\(\)|\bsetTimeout\b|\bsetInterval\b|\bsetImmediate\b|\bMath\.random\b|\bperformance\.now\b|"node:fs|"node:crypto"|\bprocess\.hrtime\b/;
    const violations = production
      .filter(({ path }) => path !== "src/base/node-platform.ts")
      .filter(({ path }) => !path.startsWith("src/cli/"))
      // Module hooks run before and outside of any job, and synchronously.
      .filter(({ path }) => !path.startsWith("src/loader/"))
      .filter(({ text }) => forbidden.test(code(text)))
      .map(({ path, text }) => `${path}: ${forbidden.exec(code(text))?.[0]}`);
    expect(violations).toEqual([]);
  });
});

describe("shape", () => {
  test("files stay short", () => {
    const long = production
      .map(({ path, text }) => ({ path, lines: text.split("\n").length - 1 }))
      .filter(({ path, lines }) => lines > (LONG_FILES[path] ?? MAX_LINES))
      .map(({ path, lines }) => `${path}: ${lines} lines`);
    expect(long).toEqual([]);
  });

  test("folders stay small", () => {
    const counts = new Map<string, number>();
    for (const { path } of production)
      counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
    const full = [...counts]
      .filter(([folder, count]) => count > (FULL_FOLDERS[folder] ?? MAX_FILES_IN_FOLDER))
      .map(([folder, count]) => `${folder}: ${count} files`);
    expect(full).toEqual([]);
  });

  test("names say what a file is", () => {
    const vague = ["types", "utils", "util", "common", "helpers", "constants", "misc"];
    expect(
      production
        .filter(({ path }) => vague.includes(basename(path, ".ts")))
        .map(({ path }) => path),
    ).toEqual([]);
    const notKebab = sources.filter(
      ({ path }) => !/^[a-z0-9-]+(\.test)?\.ts$/.test(basename(path)),
    );
    expect(notKebab.map(({ path }) => path)).toEqual([]);
  });

  test("one word for one thing", () => {
    const forbidden = /\b(?:acks?|acking|shards?|backups?)\b/i;
    const violations = production
      .filter(({ path }) => !path.startsWith("src/doctor/"))
      .filter(({ text }) => forbidden.test(code(text).replaceAll(/"[^"]*"|`[^`]*`|'[^']*'/g, "")))
      .map(({ path }) => path);
    expect(violations).toEqual([]);
  });
});

describe("honesty", () => {
  test("no unfinished work without an issue, no test left out", () => {
    const unfinished = [...sources, ...tests].filter(({ path, text }) => {
      if (path === "test/tidy.test.ts") return false;
      return /\b(?:TODO|FIXME)\b(?!\(#\d+\))|\b(?:it|test|describe)\.only\b/.test(text);
    });
    expect(unfinished.map(({ path }) => path)).toEqual([]);
  });

  test("nothing prints but the command line and the print sink", () => {
    const printing = production
      .filter(({ path }) => !path.startsWith("src/cli/"))
      .filter(({ text }) => /\bconsole\.\w+\(/.test(code(text)));
    expect(printing.map(({ path }) => path)).toEqual([]);
  });

  test("every error code is produced by a test", () => {
    const text = tests.map((source) => source.text).join("\n");
    expect(Object.keys(ERRORS).filter((name) => !text.includes(name))).toEqual([]);
  });
});
