import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";

import { cutwater, CutwaterProcess } from "./cutwater-process.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "cutwater-telemetry-"));
  await mkdir(join(folder, "jobs"));
  await writeFile(join(folder, "jobs", "troubled.ts"), TROUBLED);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Goes on for ever; its second checkpoint fails in the synchronous phase. */
const TROUBLED = `
import { defineJob, generatorSource } from "cutwater";
class Troubled {
  processElement(value, _context, out) { out.collect(value); }
  snapshotState({ checkpointId }) { if (checkpointId === 2) throw new Error("disk full"); }
}
export default defineJob("troubled", (env) => {
  env.fromSource(generatorSource((n: number) => n, { recordsPerSecond: 200 }))
    .uid("numbers").process(() => new Troubled()).uid("troubled").name("troubled")
    .keyBy(() => 0).reduce((a, b) => Math.max(a, b)).uid("greatest").sinkTo({
      name: "nowhere", writerStateSerializer: undefined, committableSerializer: undefined,
      createWriter: () => ({ write() {}, prepareCommit: () => ({ committables: [], durable: undefined }), close() {} }),
    }).uid("nowhere");
});
`;

const SETTINGS = [
  "-Dexecution.checkpointing.interval=50ms",
  "-Dexecution.checkpointing.tolerable-failed-checkpoints=10",
  "-Drest.port=0",
];

const SDK = {
  NODE_OPTIONS: `--import ${new URL("../jobs/print-spans.mjs", import.meta.url).href}`,
};

interface PrintedSpan {
  readonly name: string;
  readonly isRoot: boolean;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly status: { readonly code: number; readonly message?: string };
}

function spansIn(stderr: string): readonly PrintedSpan[] {
  return stderr
    .split("\n")
    .filter((line) => line.startsWith("span "))
    .map((line) => JSON.parse(line.slice("span ".length)) as PrintedSpan);
}

/** The spans of the second checkpoint, and of one that completed later. */
async function spansOf(process: CutwaterProcess): Promise<{
  readonly failed: readonly PrintedSpan[];
  readonly completed: readonly PrintedSpan[];
}> {
  const of = (id: unknown): readonly PrintedSpan[] =>
    spansIn(process.stderr).filter(({ attributes }) => attributes["checkpointId"] === id);
  const laterIds = (stderr: string): readonly unknown[] =>
    spansIn(stderr)
      .filter(({ isRoot, attributes }) => isRoot && attributes["checkpointStatus"] === "COMPLETED")
      .map(({ attributes }) => attributes["checkpointId"])
      .filter((id) => Number(id) > 2);
  await process.until((_, stderr) => laterIds(stderr).length > 0);
  return { failed: of(2), completed: of(laterIds(process.stderr)[0]) };
}

test.each(["run", "serve"] as const)(
  "cutwater %s tells a real SDK of checkpoints, and the log of each that fails in one line that says where, when and why",
  async (command) => {
    const what = command === "run" ? "jobs/troubled.ts" : "jobs";
    const process = new CutwaterProcess(folder, [command, what, ...SETTINGS], SDK);
    const { failed, completed } = await spansOf(process);
    process.kill("SIGTERM");
    const { stderr } = await process.result();

    expect(completed.find(({ isRoot }) => isRoot)).toMatchObject({
      name: "Checkpoint",
      attributes: { checkpointStatus: "COMPLETED" },
      status: { code: 0 },
    });
    expect(new Set(completed.map(({ name }) => name))).toEqual(
      new Set(["Checkpoint", "Checkpoint_Task", "Checkpoint_Subtask"]),
    );
    const declined = failed.filter(
      ({ name, status }) => name === "Checkpoint_Subtask" && status.message?.includes("disk full"),
    );
    expect(declined.length).toBeGreaterThan(0);
    expect(failed.find(({ isRoot }) => isRoot)).toMatchObject({
      attributes: { checkpointStatus: "FAILED" },
      status: { code: 2 },
    });

    const lines = stderr.split("\n").filter((line) => line.includes("Checkpoint 2 failed"));
    expect(lines).toHaveLength(1);
    const [line = ""] = lines;
    expect(line).toMatch(
      /WARN .*Checkpoint 2 failed at Source: .* -> troubled \(1\/\d+\), in the synchronous phase: .*disk full\. More: cutwater doctor \S+$/,
    );
    const [, explained = ""] = /More: cutwater doctor (\S+)$/.exec(line) ?? [];
    if (!explained.startsWith("http")) {
      const { stdout } = await cutwater(folder, "doctor", explained);
      expect(stdout).toContain("Cause found: The program's snapshotState throws");
    }
  },
  60_000,
);
