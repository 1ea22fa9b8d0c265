import { expect, test } from "vitest";

import { ByteReader, ByteWriter, nodePlatform, silentLogger } from "../base/index.ts";
import {
  mapOperator,
  type PartialAggregate,
  preAggregateOperator,
  TumblingEventTimeWindows,
} from "../operators/index.ts";
import { Types } from "../serde/index.ts";
import {
  dataBytes,
  FrameReader,
  type Hello,
  orderBytes,
  PROTOCOL_VERSION,
  readReport,
  type StageEntry,
  type StageReport,
  writeEntry,
} from "../stage/index.ts";
import { StageHost } from "./stage-host.ts";
import type { StageProgram } from "./stage-program.ts";

const HELLO: Hello = {
  protocol: PROTOCOL_VERSION,
  program: { module: "none", name: "sums" },
  jobName: "job",
  jobId: "0".repeat(32),
  subtaskIndex: 0,
  parallelism: 1,
  maxParallelism: 128,
  keyGroupRange: { first: 0, last: 127 },
  attempt: 0,
  restoredCheckpointId: null,
  isCheckpointed: true,
  autoWatermarkIntervalMs: 200,
  nowMs: 0,
  changesEveryEntries: 2,
};

/** Adds up numbers by their last digit before an exchange, and writes each sum as a text: a chain of two. */
const SUMS: StageProgram = {
  inputs: [Types.int()],
  keyType: undefined,
  outputs: [{ tag: undefined, type: Types.string() as never }],
  operators: [
    {
      id: "1".repeat(32),
      name: "sums",
      factory: preAggregateOperator<number, number, number>({
        assigner: TumblingEventTimeWindows.of(1_000),
        keySelector: (value) => value % 10,
        keyKind: "int",
        first: (value) => value,
        add: (value, sum) => value + sum,
      }) as never,
    },
    {
      id: "2".repeat(32),
      name: "texts",
      factory: mapOperator(
        ({ key, folded }: PartialAggregate<number, number>) => `${key}: ${folded}`,
      ) as never,
    },
  ],
};

function dataOf(values: readonly number[]): Uint8Array {
  const out = new ByteWriter();
  for (const value of values) {
    const bytes = new ByteWriter();
    Types.int().write(value, bytes);
    const entry: StageEntry = {
      kind: "record",
      port: 0,
      timestamp: value,
      key: undefined,
      value: bytes.toBytes(),
    };
    writeEntry(entry, out);
  }
  return dataBytes({ count: values.length, bytes: out.toBytes() });
}

test("what an operator holds leaves before the changes that cover its records: a stage that is started again gets those no more", async () => {
  const reports: StageReport[] = [];
  const sent = new FrameReader();
  const host = new StageHost({
    loadProgram: async () => SUMS,
    platform: nodePlatform(),
    log: silentLogger,
    send: (bytes) => void reports.push(...sent.push(bytes.slice()).map(readReport)),
    end: () => undefined,
  });
  const orders = new FrameReader();
  for (const bytes of [
    orderBytes({ kind: "hello", hello: HELLO }),
    orderBytes({ kind: "load-end", cellCount: 0, blobCount: 0 }),
    dataOf([1]),
    dataOf([11, 2]),
  ])
    for (const frame of orders.push(bytes.slice())) await host.take(frame);
  const outs = reports.flatMap((report) => (report.kind === "out" ? [report] : []));
  const texts = outs.map(({ progress }) =>
    progress.outputs.map((entry) =>
      entry.kind === "record" ? Types.string().read(new ByteReader(entry.value)) : entry.kind,
    ),
  );
  expect(texts).toEqual([[], ["1: 12", "2: 2"]]);
  expect(outs.map(({ covers }) => covers)).toEqual([false, true]);
});
