import { expect, test } from "vitest";

import { Types } from "../serde/index.ts";
import { OperatorHarness } from "../testing/operator-harness.ts";
import type { Sink } from "./sink.ts";
import { sinkOperator } from "./sink-operator.ts";

test("a sink is finished only with the checkpoint that covers its last records", async () => {
  const course: string[] = [];
  const sink: Sink<string, string> = {
    name: "told",
    writerStateSerializer: undefined,
    committableSerializer: Types.string(),
    createWriter: () => ({
      write: (record) => void course.push(`write ${record}`),
      prepareCommit: (checkpointId) => ({
        committables: [`part ${checkpointId}`],
        durable: undefined,
      }),
      close() {},
    }),
    createCommitter: () => ({
      commit: async (parts) => void course.push(`commit ${parts.join()}`),
      finish: async () => void course.push("finish"),
    }),
  };
  const harness = await OperatorHarness.open({ factory: sinkOperator(sink) });
  harness.processElement("a", 0);
  await harness.snapshot(1);
  harness.processElement("b", 0);
  harness.finish();
  // The writer still holds b.
  await harness.notifyCheckpointComplete(1);
  await harness.snapshot(2);
  await harness.notifyCheckpointComplete(2);
  expect(course).toEqual(["write a", "write b", "commit part 1", "commit part 2", "finish"]);
  await harness.close();
});
