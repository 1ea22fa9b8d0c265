import { expect, test } from "vitest";
import { nodePlatform, type Platform, StreamError } from "../base/index.ts";
import { type Committer, type Sink, sinkOperator, type SinkWriter } from "../operators/index.ts";
import { Types } from "../serde/index.ts";
import { OperatorHarness, type HarnessSetup } from "./operator-harness.ts";

/** Collects records into parts, and parts into `published` when they are committed. */
class PartSink implements Sink<string, string, string> {
  readonly name = "parts";
  readonly writerStateSerializer = Types.string();
  readonly committableSerializer = Types.string();
  readonly published: string[] = [];
  readonly attempts: string[][] = [];
  readonly restoredWriters: string[] = [];
  /** Errors that the next commits fail with. */
  readonly failures: unknown[] = [];

  createWriter(_context: unknown, restored: readonly string[]): SinkWriter<string, string, string> {
    this.restoredWriters.push(...restored);
    let part: string[] = [];
    return {
      write: (record) => part.push(record),
      prepareCommit() {
        const committables = part.length === 0 ? [] : [part.join("+")];
        part = [];
        return { committables, durable: undefined };
      },
      snapshotState: (checkpointId) => [`writer at ${checkpointId}`],
      close() {},
    };
  }

  createCommitter(): Committer<string> {
    return {
      commit: async (committables) => {
        this.attempts.push([...committables]);
        const failure = this.failures.shift();
        if (failure !== undefined) throw failure;
        this.published.push(...committables);
      },
    };
  }
}

/** Waits for nothing. */
const platform: Platform = {
  ...nodePlatform(),
  after(_delayMs, callback) {
    queueMicrotask(callback);
    return () => {};
  },
};

function setupOf(sink: PartSink, isCheckpointed = true): HarnessSetup<never> {
  return { factory: sinkOperator(sink), isCheckpointed, platform };
}

const retryable = new StreamError("SINK_FILE_UNWRITABLE", { file: "part", action: "rename" });

test("what was written is published when its checkpoint is complete, not before", async () => {
  const sink = new PartSink();
  const harness = await OperatorHarness.open(setupOf(sink));
  harness.processElement("a");
  harness.processElement("b");
  await harness.snapshot(1);
  harness.processElement("c");
  await harness.snapshot(2);
  expect(sink.published).toEqual([]);
  await harness.notifyCheckpointComplete(1);
  expect(sink.published).toEqual(["a+b"]);
  await harness.notifyCheckpointComplete(2);
  expect(sink.published).toEqual(["a+b", "c"]);
});

test("a checkpoint that is complete publishes what earlier ones left behind", async () => {
  const sink = new PartSink();
  const harness = await OperatorHarness.open(setupOf(sink));
  harness.processElement("a");
  await harness.snapshot(1);
  harness.processElement("b");
  await harness.snapshot(2);
  await harness.notifyCheckpointComplete(2);
  expect(sink.attempts).toEqual([["a", "b"]]);
});

test("after a restore, what lay in the checkpoint is published again, and the writer gets its state", async () => {
  const sink = new PartSink();
  const harness = await OperatorHarness.open(setupOf(sink));
  harness.processElement("a");
  await harness.snapshot(1);
  harness.processElement("b");
  const snapshot = await harness.snapshot(2);
  harness.processElement("lost with the process");
  const restored = await OperatorHarness.open(setupOf(sink), snapshot);
  expect(sink.published).toEqual(["a", "b"]);
  expect(sink.restoredWriters).toEqual(["writer at 2"]);
  await restored.snapshot(3);
  await restored.notifyCheckpointComplete(3);
  expect(sink.published).toEqual(["a", "b"]);
});

test("what was published is no longer in later snapshots", async () => {
  const sink = new PartSink();
  const harness = await OperatorHarness.open(setupOf(sink));
  harness.processElement("a");
  await harness.snapshot(1);
  await harness.notifyCheckpointComplete(1);
  await OperatorHarness.open(setupOf(sink), await harness.snapshot(2));
  expect(sink.published).toEqual(["a"]);
});

test("a commit that may succeed is tried again, any other fails", async () => {
  const sink = new PartSink();
  const harness = await OperatorHarness.open(setupOf(sink));
  harness.processElement("a");
  await harness.snapshot(1);
  sink.failures.push(retryable, retryable);
  await harness.notifyCheckpointComplete(1);
  expect(sink.attempts).toHaveLength(3);
  expect(sink.published).toEqual(["a"]);
  harness.processElement("b");
  await harness.snapshot(2);
  sink.failures.push(new Error("the table is gone"));
  await expect(harness.notifyCheckpointComplete(2)).rejects.toThrow("the table is gone");
});

test("without checkpoints all is published at the end", async () => {
  const sink = new PartSink();
  const harness = await OperatorHarness.open(setupOf(sink, false));
  harness.processElement("a");
  harness.finish();
  await harness.close();
  expect(sink.published).toEqual(["a"]);
});
