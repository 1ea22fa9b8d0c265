/**
 * A parallel source that keeps its count in operator state: parallelism 4 into a print of parallelism 6.
 *
 * The job of a field report in which the checkpoint directory looked empty although checkpoints completed: the state is so small that it lies inside
 * `_metadata`. `npx cutwater checkpoints .cutwater/CheckpointTest` shows it.
 */
import { strictEqual } from "node:assert/strict";

import {
  defineJob,
  functionSource,
  type OperatorListState,
  type OperatorStateStore,
  printSink,
  type SourceFunction,
  type SourceFunctionContext,
  Types,
} from "cutwater";

const GREETINGS = 5;
const PAUSE_MS = 100;

class CheckpointSourceFunction implements SourceFunction<string> {
  private count = 0;
  private countState: OperatorListState<number> | undefined = undefined;

  initializeState(state: OperatorStateStore): void {
    this.countState = state.listState({ name: "countState", type: Types.long() });
    this.count = this.countState.get().reduce((sum, count) => sum + count, 0);
    console.log(`initializeState, count is: ${this.count}`);
  }

  run(context: SourceFunctionContext<string>): number | "end" {
    if (this.count >= GREETINGS) return "end";
    context.collect(`Hello-${this.count}`);
    this.count++;
    return PAUSE_MS;
  }

  snapshotState(): void {
    console.log("snapshotState is called");
    this.countState?.update([this.count]);
  }

  notifyCheckpointComplete(checkpointId: number): void {
    console.log(`checkpointComplete, checkpointId: ${checkpointId}`);
  }
}

const printed: string[] = [];

export default defineJob("CheckpointTest", (env) => {
  env.enableCheckpointing("200 ms").configure({
    "execution.checkpointing.externalized-checkpoint-retention": "RETAIN_ON_CANCELLATION",
    // One thread, so that `check` below sees what all six printers printed.
    "cutwater.slots": 1,
  });
  env
    .fromSource(functionSource(() => new CheckpointSourceFunction(), { type: Types.string() }))
    .setParallelism(4)
    .uid("CheckpointingSource")
    .sinkTo(
      printSink("", {
        writeLine(line) {
          printed.push(line);
          console.log(line);
        },
      }),
    )
    .setParallelism(6);
});

export function check(): string {
  const greetings = printed.map((line) => line.replace(/^\d+> /, "")).toSorted();
  const expected = Array.from({ length: GREETINGS }, (_, count) =>
    Array.from({ length: 4 }, () => `Hello-${count}`),
  ).flat();
  strictEqual(greetings.join(), expected.join());
  return `${printed.length} greetings from 4 subtasks over ${new Set(printed.map((line) => line.split(">")[0])).size} printers.`;
}
