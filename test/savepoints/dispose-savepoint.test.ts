import { expect, test } from "vitest";

import { disposeSavepoint } from "../../src/checkpoint/index.ts";
import { collectSink, defineJob, Types } from "../../src/index.ts";
import { drive, quietMachine } from "../../src/testing/index.ts";
import { type Machine, start } from "./savepoint-job.ts";

/** A job with keyed state, and a savepoint of it. */
async function withSavepoint(machine: Machine, format: "CANONICAL" | "NATIVE" = "CANONICAL") {
  const sink = collectSink(Types.int());
  const definition = defineJob("disposing", (env) => {
    env
      .fromGenerator((index) => index, { type: Types.int() })
      .uid("numbers")
      .setParallelism(1)
      .keyBy((value) => value % 7, Types.int())
      .reduce((a, b) => a + b)
      .uid("sums")
      .sinkTo(sink)
      .uid("sink");
  });
  const started = await start(machine, definition);
  await started.until(() => started.records.some(({ status }) => status === "COMPLETED"));
  const request = { targetDirectory: "/savepoints", format };
  const directory = await started.drive(started.job.triggerSavepoint(request));
  return { started, directory };
}

const dispose = (machine: Machine, path: string) =>
  drive(machine.platform, disposeSavepoint(path, machine.platform.files));

test.each(["", "/_metadata"])(
  "a savepoint that is named by '%s' goes, with its directory",
  async (name) => {
    const machine = quietMachine();
    const { started, directory } = await withSavepoint(machine);
    const before = machine.disk.filesBelow(directory).length;
    expect(before).toBeGreaterThan(1);
    const disposed = await dispose(machine, `${directory}${name}`);
    expect(disposed).toEqual({
      directory,
      fileCount: before,
      keptPaths: [],
      isDirectoryGone: true,
    });
    expect(machine.disk.filesBelow("/savepoints")).toEqual([]);
    started.job.cancel();
  },
);

test("what is not the savepoint's stays where it is, and so does the directory", async () => {
  const machine = quietMachine();
  const { started, directory } = await withSavepoint(machine);
  machine.disk.put(`${directory}/notes.txt`, new TextEncoder().encode("mine"));
  expect(await dispose(machine, directory)).toMatchObject({ isDirectoryGone: false });
  expect(machine.disk.filesBelow(directory)).toEqual([`${directory}/notes.txt`]);
  started.job.cancel();
});

test("a job's own checkpoint is refused and stays (NOT_A_SAVEPOINT)", async () => {
  const machine = quietMachine();
  const { started } = await withSavepoint(machine);
  started.job.cancel();
  await started.drive(started.job.result);
  const before = machine.disk.filesBelow("/checkpoints");
  const checkpoint = before.find((path) => path.endsWith("/_metadata")) ?? "";
  await expect(dispose(machine, checkpoint)).rejects.toMatchObject({ code: "NOT_A_SAVEPOINT" });
  expect(machine.disk.filesBelow("/checkpoints")).toEqual(before);
});

test("a folder that is no snapshot is refused and stays (CHECKPOINT_POINTER_INVALID)", async () => {
  const machine = quietMachine();
  machine.disk.put("/savepoints/photos/one.jpg", new Uint8Array(3));
  await expect(dispose(machine, "/savepoints/photos")).rejects.toMatchObject({
    code: "CHECKPOINT_POINTER_INVALID",
  });
  expect(machine.disk.filesBelow("/savepoints")).toEqual(["/savepoints/photos/one.jpg"]);
});
