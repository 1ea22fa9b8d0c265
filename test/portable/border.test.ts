import { rmSync } from "node:fs";
import { dirname } from "node:path";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { ByteWriter, isStreamError, nodePlatform, silentLogger } from "../../src/base/index.ts";
import { type StagePrograms, StageHost } from "../../src/flink-worker/index.ts";
import { mapOperator, keyedReduceOperator } from "../../src/operators/index.ts";
import { canonicalKeyBytes, keyHash, Types, type TypeSerializer } from "../../src/serde/index.ts";
import { beginRecord, endRecord, type Hello } from "../../src/stage/index.ts";
import { OPERATOR_CASES } from "../../src/testing/operator-cases.ts";
import {
  OPERATOR_LAWS,
  type OperatorCase,
  type OperatorLaw,
} from "../../src/testing/operator-laws.ts";
import { DurableCopy } from "../../src/testing/stage/durable-copy.ts";
import { StageClient } from "../../src/testing/stage/stage-client.ts";
import {
  type BorderCounts,
  bundleStageChild,
  inMemoryRun,
  noCounts,
  processRun,
  RESTORING_LAWS,
  runBehindBorder,
  shortened,
} from "./border-suite.ts";
import { faultyConnection, withoutLast } from "./faulty-connection.ts";
import { inMemoryStage } from "./in-memory-stage.ts";

/** `npm run test:portable` runs every case under every law with processes, too. */
const IS_LONG = process.env["PORTABLE_TEST"] === "long";
const SEEDS = IS_LONG ? 10 : 1;
const PROCESS_LAWS = IS_LONG ? OPERATOR_LAWS : OPERATOR_LAWS.slice(-1);
/** Items of a case where each is followed by a snapshot, the end of all processes, and a restore. */
const RESTORED_ITEMS = IS_LONG ? 80 : 16;
const RESTORED_ITEMS_WITH_PROCESSES = 12;

function* suite(
  laws: readonly OperatorLaw[],
  restoredItems: number,
): Generator<readonly [OperatorCase, OperatorLaw]> {
  for (const operatorCase of OPERATOR_CASES) {
    for (const law of laws) {
      const restores = RESTORING_LAWS.includes(law);
      yield [restores ? shortened(operatorCase, restoredItems) : operatorCase, law];
    }
  }
}

function say(where: string, counts: BorderCounts): void {
  const { runs, entries, processes, kills, differences } = counts;
  process.stderr.write(
    `${where}: ${OPERATOR_CASES.length} operators, ${runs} runs, ${entries} entries, ${processes} processes, ` +
      `${kills} kills, ${differences.length} differences\n`,
  );
}

describe("every operator under every law gives behind the border what it gives here", () => {
  test("with frames alone, killed at random moments", { timeout: 1_800_000 }, async () => {
    const counts = noCounts();
    let seed = 1;
    for (let round = 0; round < SEEDS; round++) {
      for (const [operatorCase, law] of suite(OPERATOR_LAWS, RESTORED_ITEMS))
        await runBehindBorder(operatorCase, law, inMemoryRun(seed++, 0.05), counts);
    }
    say("frames", counts);
    expect(counts.differences).toEqual([]);
    expect(counts.kills).toBeGreaterThan(1000);
  });

  let childFile = "";
  beforeAll(async () => {
    childFile = await bundleStageChild();
  });
  afterAll(() => rmSync(dirname(childFile), { recursive: true }));

  test("in processes, killed with SIGKILL at random moments", { timeout: 3_600_000 }, async () => {
    const counts = noCounts();
    let seed = 1;
    for (const [operatorCase, law] of suite(PROCESS_LAWS, RESTORED_ITEMS_WITH_PROCESSES))
      await runBehindBorder(operatorCase, law, processRun(seed++, 0.02, childFile, 100), counts);
    say("processes", counts);
    expect(counts.differences).toEqual([]);
    expect(counts.kills).toBeGreaterThan(30);
  });
});

describe("a border that is broken on purpose is found", () => {
  const broken = [
    [
      "a change that is not told",
      (cell: { value: Uint8Array | undefined }) => cell.value !== undefined,
    ],
    [
      "a removal that is not told",
      (cell: { value: Uint8Array | undefined }) => cell.value === undefined,
    ],
  ] as const;

  test.each(broken)("%s", { timeout: 120_000 }, async (_name, isLost) => {
    const counts = noCounts();
    const law = OPERATOR_LAWS.at(-1);
    for (const operatorCase of OPERATOR_CASES.filter(({ name }) => name === "keyed process")) {
      const run = inMemoryRun(1, 0.05);
      const connect: typeof run.connect = (random) =>
        faultyConnection(run.connect(random), (progress) => ({
          ...progress,
          changes: withoutLast(progress.changes, isLost),
        }));
      if (law !== undefined) await runBehindBorder(operatorCase, law, { ...run, connect }, counts);
    }
    expect(counts.differences.length).toBeGreaterThan(0);
  });
});

const PROGRAMS: StagePrograms = {
  broken: {
    inputs: [Types.any()],
    keyType: undefined,
    outputs: [{ tag: undefined, type: Types.any() }],
    operators: [
      {
        id: "0".repeat(32),
        name: "map",
        factory: mapOperator((): never => {
          throw new RangeError("no such airport");
        }) as never,
      },
    ],
  },
  reduce: {
    inputs: [Types.any()],
    keyType: Types.string() as TypeSerializer<unknown>,
    outputs: [{ tag: undefined, type: Types.any() }],
    operators: [
      {
        id: "0".repeat(32),
        name: "reduce",
        factory: keyedReduceOperator<number>((a, b) => a + b, Types.long()) as never,
      },
    ],
  },
};

const HELLO: Hello = {
  protocol: 1,
  program: { module: "here", name: "broken" },
  jobName: "job",
  jobId: "0".repeat(32),
  subtaskIndex: 0,
  parallelism: 2,
  maxParallelism: 128,
  keyGroupRange: { first: 0, last: 63 },
  attempt: 0,
  restoredCheckpointId: null,
  isCheckpointed: true,
  autoWatermarkIntervalMs: 0,
  nowMs: 0,
  changesEveryEntries: 1,
};

function open(name: string, change: Partial<Hello> = {}): Promise<StageClient> {
  return StageClient.open({
    connect: inMemoryStage(() => 100, PROGRAMS),
    copy: new DurableCopy(),
    hello: { ...HELLO, program: { module: "here", name }, ...change },
    maxInFlightEntries: 10,
    maxEntriesPerData: 10,
    maxUncoveredEntries: 100,
  });
}

function record(value: unknown, key?: string): Uint8Array {
  const out = new ByteWriter();
  const stageKey =
    key === undefined ? undefined : { hash: keyHash(key, "string"), bytes: canonicalKeyBytes(key) };
  const at = beginRecord(out, 0, 5, stageKey);
  Types.any().write(value, out);
  endRecord(out, at);
  return out.toBytes();
}

describe("what goes wrong behind the border comes back with its name", () => {
  test("a user function that throws is not tried again: its error says operator and cause", async () => {
    const client = await open("broken");
    client.give(record({ from: "FRA" }));
    const error: unknown = await client.settle(1).catch((reason: unknown) => reason);
    expect(isStreamError(error, "USER_FUNCTION_FAILED")).toBe(true);
    expect(error).toMatchObject({
      message: 'map of operator "map", subtask (1/2), failed on record {"from":"FRA"}.',
      cause: { name: "RangeError", message: "no such airport" },
    });
    expect(client.restartCount).toBe(0);
  });

  test("a record of another subtask's key group is refused", async () => {
    const client = await open("reduce", { keyGroupRange: { first: 0, last: 0 } });
    client.give(record(1, "FRA"));
    await expect(client.settle(1)).rejects.toThrow(/A record of key group \d+, outside 0 to 0/);
  });

  test("another protocol is refused before anything is loaded", async () => {
    await expect(open("reduce", { protocol: 7 })).rejects.toThrow(
      "Protocol 7, while this end speaks 1",
    );
  });

  test("fewer cells than LOAD_END says are refused", async () => {
    const sent: Uint8Array[] = [];
    const host = new StageHost({
      loadProgram: async () => PROGRAMS["reduce"] as never,
      platform: nodePlatform(),
      log: silentLogger,
      send: (frame) => sent.push(frame),
      end: () => undefined,
    });
    const { FrameReader, orderBytes, readReport } = await import("../../src/stage/index.ts");
    const reader = new FrameReader();
    for (const bytes of [
      orderBytes({ kind: "hello", hello: HELLO }),
      orderBytes({ kind: "load-end", cellCount: 1, blobCount: 0 }),
    ])
      for (const frame of reader.push(bytes)) await host.take(frame);
    const reports = sent.flatMap((bytes) => new FrameReader().push(bytes)).map(readReport);
    expect(reports).toMatchObject([
      { kind: "error", failure: { message: "0 cells and 0 blobs of 1 and 0 at byte 0" } },
    ]);
  });
});
