import { expect, test } from "vitest";

import { present } from "../../base/index.ts";
import { collectSink, generatorSource } from "../../connectors/index.ts";
import {
  type Collector,
  outputTag,
  type ProcessContext,
  type ProcessFunction,
} from "../../operators/index.ts";
import { Types } from "../../serde/index.ts";
import { defineJob } from "../job-definition.ts";
import { runAsync } from "./run.ts";

const ODD = outputTag("odd", Types.int());

/** Odd numbers to the side, even ones twice. */
class Split implements ProcessFunction<number, number> {
  processElement(value: number, context: ProcessContext, out: Collector<number>): void {
    if (value % 2 === 1) return context.output(ODD, value);
    out.collect(value);
    out.collect(value);
  }
}

// 1,000 numbers; 500 odd, 1,000 even, of which 500 are multiples of 4.
const job = defineJob("counts", (env) => {
  const split = env
    .fromSource(generatorSource((n: number) => n, { count: 1_000, type: Types.int() }))
    .uid("numbers")
    .name("numbers")
    .process(() => new Split(), { returns: Types.int() })
    .name("split");
  split
    .filter((n) => n % 4 === 0)
    .name("filter")
    .map((n) => n + 1, { returns: Types.int() })
    .name("map")
    .keyBy((n) => n % 10, Types.int())
    .reduce((a, b) => a + b)
    .name("reduce")
    .sinkTo(collectSink(Types.int()))
    .name("sink");
  split
    .map((n) => n, { returns: Types.int() })
    .name("beside")
    .sinkTo(collectSink(Types.int()))
    .name("sink-beside");
  split
    .getSideOutput(ODD)
    .map((n) => n, { returns: Types.int() })
    .name("odd")
    .rebalance()
    .flatMap((n) => [n, n, n], { returns: Types.int() })
    .name("thrice")
    .sinkTo(collectSink(Types.int()))
    .name("sink-odd");
});

const WANTED: Readonly<Record<string, readonly [numRecordsIn: number, numRecordsOut: number]>> = {
  numbers: [0, 1_000],
  split: [1_000, 1_000],
  filter: [1_000, 500],
  map: [500, 500],
  reduce: [500, 500],
  sink: [500, 0],
  beside: [1_000, 1_000],
  "sink-beside": [1_000, 0],
  odd: [500, 500],
  thrice: [500, 1_500],
  "sink-odd": [1_500, 0],
};

test.each([1, 2, 3])(
  "every operator knows what came in and went out, though few of them count, at parallelism %i",
  async (parallelism) => {
    const client = await runAsync(job, { "parallelism.default": parallelism });
    await client.result;
    const counts: Record<string, [number, number]> = {};
    for (const { operatorName, numRecordsIn, numRecordsOut } of client.job.master.metrics()) {
      const name = operatorName.replace(/^\w+: /, "");
      const [before, after] = counts[name] ?? [0, 0];
      counts[name] = [before + numRecordsIn, after + numRecordsOut];
    }
    expect(counts).toEqual(WANTED);
    const [source] = client.job.graph.vertices;
    const tasks = client.job.master.taskMetrics();
    const ofSource = tasks.filter(
      ({ task }) => task.vertexId === present(source, "there is one").id,
    );
    // What leaves the first task goes to the keyed one and the side output's.
    expect(ofSource.reduce((sum, { numRecordsOut }) => sum + numRecordsOut, 0)).toBe(1_000);
  },
);
