// Makes a fresh clone ready: installs from the lock and builds, if that is not done yet. Plain JavaScript without
// dependencies, because it runs before there are any.
import { spawnSync } from "node:child_process";
import { existsSync, lstatSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const MIN_NODE = [20, 19];

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < MIN_NODE[0] || (major === MIN_NODE[0] && minor < MIN_NODE[1])) {
  console.error(
    `Cutwater needs Node ${MIN_NODE.join(".")} or newer; this is ${process.versions.node}.`,
  );
  process.exit(1);
}

/** Runs a command in the repository; its output is shown only if it fails. */
function step(title, command, args) {
  process.stderr.write(`${title} ...`);
  const result = spawnSync(command, args, { cwd: root, encoding: "utf8" });
  if (result.status === 0) return process.stderr.write(" done\n");
  process.stderr.write(` failed\n${result.stdout}${result.stderr}${result.error ?? ""}\n`);
  process.exit(1);
}

/** The newest change below a folder, in ms since the epoch. */
function newestChange(folder, matches) {
  let newest = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) newest = Math.max(newest, newestChange(path, matches));
    else if (matches(entry.name)) newest = Math.max(newest, statSync(path).mtimeMs);
  }
  return newest;
}

const changedAt = (path) => (existsSync(path) ? statSync(path).mtimeMs : 0);
const modules = join(root, "node_modules");
const installedAt = changedAt(join(modules, ".package-lock.json"));
// What a link leads to belongs to somebody else, and installing would empty it.
const isLinked = lstatSync(modules, { throwIfNoEntry: false })?.isSymbolicLink() === true;
if (!isLinked && installedAt < changedAt(join(root, "package-lock.json"))) {
  step("Installing dependencies from the lock", "npm", ["ci", "--no-audit", "--no-fund"]);
}

const sourcesAt = Math.max(
  newestChange(join(root, "src"), (name) => name.endsWith(".ts") && !name.endsWith(".test.ts")),
  newestChange(join(root, "dashboard"), (name) => !/\.(?:test\.tsx?|md)$/.test(name)),
  changedAt(join(root, "tsconfig.json")),
);
if (changedAt(join(root, "dist", ".built")) < sourcesAt) {
  step("Building", process.execPath, [join(root, "scripts", "build.mjs")]);
}
