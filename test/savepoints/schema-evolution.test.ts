import { expect, test } from "vitest";

import {
  type CollectSink,
  collectSink,
  defineJob,
  type JobDefinition,
  type KeyedProcessContext,
  type KeyedProcessFunction,
  type Collector,
  type RuntimeContext,
  Types,
  type ValueState,
  valueState,
} from "../../src/index.ts";
import type { TypeSerializer } from "../../src/serde/index.ts";
import { quietMachine } from "../../src/testing/index.ts";
import { start } from "./savepoint-job.ts";

/**
 * The type of a state changes between two runs of a job: what can be read as the new type goes on, anything else is refused with the
 * names of state and field and both types, before a record flows.
 */

type Entry = Readonly<Record<string, unknown>>;

/** Holds an entry per key; tells what it found there. */
class Holding implements KeyedProcessFunction<number, number, string> {
  private entry: ValueState<Entry> | undefined = undefined;
  private readonly type: TypeSerializer<Entry>;
  private readonly next: (before: Entry | null, value: number) => Entry;

  constructor(type: TypeSerializer<Entry>, next: (before: Entry | null, value: number) => Entry) {
    this.type = type;
    this.next = next;
  }

  open(context: RuntimeContext): void {
    this.entry = context.getState(valueState("entry", this.type));
  }

  processElement(
    value: number,
    _context: KeyedProcessContext<number>,
    out: Collector<string>,
  ): void {
    const before = this.entry?.value() ?? null;
    out.collect(
      JSON.stringify(before, (_, part: unknown) => (typeof part === "bigint" ? `${part}n` : part)),
    );
    this.entry?.update(this.next(before, value));
  }
}

function holding(
  count: number | undefined,
  type: TypeSerializer<never>,
  next: (before: Entry | null, value: number) => Entry,
  sink: CollectSink<string> = collectSink(Types.string()),
) {
  const definition: JobDefinition = defineJob("holding", (env) => {
    env
      .fromGenerator((index) => index, {
        ...(count === undefined ? {} : { count }),
        type: Types.int(),
      })
      .uid("numbers")
      .setParallelism(1)
      .keyBy(() => 0, Types.int())
      .process(() => new Holding(type as unknown as TypeSerializer<Entry>, next), {
        returns: Types.string(),
      })
      .uid("holding")
      .sinkTo(sink)
      .uid("sink");
  });
  return { definition, sink };
}

const Old = Types.struct({ count: Types.int(), name: Types.string(), extra: Types.string() });

/** A savepoint of a job whose state has type `Old`, and how far it had come. */
async function savepointOfOld(machine: ReturnType<typeof quietMachine>) {
  const { definition, sink } = holding(undefined, Old as TypeSerializer<never>, (before) => ({
    count: Number(before?.["count"] ?? 0) + 1,
    name: "n",
    extra: "x",
  }));
  const { job, drive, until } = await start(machine, definition);
  await until(() => sink.records.length > 20);
  const directory = await drive(job.stopWithSavepoint({ targetDirectory: "/savepoints" }));
  await drive(job.result);
  return { directory, sink, count: sink.records.length };
}

test.each([
  {
    change: "a field was added, with a default",
    type: Types.struct({
      count: Types.int(),
      name: Types.string(),
      extra: Types.string(),
      added: Types.withDefault(Types.string(), "new"),
    }),
    found: (count: number) => ({ count, name: "n", extra: "x", added: "new" }),
  },
  {
    change: "a field was removed",
    type: Types.struct({ count: Types.int(), name: Types.string() }),
    found: (count: number) => ({ count, name: "n" }),
  },
  {
    change: "a number was widened",
    type: Types.struct({ count: Types.double(), name: Types.string(), extra: Types.string() }),
    found: (count: number) => ({ count, name: "n", extra: "x" }),
  },
  {
    change: "all of it at once, and fields changed places",
    type: Types.struct({
      added: Types.optional(Types.int()),
      name: Types.string(),
      count: Types.long(),
    }),
    found: (count: number) => ({ name: "n", count }),
  },
])("the job goes on when $change", async ({ type, found }) => {
  const machine = quietMachine();
  const { directory, sink, count } = await savepointOfOld(machine);
  const next = holding(count + 2, type as TypeSerializer<never>, (before) => before ?? {}, sink);
  const settings = { "execution.state-recovery.path": directory };
  const { job, drive } = await start(machine, next.definition, settings);
  await drive(job.result);
  // The last savepoint holds what had been counted, and its checkpoints hold the new form.
  expect(sink.records.slice(count).map((text) => JSON.parse(text) as unknown)).toEqual([
    found(count),
    found(count),
  ]);
});

test.each([
  {
    change: "another type of a field",
    type: Types.struct({ count: Types.string(), name: Types.string(), extra: Types.string() }),
    names: ["entry", "count", "int", "string"],
  },
  {
    change: "a field without a default",
    type: Types.struct({
      count: Types.int(),
      name: Types.string(),
      extra: Types.string(),
      added: Types.string(),
    }),
    names: ["entry", "added", "string"],
  },
  {
    change: "a narrower number",
    type: Types.struct({ count: Types.boolean(), name: Types.string(), extra: Types.string() }),
    names: ["entry", "count", "int", "boolean"],
  },
])(
  "$change is refused with state, field and types, before a record flows",
  async ({ type, names }) => {
    const machine = quietMachine();
    const { directory, sink, count } = await savepointOfOld(machine);
    const next = holding(9_999, type as TypeSerializer<never>, (before) => before ?? {}, sink);
    const settings = { "execution.state-recovery.path": directory };
    const { job, drive } = await start(machine, next.definition, settings);
    const error = await drive(job.result.catch((failure: unknown) => failure));
    expect(error).toMatchObject({ code: "JOB_FAILED", cause: { code: "STATE_INCOMPATIBLE" } });
    const { message } = (error as { cause: Error }).cause;
    for (const name of names) expect(message).toContain(name);
    // A restart would change nothing.
    expect(job.master.restartCount).toBe(0);
    expect(sink.records).toHaveLength(count);
  },
);
