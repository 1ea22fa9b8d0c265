import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { nodePlatform, silentLogger } from "../../base/index.ts";
import type { CheckpointRecord } from "../checkpoint-record.ts";
import { CheckpointStatistics } from "./checkpoint-statistics.ts";
import { HistoryFile, readHistory } from "./history-file.ts";
import { decodeHistory, encodeRecord, HISTORY_FILE_NAME } from "./history-record.ts";

const { files } = nodePlatform();
let directory = "";
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "checkpoint-history-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

function record(checkpointId: number, more: Partial<CheckpointRecord> = {}): CheckpointRecord {
  return {
    format: 1,
    jobId: "0".repeat(32),
    checkpointId,
    kind: "CHECKPOINT",
    typeName: "Checkpoint",
    savepointFormat: null,
    isPeriodic: true,
    status: "COMPLETED",
    triggeredAtMs: 1_000 * checkpointId,
    storageReadyAtMs: null,
    coordinatorsAcknowledgedAtMs: null,
    tasksTriggeredAtMs: null,
    latestAcknowledgedAtMs: null,
    endedAtMs: null,
    finalizationDurationMs: null,
    externalPath: `/c/chk-${checkpointId} ü`,
    failure: null,
    subtaskCount: 1,
    acknowledgedSubtaskCount: 1,
    vertices: [],
    ...more,
  };
}

const idsOf = (records: readonly CheckpointRecord[]): readonly number[] =>
  records.map(({ checkpointId }) => checkpointId);

test("lines that were written before edges were recorded say that they are not known", () => {
  const golden = join(import.meta.dirname, "../../../test/golden/history/without-inputs.jsonl");
  const { records, unreadableLines } = decodeHistory(readFileSync(golden, "utf8"));
  expect(unreadableLines).toEqual([]);
  expect(records.map(({ vertices }) => vertices.map(({ inputs }) => inputs))).toEqual([
    [null, null],
    [null, null],
  ]);
  const inputs = [{ vertexId: "a", shipStrategy: "HASH" }];
  const [old] = records;
  const [known] = decodeHistory(
    encodeRecord({
      ...record(1),
      vertices: (old?.vertices ?? []).map((vertex) => ({ ...vertex, inputs })),
    }),
  ).records;
  expect(known?.vertices.map((vertex) => vertex.inputs)).toEqual([inputs, inputs]);
});

test("a record has the fields of format 1, in their order", async () => {
  const metrics = {
    startDelayMs: 1,
    alignmentDurationMs: 2,
    alignmentProcessedBytes: 3,
    alignmentPersistedBytes: 4,
    syncDurationMs: 5,
    asyncDurationMs: 6,
    checkpointedSizeBytes: 7,
    stateSizeBytes: 8,
    isUnaligned: true,
  };
  const line = encodeRecord(
    record(7, {
      failure: {
        reason: "CHECKPOINT_EXPIRED",
        message: "Checkpoint expired before completing.",
        causes: ["Error: slow"],
        task: { vertexId: "b", subtaskIndex: 0 },
      },
      vertices: [
        {
          vertexId: "a",
          name: "Source",
          parallelism: 1,
          maxParallelism: 128,
          operators: [{ operatorId: "a", uid: null, name: "Source" }],
          inputs: [],
          subtasks: [
            {
              subtaskIndex: 0,
              attempt: 2,
              status: "ACKNOWLEDGED",
              isTriggeredByCoordinator: true,
              acknowledgedAtMs: 9,
              declinedAtMs: null,
              declineReason: null,
              declineCauses: [],
              ...metrics,
            },
          ],
        },
      ],
    }),
  );
  const golden = "../../../test/golden/history/record-format-1.jsonl";
  await expect(line).toMatchFileSnapshot(golden);
  const text = readFileSync(join(import.meta.dirname, golden), "utf8");
  expect(decodeHistory(text).records.map(encodeRecord).join("")).toBe(text);
});

describe("a history file", () => {
  test("gives back the records in order, the later of two about one checkpoint", async () => {
    const file = new HistoryFile(files, silentLogger, directory);
    file.onEnded(record(1));
    file.onEnded(record(2, { status: "FAILED" }));
    file.onLateAcknowledgement(record(1, { subtaskCount: 5 }));
    await file.settle();
    expect(await readHistory(directory, files)).toEqual({
      records: [record(1, { subtaskCount: 5 }), record(2, { status: "FAILED" })],
      unreadableLines: [],
    });
  });

  test("cut at any byte gives the records whose lines are whole", () => {
    const lines = [1, 2, 3].map((id) => encodeRecord(record(id)));
    const text = lines.join("");
    for (let length = 0; length <= text.length; length++) {
      const wholeCount = lines.filter(
        (_, index) => lines.slice(0, index + 1).join("").length <= length,
      ).length;
      const { records, unreadableLines } = decodeHistory(text.slice(0, length));
      expect([records.length, unreadableLines]).toEqual([wholeCount, []]);
    }
  });

  test("goes on after a torn last line without joining it", async () => {
    writeFileSync(
      join(directory, HISTORY_FILE_NAME),
      encodeRecord(record(1)) + encodeRecord(record(2)).slice(0, 40),
    );
    const file = new HistoryFile(files, silentLogger, directory);
    file.onEnded(record(3));
    await file.settle();
    expect(await readHistory(directory, files)).toEqual({
      records: [record(1), record(3)],
      unreadableLines: [],
    });
  });

  test("passes over what is no record and says which lines", () => {
    const text = `${encodeRecord(record(1))}not json\n{"format":2}\n${encodeRecord(record(2))}`;
    const { records, unreadableLines } = decodeHistory(text);
    expect(idsOf(records)).toEqual([1, 2]);
    expect(unreadableLines).toEqual([2, 3]);
  });

  test("keeps the newest records and stays bounded", async () => {
    const file = new HistoryFile(files, silentLogger, directory, 3);
    for (let id = 1; id <= 20; id++) file.onEnded(record(id));
    await file.settle();
    const ids = idsOf((await readHistory(directory, files)).records);
    expect(ids.at(-1)).toBe(20);
    expect(ids.slice(-3)).toEqual([18, 19, 20]);
    expect(ids.length).toBeLessThanOrEqual(6);
    expect(readdirSync(directory)).toEqual([HISTORY_FILE_NAME]);
  });

  test("never fails a checkpoint: trouble is logged once, and writing goes on when it ends", async () => {
    const messages: string[] = [];
    const log = { log: (_level: string, message: string) => void messages.push(message) };
    let isBroken = true;
    const breaking = {
      ...files,
      open: (path: string, mode: "read" | "create" | "update") =>
        isBroken ? Promise.reject(new Error("ENOSPC")) : files.open(path, mode),
    };
    const file = new HistoryFile(breaking, log, join(directory, "job"));
    file.onEnded(record(1));
    file.onEnded(record(2));
    await file.settle();
    expect(messages).toHaveLength(1);
    isBroken = false;
    file.onEnded(record(3));
    await file.settle();
    expect(idsOf((await readHistory(join(directory, "job"), files)).records)).toEqual([3]);
  });

  test("is not there: no records; empty: the first is written", async () => {
    expect((await readHistory(directory, files)).records).toEqual([]);
    appendFileSync(join(directory, HISTORY_FILE_NAME), "");
    const file = new HistoryFile(files, silentLogger, directory);
    file.onEnded(record(1));
    await file.settle();
    expect(readFileSync(join(directory, HISTORY_FILE_NAME), "utf8")).toBe(encodeRecord(record(1)));
  });
});

describe("statistics", () => {
  test("remember the latest of each kind beyond the history's length", () => {
    const statistics = new CheckpointStatistics(2);
    statistics.onEnded(record(1, { status: "FAILED" }));
    statistics.onEnded(record(2, { kind: "SAVEPOINT" }));
    for (const id of [3, 4, 5]) {
      statistics.onTriggered(id, () => record(id, { status: "IN_PROGRESS" }));
      expect(statistics.history()[0]?.status).toBe("IN_PROGRESS");
      statistics.onEnded(record(id));
    }
    expect(idsOf(statistics.history())).toEqual([5, 4]);
    expect(statistics.find(1)?.status).toBe("FAILED");
    expect(statistics.find(2)?.kind).toBe("SAVEPOINT");
    expect(statistics.find(3)).toBeUndefined();
    expect(statistics.counts).toEqual({
      restored: 0,
      total: 3,
      inProgress: 0,
      completed: 4,
      failed: 1,
    });
  });

  test("take over what came too late", () => {
    const statistics = new CheckpointStatistics(2);
    statistics.onEnded(record(1, { status: "FAILED" }));
    statistics.onLateAcknowledgement(record(1, { status: "FAILED", subtaskCount: 9 }));
    expect(statistics.latestFailed?.subtaskCount).toBe(9);
    expect(statistics.find(1)?.subtaskCount).toBe(9);
  });
});
