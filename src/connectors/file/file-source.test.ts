import {
  mkdtemp,
  mkdir,
  rm,
  symlink,
  truncate,
  unlink,
  writeFile,
  appendFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { nodePlatform, silentLogger, type FileSystem } from "../../base/index.ts";
import {
  OperatorMeters,
  outputTag,
  type ReaderOutput,
  type ReaderStatus,
  type SourceReader,
} from "../../operators/index.ts";
import { Types } from "../../serde/index.ts";
import { csv } from "../format/csv.ts";
import { ndjson } from "../format/ndjson.ts";
import { text } from "../format/text.ts";
import type { RecordFormat } from "../format/record-format.ts";
import type { BadRecord } from "./bad-record.ts";
import { fileSource, type FileSourceOptions } from "./file-source.ts";
import { type FileSplit, newFileSplit } from "./file-split.ts";
import { findFiles } from "./glob.ts";

let folder = "";
const { files } = nodePlatform();

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "cutwater-files-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Drives one reader as a task does. */
class Drive<T> {
  readonly records: T[] = [];
  readonly side: unknown[] = [];
  readonly reader: SourceReader<T, FileSplit>;
  readonly metrics = new OperatorMeters();
  #failure: unknown;
  #wake: () => void = () => {};
  readonly #output: ReaderOutput<T> = {
    collect: (record) => void this.records.push(record),
    collectWithTimestamp: (record) => void this.records.push(record),
    collectSide: (_, record) => void this.side.push(record),
    outputForSplit: () => this.#output,
    releaseOutputForSplit() {},
  };

  constructor(
    format: RecordFormat<T>,
    options: FileSourceOptions = {},
    fileSystem: FileSystem = files,
  ) {
    this.reader = fileSource("unused", format, options).createReader({
      subtaskIndex: 0,
      parallelism: 1,
      platform: nodePlatform(),
      files: fileSystem,
      log: silentLogger,
      metrics: this.metrics,
      sendSplitRequest() {},
      available: () => this.#wake(),
      fail: (error) => {
        this.#failure = error;
        this.#wake();
      },
    });
  }

  /** Polls until the condition holds or the reader has ended. */
  async until(
    done: (status: ReaderStatus) => boolean = () => false,
    maxRecords = 3,
  ): Promise<void> {
    for (;;) {
      const woken = new Promise<void>((resolve) => (this.#wake = resolve));
      const status = this.reader.pollNext(this.#output, maxRecords);
      if (this.#failure !== undefined) throw this.#failure;
      if (status === "END" || done(status)) return;
      if (status === "NOTHING") await woken;
    }
  }

  async read(...splits: readonly FileSplit[]): Promise<readonly T[]> {
    this.reader.addSplits(splits);
    this.reader.notifyNoMoreSplits();
    try {
      await this.until();
    } finally {
      await this.reader.close();
    }
    return this.records;
  }
}

async function file(name: string, content: string | Uint8Array): Promise<FileSplit> {
  await writeFile(join(folder, name), content);
  return newFileSplit(join(folder, name));
}

describe("findFiles", () => {
  test("finds by file, folder and pattern; hidden ones only if spelled", async () => {
    await mkdir(join(folder, "a/b"), { recursive: true });
    for (const name of ["x.txt", "y.csv", ".hidden", "_temp", "a/z.txt", "a/b/w.txt"])
      await file(name, "");
    const find = async (pattern: string) =>
      (await findFiles(files, `${folder}${pattern}`)).map((path) => path.slice(folder.length));
    expect(await find("/x.txt")).toEqual(["/x.txt"]);
    expect(await find("")).toEqual(["/a/b/w.txt", "/a/z.txt", "/x.txt", "/y.csv"]);
    expect(await find("/*.txt")).toEqual(["/x.txt"]);
    expect(await find("/**/*.txt")).toEqual(["/a/b/w.txt", "/a/z.txt", "/x.txt"]);
    expect(await find("/*.{txt,csv}")).toEqual(["/x.txt", "/y.csv"]);
    expect(await find("/.h*")).toEqual(["/.hidden"]);
    expect(await find("/[xy].*")).toEqual(["/x.txt", "/y.csv"]);
    expect(await find("/a/?.txt")).toEqual(["/a/z.txt"]);
    expect(await find("/none/*.txt")).toEqual([]);
  });

  test("takes a path that is there as it is, whatever signs are in its name", async () => {
    await file("a [1] {b}*.txt", "");
    await mkdir(join(folder, "[d]"));
    await file("[d]/x", "");
    expect(await findFiles(files, join(folder, "a [1] {b}*.txt"))).toHaveLength(1);
    expect(await findFiles(files, join(folder, "[d]"))).toEqual([join(folder, "[d]/x")]);
  });

  test("follows links, but not round in a circle; one that leads nowhere is a file that is gone", async () => {
    await mkdir(join(folder, "a"));
    await file("a/x", "");
    await mkdir(join(folder, "b"));
    await symlink("../a", join(folder, "b/a"));
    await symlink("..", join(folder, "b/up"));
    await symlink("../a/x", join(folder, "b/x"));
    await symlink("nowhere", join(folder, "b/none"));
    const found = await findFiles(files, join(folder, "b"));
    expect(found.map((path) => path.slice(folder.length))).toEqual([
      "/b/a/x",
      "/b/none",
      "/b/up/a/x",
      "/b/x",
    ]);
  });
});

describe("a bounded file source", () => {
  test("reads files one after the other, a last line without its break too", async () => {
    const drive = new Drive(text());
    const splits = [
      await file("a", "1\r\n2\n\n"),
      await file("b", "\ufeffé\n3"),
      await file("c", ""),
    ];
    expect(await drive.read(...splits)).toEqual(["1", "2", "", "é", "3"]);
  });

  test("a snapshot after any number of records goes on exactly behind them", async () => {
    const lines = Array.from({ length: 40 }, (_, index) => `línea ${index} ${"x".repeat(index)}`);
    const split = await file("a", lines.join("\n"));
    for (let count = 0; count <= lines.length; count += 3) {
      const first = new Drive(text());
      first.reader.addSplits([split]);
      await first.until(() => first.records.length >= count);
      const restored = first.reader.snapshotState(1).map((state) => ({ ...state }));
      await first.reader.close();
      const rest = await new Drive(text()).read(...restored);
      expect([...first.records, ...rest]).toEqual(lines);
    }
  });

  test("a record longer than a chunk is read whole", async () => {
    const long = "é".repeat(400_000);
    expect(await new Drive(text()).read(await file("a", `1\n${long}\n2`))).toEqual([
      "1",
      long,
      "2",
    ]);
  });

  test("line numbers count the line breaks within quoted fields", async () => {
    const Row = Types.struct({ a: Types.string(), n: Types.int() });
    const split = await file("a.csv", 'a,n\n"x\ny",1\nz,two\n');
    await expect(new Drive(csv(Row)).read(split)).rejects.toMatchObject({
      code: "RECORD_MALFORMED",
      details: { file: split.splitId, line: 4, column: 3 },
    });
  });
});

describe("what cannot be read", () => {
  const content = Buffer.concat([
    Buffer.from('{"a":1}\n{"a":\n'),
    Buffer.from([0x22, 0xff, 0x22, 0x0a]),
    Buffer.from('{"a":2}\n'),
  ]);

  test("fails naming file, line and column", async () => {
    const split = await file("a", content);
    await expect(new Drive(ndjson()).read(split)).rejects.toThrow(`${split.splitId}:2:6: no JSON`);
    const utf8 = await file("b", Buffer.from([0x61, 0x0a, 0x62, 0xc3, 0x28, 0x0a]));
    await expect(new Drive(text()).read(utf8)).rejects.toThrow(
      "invalid UTF-8 at byte 3 of the record",
    );
  });

  test("is left out and counted if the user says so", async () => {
    const drive = new Drive(ndjson(), { onBadRecord: "skip" });
    expect(await drive.read(await file("a", content))).toEqual([{ a: 1 }, { a: 2 }]);
    expect(drive.metrics.counter("numBadRecords").count).toBe(2);
  });

  test("goes to a side output if the user says so", async () => {
    const drive = new Drive(ndjson(), { onBadRecord: { sideOutput: outputTag<BadRecord>("bad") } });
    await drive.read(await file("a", content));
    expect(drive.side).toMatchObject([
      { line: 2, text: '{"a":' },
      { line: 3, problem: "invalid UTF-8 at byte 2 of the record" },
    ]);
  });

  test("a record over the limit is named without being held in memory, and can be left out", async () => {
    const split = await file("a", `1\n${"x".repeat(3_000_000)}\n2\n${"y".repeat(1_500)}\n3`);
    const options = { maxRecordBytes: 1_000 };
    await expect(new Drive(text(), options).read(split)).rejects.toThrow(
      ":2: a record of more than 1000 bytes",
    );
    expect(await new Drive(text(), { ...options, onBadRecord: "skip" }).read(split)).toEqual([
      "1",
      "2",
      "3",
    ]);
  });

  test("a record over the limit is told of once, wherever a snapshot falls within it", async () => {
    const lines = ["1", "x".repeat(2_000_000), "2", "y".repeat(1_200_000)];
    const split = await file("a", lines.join("\n"));
    const options = {
      maxRecordBytes: 1_000,
      onBadRecord: { sideOutput: outputTag<BadRecord>("bad") },
    };
    for (let polls = 1; polls < 14; polls++) {
      const first = new Drive(text(), options);
      first.reader.addSplits([split]);
      first.reader.notifyNoMoreSplits();
      let count = 0;
      await first.until(() => ++count === polls);
      const restored = first.reader.snapshotState(1).map((state) => ({ ...state }));
      await first.reader.close();
      const rest = new Drive(text(), options);
      expect([...first.records, ...(await rest.read(...restored))]).toEqual(["1", "2"]);
      expect([...first.side, ...rest.side]).toMatchObject([{ line: 2 }, { line: 4 }]);
    }
  });

  test("a file that the system refuses fails with its path, and may be read when it is tried again", async () => {
    const refused = Object.assign(new Error("EACCES"), { code: "EACCES" });
    const split = await file("a", "1\n");
    const refusing = { ...files, open: () => Promise.reject(refused) };
    await expect(new Drive(text(), {}, refusing).read(split)).rejects.toMatchObject({
      code: "SOURCE_UNREADABLE",
      message: `The source cannot read ${split.splitId}.`,
      retryable: true,
      cause: refused,
    });
    // Whatever is to be done with bad records: this is none.
    const skipping = new Drive(text(), { onBadRecord: "skip" }, refusing).read(split);
    await expect(skipping).rejects.toMatchObject({ code: "SOURCE_UNREADABLE" });
  });

  test("a file that was replaced while the job stood still is not read on in the middle of a record", async () => {
    const split = { ...(await file("a", "first\nsecond\n")), positionBytes: 6, lineCount: 1 };
    await file("a", "another file\nsecond\n");
    await expect(new Drive(text()).read(split)).rejects.toMatchObject({
      code: "SOURCE_FILE_CHANGED",
      message: expect.stringContaining("a:2 (byte 6): it was replaced or rewritten") as string,
    });
    expect(await new Drive(text(), { onBadRecord: "skip" }).read(split)).toEqual([]);
    // A last line that had no break is where the file ends, and may stay so.
    const ended = { ...(await file("b", "first")), positionBytes: 5, lineCount: 1 };
    expect(await new Drive(text()).read(ended)).toEqual([]);
  });

  test("a file that is gone, or shorter than what was read, fails or is dropped", async () => {
    const gone = await file("a", "1\n2\n3\n");
    await unlink(gone.splitId);
    await expect(new Drive(text()).read(gone)).rejects.toMatchObject({
      code: "SOURCE_FILE_CHANGED",
    });
    const shrunk = { ...(await file("b", "1\n2\n3\n")), positionBytes: 4, lineCount: 2 };
    await truncate(shrunk.splitId, 1);
    await expect(new Drive(text()).read(shrunk)).rejects.toThrow(
      ":3 (byte 4): it shrank to 1 bytes",
    );
    const other = await file("c", "4\n");
    expect(await new Drive(text(), { onBadRecord: "skip" }).read(gone, shrunk, other)).toEqual([
      "4",
    ]);
  });
});

test("a watched file is read on as it grows, a half line only when it is whole", async () => {
  const split = await file("a", "1\n2");
  const other = await file("b", "x\n");
  const drive = new Drive(text(), { watch: "1 ms" });
  drive.reader.addSplits([split, other]);
  await drive.until(() => drive.records.length === 2);
  await appendFile(split.splitId, "0\n3\n");
  await appendFile(other.splitId, "y\n");
  await drive.until(() => drive.records.length === 5);
  await drive.until((status) => {
    // At every moment a snapshot holds both files: the one being read, and those that wait to be looked at again.
    const snapshot = drive.reader.snapshotState(1).map(({ splitId }) => splitId);
    expect(snapshot.toSorted()).toEqual([split.splitId, other.splitId]);
    return (
      status === "NOTHING" &&
      drive.reader.snapshotState(1).every(({ positionBytes }) => positionBytes > 3)
    );
  });
  await drive.reader.close();
  expect(drive.records.toSorted()).toEqual(["1", "20", "3", "x", "y"]);
});

describe("a file that is held back", () => {
  const lines = (letter: string, count: number) =>
    Array.from({ length: count }, (_, index) => `${letter}${index}\n`).join("");

  test("is left alone while others are read, and goes on where it was", async () => {
    const drive = new Drive<string>(text());
    const [a, b] = [await file("a", lines("a", 9)), await file("b", lines("b", 4))];
    drive.reader.addSplits([a, b]);
    drive.reader.notifyNoMoreSplits();
    await drive.until(() => drive.records.length === 3);
    drive.reader.pauseOrResumeSplits?.([a.splitId], []);
    await drive.until(() => drive.records.length === 7);
    expect(drive.records).toEqual(["a0", "a1", "a2", "b0", "b1", "b2", "b3"]);
    await drive.until((status) => status === "NOTHING");
    expect(drive.reader.snapshotState(1).map(({ splitId }) => splitId)).toContain(a.splitId);
    drive.reader.pauseOrResumeSplits?.([], [a.splitId]);
    await drive.until();
    await drive.reader.close();
    expect(drive.records.slice(7)).toEqual(["a3", "a4", "a5", "a6", "a7", "a8"]);
  });

  test("does not keep a file from being read that is looked at again and again", async () => {
    const drive = new Drive<string>(text(), { watch: "5 ms" });
    const [a, b] = [await file("a", lines("a", 1)), await file("b", lines("b", 9))];
    drive.reader.addSplits([a, b]);
    await drive.until(() => drive.records.length >= 4);
    drive.reader.pauseOrResumeSplits?.([b.splitId], []);
    await appendFile(a.splitId, "a1\n");
    await drive.until(() => drive.records.at(-1) === "a1");
    expect(drive.records.filter((record) => record.startsWith("b"))).toHaveLength(3);
    drive.reader.pauseOrResumeSplits?.([], [b.splitId]);
    await drive.until(() => drive.records.at(-1) === "b8");
    await drive.reader.close();
    expect(drive.records.toSorted()).toEqual(
      ["a0", "a1", ...Array.from({ length: 9 }, (_, index) => `b${index}`)].toSorted(),
    );
  });
});
