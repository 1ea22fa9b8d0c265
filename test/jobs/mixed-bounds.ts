import { join } from "node:path";

import {
  defineJob,
  fileSink,
  functionSource,
  ndjson,
  type Of,
  type OperatorListState,
  type SourceFunction,
  Types,
} from "cutwater";

/**
 * Counts by key what three sources emit: one of which one subtask ends early and the other does not, one that ends early as a whole, and one
 * that never ends. Says on standard output when a subtask begins, and how far it is.
 *
 * Arguments: folder for the output, records of the longer subtask.
 */

const Count = Types.struct({ key: Types.string(), count: Types.int() });
type Count = Of<typeof Count>;

const SHORT_COUNT = 100;
const RECORDS_PER_RUN = 2;

class Numbers implements SourceFunction<Count> {
  readonly #name: string;
  readonly #countOf: (subtaskIndex: number) => number;
  #positions: OperatorListState<number> | undefined;
  #next = 0;

  constructor(name: string, countOf: (subtaskIndex: number) => number) {
    this.#name = name;
    this.#countOf = countOf;
  }

  initializeState: NonNullable<SourceFunction<Count>["initializeState"]> = (state) => {
    this.#positions = state.listState({ name: "positions", type: Types.int() });
    this.#next = this.#positions.get()[0] ?? 0;
  };

  run: SourceFunction<Count>["run"] = (context) => {
    const { subtaskIndex } = context;
    const key = `${this.#name}-${subtaskIndex}`;
    if (this.#next === 0) process.stdout.write(`${key} begins\n`);
    for (let record = 0; record < RECORDS_PER_RUN; record++) {
      if (this.#next >= this.#countOf(subtaskIndex)) return "end";
      context.collect({ key, count: 1 });
      if (++this.#next % 1000 === 0) process.stdout.write(`${key} at ${this.#next}\n`);
    }
    return 1;
  };

  snapshotState(): void {
    this.#positions?.update([this.#next]);
  }
}

export default defineJob("mixed-bounds", (env, [folder = ".", longCount = "5000"]) => {
  env.setParallelism(2);
  const counts = [SHORT_COUNT, Number(longCount)];
  const sources = [
    { name: "mixed", countOf: (subtaskIndex: number) => counts[subtaskIndex] ?? 0 },
    { name: "short", countOf: () => SHORT_COUNT },
    { name: "endless", countOf: () => Number.POSITIVE_INFINITY },
  ].map(({ name, countOf }) =>
    env
      .fromSource(functionSource(() => new Numbers(name, countOf), { name, type: Count }))
      .uid(name),
  );
  const [first, ...others] = sources;
  first
    ?.union(...others)
    .keyBy("key")
    .reduce((a, b) => ({ key: a.key, count: a.count + b.count }))
    .uid("counts")
    .sinkTo(fileSink(join(folder, "out"), ndjson(Count)))
    .uid("sink");
});
