import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";

import { CutwaterProcess } from "./cutwater-process.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "cutwater-task-managers-"));
  await writeFile(join(folder, "counts.ts"), COUNTS);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const COUNTS = `
import { defineJob, generatorSource, Types } from "cutwater";
export default defineJob("counts", (env) => {
  env.fromSource(generatorSource((n: number) => n, { recordsPerSecond: 2000, type: Types.int() }))
    .uid("numbers")
    .keyBy((n) => n % 100, Types.int()).reduce((a, b) => Math.max(a, b)).uid("greatest").sinkTo({
      name: "nowhere", writerStateSerializer: undefined, committableSerializer: undefined,
      createWriter: () => ({ write() {}, prepareCommit: () => ({ committables: [], durable: undefined }), close() {} }),
    }).uid("nowhere");
});
`;

interface Worker {
  readonly id: string;
  readonly slotsNumber: number;
  readonly assignedTasks: number;
}

/** Runs the job and asks its server. */
async function served(
  slots: number,
  look: (get: (path: string) => Promise<unknown>) => Promise<void>,
): Promise<void> {
  const settings = ["-p", "2", "--slots", String(slots), "-Drest.port=0"];
  const process = new CutwaterProcess(folder, ["run", "counts.ts", ...settings]);
  const address = /page and REST at (http:\S+)/;
  await process.until((_, stderr) => address.test(stderr));
  const [, base = ""] = address.exec(process.stderr) ?? [];
  try {
    await look(async (path) => (await fetch(`${base}${path}`)).json() as Promise<unknown>);
  } finally {
    process.kill("SIGKILL");
    await process.result();
  }
}

/** Asks until it is as wanted. */
async function until<T>(ask: () => Promise<T>, isThere: (found: T) => boolean): Promise<T> {
  for (let tries = 0; ; tries++) {
    const found = await ask();
    if (isThere(found)) return found;
    if (tries > 300) throw new Error(`not there: ${JSON.stringify(found)}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

test("each thread is a TaskManager, with its tasks, its metrics and its dump", async () => {
  await served(2, async (get) => {
    const { jobs } = (await get("/jobs/overview")) as { jobs: { jid: string }[] };
    const [{ jid } = { jid: "" }] = jobs;
    const ids = [0, 1].map((slot) => `${jid.slice(0, 8)}-slot-${slot}`);
    const { taskmanagers } = await until(
      async () => (await get("/taskmanagers")) as { taskmanagers: readonly Worker[] },
      (found) => found.taskmanagers.every(({ assignedTasks }) => assignedTasks > 0),
    );
    expect(taskmanagers.map(({ id, slotsNumber }) => [id, slotsNumber])).toEqual(
      ids.map((id) => [id, 1]),
    );
    expect(await get("/overview")).toMatchObject({ taskmanagers: 2, "slots-total": 2 });

    const job = (await get(`/jobs/${jid}`)) as { vertices: { id: string }[] };
    for (const { id } of job.vertices) {
      const vertex = (await get(`/jobs/${jid}/vertices/${id}`)) as {
        subtasks: { "taskmanager-id": string }[];
      };
      expect(vertex.subtasks.map((subtask) => subtask["taskmanager-id"])).toEqual(ids);
      const byWorker = (await get(`/jobs/${jid}/vertices/${id}/taskmanagers`)) as {
        taskmanagers: { "taskmanager-id": string }[];
      };
      expect(byWorker.taskmanagers.map((worker) => worker["taskmanager-id"])).toEqual(ids);
    }

    const names = "Status.JVM.Memory.Heap.Used,Status.JVM.CPU.Time";
    const metrics = (id: string) =>
      get(`/taskmanagers/${id}/metrics?get=${names}`) as Promise<{ value: string }[]>;
    const [first, second] = await Promise.all(
      ids.map((id) =>
        until(
          () => metrics(id),
          (found) => found.every(({ value }) => Number(value) > 0),
        ),
      ),
    );
    // Each has a heap of its own.
    expect(first?.[0]?.value).not.toBe(second?.[0]?.value);

    const dump = (await get(`/taskmanagers/${ids[1]}/thread-dump`)) as {
      threadInfos: { threadName: string }[];
    };
    expect(dump.threadInfos).toHaveLength(2);
    for (const { threadName } of dump.threadInfos) expect(threadName).toContain("(2/2)#0");

    const bytes = (await until(
      () => get(`/jobs/${jid}/vertices/${job.vertices[1]?.id}`),
      (found) => readBytes(found) > 0,
    )) as object;
    expect(readBytes(bytes)).toBeGreaterThan(0);
    expect(await get("/taskmanagers/worker-0")).toMatchObject({ errors: expect.anything() });
  });
}, 60_000);

test("a job on the main thread has that one TaskManager", async () => {
  await served(1, async (get) => {
    const { taskmanagers } = (await get("/taskmanagers")) as { taskmanagers: readonly Worker[] };
    expect(taskmanagers.map(({ id, slotsNumber }) => [id, slotsNumber])).toEqual([["worker-0", 2]]);
  });
}, 60_000);

function readBytes(vertex: unknown): number {
  const { subtasks } = vertex as { subtasks: { metrics: { "read-bytes": number } }[] };
  return subtasks.reduce((sum, { metrics }) => sum + metrics["read-bytes"], 0);
}
