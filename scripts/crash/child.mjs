// Runs a job in this process and tells its parent, over descriptor 3, what it is doing: a letter at each change.
//
//   R restoring   . running   T triggered   S writing state   M writing _metadata   C committing   F finished
import { writeSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";

import { nodePlatform } from "../../dist/base/index.js";
import { runAsync } from "../../dist/index.js";
import { loadJob } from "../../dist/loader/index.js";

const { values, positionals } = parseArgs({
  options: { set: { type: "string", short: "D", multiple: true } },
  allowPositionals: true,
});
const [jobFile, ...jobArguments] = positionals;

let phase = "";
function enter(next) {
  if (next === phase) return;
  phase = next;
  writeSync(3, next);
}

/** What an operation on this path says about what the process does. */
function phaseOf(operation, path) {
  if (/chk-\d+.*_metadata/.test(path)) return operation === "read" ? undefined : "M";
  if (/chk-\d+\/[0-9a-f-]{30,}/.test(path)) return operation === "create" ? "S" : undefined;
  if (/\.pending-/.test(path) && operation === "rename") return "C";
  return undefined;
}

const platform = nodePlatform();
const { files } = platform;
const observed = {
  ...files,
  async open(path, mode) {
    const next = mode === "read" ? undefined : phaseOf(mode, path);
    if (next !== undefined) enter(next);
    return await files.open(path, mode);
  },
  async rename(from, to) {
    const next = phaseOf("rename", from);
    if (next !== undefined) enter(next);
    await files.rename(from, to);
    if (next === "C") enter(".");
  },
};

let client;
let isStopping = false;
process.on("SIGTERM", () => {
  isStopping = true;
  void client?.stop();
});

enter("R");
const { job } = await loadJob(jobFile, files);
client = await runAsync(
  job,
  Object.fromEntries((values.set ?? []).map((setting) => setting.split(/=(.*)/s).slice(0, 2))),
  {
    jobArguments,
    jobModule: resolve(jobFile),
    platform: { ...platform, files: observed },
    onStatus: (status) => {
      if (status === "RUNNING") enter(".");
    },
    observers: [
      {
        onTriggered: () => enter("T"),
        onEnded: ({ status }) => enter(status === "COMPLETED" ? "C" : "."),
      },
    ],
  },
);
if (isStopping) void client.stop();
const { status } = await client.result;
if (status === "FINISHED") enter("F");
