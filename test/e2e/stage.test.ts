import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";

import { ByteReader, ByteWriter } from "../../src/base/index.ts";
import { canonicalKeyBytes, keyHash, Types } from "../../src/serde/index.ts";
import { beginRecord, endRecord, type Hello } from "../../src/stage/index.ts";
import { DurableCopy } from "../../src/testing/stage/durable-copy.ts";
import { StageClient } from "../../src/testing/stage/stage-client.ts";
import { spawnStage } from "../../src/testing/stage/stage-connection.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const main = join(root, "dist/flink-worker/main.js");

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "cutwater-stage-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A module as a bundle would be: sums per key, and a print in the user's function. */
function writeProgram(): string {
  const built = (name: string): string => pathToFileURL(join(root, "dist", name, "index.js")).href;
  const path = join(folder, "bundle.mjs");
  writeFileSync(
    path,
    `import { keyedReduceOperator } from ${JSON.stringify(built("operators"))};
import { Types } from ${JSON.stringify(built("serde"))};
console.log("user code is loaded");
export const stages = {
  sums: {
    inputs: [Types.long()], keyType: Types.string(), outputs: [{ tag: undefined, type: Types.long() }],
    operators: [{ id: "0".repeat(32), name: "sums", factory: keyedReduceOperator((a, b) => { console.log(a, b); return a + b; }, Types.long()) }],
  },
};
`,
  );
  return path;
}

function hello(module: string, name = "sums"): Hello {
  return {
    protocol: 1,
    program: { module, name },
    jobName: "job",
    jobId: "0".repeat(32),
    subtaskIndex: 0,
    parallelism: 1,
    maxParallelism: 128,
    keyGroupRange: { first: 0, last: 127 },
    attempt: 0,
    restoredCheckpointId: null,
    isCheckpointed: true,
    autoWatermarkIntervalMs: 0,
    nowMs: 0,
    changesEveryEntries: 1,
  };
}

function open(
  first: Hello,
  printed: string[],
  shouldKill?: (moment: string) => boolean,
): Promise<StageClient> {
  return StageClient.open({
    connect: spawnStage(
      () => [main],
      (text) => printed.push(text),
    ),
    hello: first,
    copy: new DurableCopy(),
    maxInFlightEntries: 10,
    maxEntriesPerData: 3,
    maxUncoveredEntries: 100,
    ...(shouldKill === undefined ? {} : { shouldKill }),
  });
}

test("the worker of the package serves a stage of a module, prints to stderr, and survives its death", async () => {
  const printed: string[] = [];
  let outs = 0;
  const client = await open(
    hello(writeProgram()),
    printed,
    (moment) => moment === "out received" && ++outs === 4,
  );
  for (let n = 1; n <= 20; n++) {
    const out = new ByteWriter();
    const key = { hash: keyHash("a", "string"), bytes: canonicalKeyBytes("a") };
    const at = beginRecord(out, 0, n, key);
    Types.long().write(n, out);
    endRecord(out, at);
    client.give(out.toBytes());
  }
  await client.settle(1);
  const sums = client
    .takeOutput()
    .map((entry) => (entry.kind === "record" ? Types.long().read(new ByteReader(entry.value)) : 0));
  expect(sums).toEqual(Array.from({ length: 20 }, (_, index) => ((index + 1) * (index + 2)) / 2));
  expect(client.restartCount).toBe(1);
  await client.close();
  expect(printed.join("")).toContain("user code is loaded");
});

test("a stage that the module does not have is named", async () => {
  const module = writeProgram();
  await expect(open(hello(module, "counts"), [])).rejects.toThrow(
    `${module} exports the stage counts`,
  );
});
