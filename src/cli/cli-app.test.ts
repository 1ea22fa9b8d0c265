import { expect, test } from "vitest";

import { runCli } from "./cli-harness.ts";
import { commandLine } from "./command-line.ts";
import { errorReport } from "./error-report.ts";
import { StreamError } from "../base/index.ts";

const COMMANDS = ["run", "simulate", "checkpoints", "doctor", "explain", "lint"];
const SERVER_COMMANDS = ["list", "info", "exceptions", "checkpoint", "savepoint", "stop", "cancel"];
const OTHERS = ["rescale", "serve", "submit", "history", "ui", "completion"];

test.each(["help", ...COMMANDS, ...SERVER_COMMANDS, ...OTHERS])(
  "the help of %s is as it was",
  async (command) => {
    const inputs = command === "help" ? ["--help"] : [command, "--help"];
    const { stdout, exitCode } = await runCli(...inputs);
    await expect(stdout).toMatchFileSnapshot(`../../test/golden/cli/${command}-help.txt`);
    expect(exitCode).toBe(0);
  },
);

test("the version is the package's", async () => {
  expect((await runCli("--version")).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});

test("-Dkey=value is taken apart, but not behind --", () => {
  expect(commandLine(["run", "-Da=b", "-D", "c=d", "x.ts", "--", "-De=f"])).toEqual([
    "run",
    "-D",
    "a=b",
    "-D",
    "c=d",
    "x.ts",
    "--",
    "-De=f",
  ]);
});

test("an error is shown with its causes and the innermost remedy, and a foreseen one without a stack", () => {
  const cause = new StreamError("FILES_NOT_FOUND", { path: "a/*.txt" });
  const error = new StreamError("JOB_FILE_NOT_LOADED", { path: "job.ts" }, cause);
  expect(errorReport(error, { isVerbose: false })).toBe(
    [
      "Error: The job file job.ts could not be loaded.",
      "  caused by No file matches a/*.txt.",
      `  What to do: ${cause.remedy}`,
      "",
    ].join("\n"),
  );
  expect(errorReport(error, { isVerbose: true })).toContain("    at ");
});

test("whatever is thrown can be shown, causes in a circle too", () => {
  const circle = new Error("round");
  circle.cause = circle;
  circle.stack = "";
  expect(errorReport(circle, { isVerbose: false })).toBe("Error: round\n");
  expect(errorReport("just text", { isVerbose: false })).toBe("Error: just text\n");
  expect(errorReport({ a: 1 }, { isVerbose: false })).toBe('Error: {"a":1}\n');
});

test("an error of the user's code keeps the lines of the user's files only", () => {
  const error = new TypeError("no field");
  error.stack = [
    "TypeError: no field",
    "    at toRow (file:///home/me/job.ts:4:7)",
    `    at MapOperator.processElement (${new URL("../operators/map.ts", import.meta.url).href}:20:5)`,
    "    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)",
  ].join("\n");
  expect(errorReport(error, { isVerbose: false })).toBe(
    "Error: TypeError: no field\n      at toRow (file:///home/me/job.ts:4:7)\n",
  );
});
