// Builds the package into dist/: declarations as the compiler writes them, and JavaScript in few files, because a process that starts pays for
// each (docs/decisions/0010-few-files-in-the-package.md).
import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

import { build } from "vite";

const root = fileURLToPath(new URL("..", import.meta.url));
const dist = join(root, "dist");
const next = join(root, "dist.next");
const bundled = join(root, "dist.bundled");
rmSync(next, { recursive: true, force: true });
const compiler = join(root, "node_modules", "typescript", "bin", "tsc");
const { status } = spawnSync(
  process.execPath,
  [compiler, "-p", join(root, "tsconfig.json"), "--outDir", next],
  { stdio: "inherit" },
);
if (status !== 0) process.exit(status ?? 1);

await bundle();
await bundlePage();
writeFileSync(join(bundled, ".built"), "");
if (existsSync(dist)) rmSync(dist, { recursive: true });
renameSync(bundled, dist);
rmSync(next, { recursive: true });

/** Puts the JavaScript of `next` into few files, beside the declarations. */
async function bundle() {
  const files = filesBelow(next);
  const scripts = files.filter((path) => path.endsWith(".js"));
  const input = Object.fromEntries(
    scripts.filter(isEntry).map((path) => [relative(next, path).slice(0, -".js".length), path]),
  );
  await build({
    configFile: false,
    logLevel: "warn",
    root: next,
    build: {
      ssr: true,
      outDir: bundled,
      emptyOutDir: true,
      minify: false,
      target: "node20",
      rolldownOptions: {
        input,
        external: (id) => !/^[./]/.test(id),
        preserveEntrySignatures: "allow-extension",
        output: {
          entryFileNames: "[name].js",
          // One level below dist/, as every module is: relative addresses in them hold.
          chunkFileNames: "chunks/[name]-[hash].js",
          // Who imports an instance of its own of a module finds its exports by their names.
          minifyInternalExports: false,
          // V8 folds what a module's constants are; a `var` it loads each time (an eighth of the engine's speed).
          topLevelVar: false,
        },
      },
    },
  });
  for (const path of files.filter((file) => /\.d\.ts(?:\.map)?$/.test(file))) {
    const target = join(bundled, relative(next, path));
    mkdirSync(dirname(target), { recursive: true });
    renameSync(path, target);
  }
}

/** Puts the browser's page beside the code that serves it. */
async function bundlePage() {
  const outDir = join(bundled, "dashboard");
  await build({ configFile: join(root, "dashboard", "vite.config.ts"), build: { outDir } });
}

/** Files that are found by their path: doors, the command, and modules that are imported by their own address. */
function isEntry(path) {
  if (/[\\/](?:index|main|job-hooks-thread|slot-worker)\.js$/.test(path)) return true;
  return (
    !relative(next, path).startsWith("cli") &&
    readFileSync(path, "utf8").includes("import.meta.url")
  );
}

function filesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(path) : [path];
  });
}
