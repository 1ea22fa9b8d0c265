import { describe, expect, test } from "vitest";

import { causeChain, isStreamError } from "../../base/index.ts";
import { collectSink } from "../../connectors/index.ts";
import type { ValueState } from "../../state/index.ts";
import type { Collector, RuntimeContext } from "../../operators/index.ts";
import { Types } from "../../serde/index.ts";
import type { DataStream } from "../data-stream.ts";
import { defineJob, type JobDefinition } from "../job-definition.ts";
import { run } from "./run.ts";

interface Count {
  n: number;
  tags: string[];
}

const CountType = Types.struct({ n: Types.long(), tags: Types.array(Types.string()) });

const EMBEDDED = {
  "execution.checkpointing.interval": "0 ms",
  "restart-strategy.type": "none",
  "cutwater.slots": 1,
};
const PORTABLE = { ...EMBEDDED, "cutwater.portable": true };

/** What of the run's failure this package foresaw in portable mode. */
async function refusalOf(job: JobDefinition): Promise<Error> {
  let failure: unknown;
  try {
    await run(job, PORTABLE);
  } catch (error) {
    failure = error;
  }
  for (let current = failure; current instanceof Error; current = current.cause) {
    if (isStreamError(current, "EMITTED_RECORD_CHANGED")) return current;
    if (isStreamError(current, "STATE_VALUE_CHANGED_IN_PLACE")) return current;
  }
  throw new Error(`not refused: ${causeChain(failure).join(" <- ")}`);
}

type Exchange = (stream: DataStream<Count>) => DataStream<Count>;

const EXCHANGES: readonly (readonly [string, Exchange])[] = [
  ["to its only receiver, by a call", (stream) => stream.global()],
  ["by key to one subtask", (stream) => stream.keyBy(({ n }) => n).map((one) => one)],
  [
    "to several subtasks",
    (stream) =>
      stream
        .rebalance()
        .map((one) => one)
        .setParallelism(3),
  ],
  [
    "to all subtasks",
    (stream) =>
      stream
        .broadcast()
        .map((one) => one)
        .setParallelism(2),
  ],
];

/** Uses one object for all records, as a careless author might. */
function reusingJob(exchange: Exchange): JobDefinition {
  return defineJob("reuses", (env) => {
    const reused: Count = { n: 0, tags: [] };
    const counts = env.fromData(1, 2, 3).flatMap<Count>(
      (n, out) => {
        reused.n = n;
        out.collect(reused);
      },
      { returns: CountType },
    );
    exchange(counts)
      .map(({ n }) => n)
      .sinkTo(collectSink<number>());
  });
}

test.each(EXCHANGES)(
  "a record that was emitted %s is not changed afterwards",
  async (_name, exchange) => {
    const error = await refusalOf(reusingJob(exchange));
    expect(error.message).toMatch(
      /^A record was changed after it was emitted from .* to .*, at n\.$/,
    );
    expect(error.stack).toContain("portable.test.ts");
  },
);

class Words {
  readonly #work: (state: ValueState<Count>) => void;
  #state: ValueState<Count> | undefined = undefined;

  constructor(work: (state: ValueState<Count>) => void) {
    this.#work = work;
  }

  open(context: RuntimeContext): void {
    const descriptor = { kind: "value", name: "count", ttl: undefined, type: CountType } as const;
    this.#state = context.getState(descriptor);
  }

  processElement(_word: string, _context: unknown, out: Collector<number>): void {
    if (this.#state !== undefined) this.#work(this.#state);
    out.collect(this.#state?.value()?.n ?? 0);
  }
}

/** Counts per word, and does with the state's value as it is told. */
function countingJob(
  work: (state: ValueState<Count>) => void,
  sink = collectSink<number>(),
): JobDefinition {
  return defineJob("counts", (env) => {
    env
      .fromData("a", "b", "a", "a")
      .keyBy((word) => word)
      .process<number>(() => new Words(work))
      .name("words")
      .sinkTo(sink);
  });
}

describe("a value of state is not changed in place", () => {
  const cases: readonly (readonly [string, string, (state: ValueState<Count>) => void])[] = [
    [
      "where it was read",
      "n",
      (state) => {
        const count = state.value() ?? { n: 0, tags: [] };
        count.n++;
        state.update(count);
      },
    ],
    [
      "deep inside",
      "tags",
      (state) => {
        if (state.value() === undefined) state.update({ n: 1, tags: [] });
        state.value()?.tags.push("x");
      },
    ],
    [
      "where it was given to it",
      "n",
      (state) => {
        const count = { n: 1, tags: [] };
        state.update(count);
        count.n = 2;
      },
    ],
  ];

  test.each(cases)("%s", async (_name, path, work) => {
    const error = await refusalOf(countingJob(work));
    expect(error.message).toBe(
      `A value of state "count" of words (1/1) was changed in place, at ${path}.`,
    );
    expect(isStreamError(error) ? error.remedy : "").toMatch(/^Make a copy, change that/);
    expect(error.stack).toContain("portable.test.ts");
  });

  test("while a copy of it is", async () => {
    const [portable, embedded] = [collectSink<number>(), collectSink<number>()];
    const work = (state: ValueState<Count>): void => {
      const count = structuredClone(state.value()) ?? { n: 0, tags: [] };
      count.n++;
      count.tags.push("x");
      state.update(count);
    };
    await run(countingJob(work, portable), PORTABLE);
    await run(countingJob(work, embedded), EMBEDDED);
    expect(portable.records).toEqual([1, 1, 2, 3]);
    expect(embedded.records).toEqual(portable.records);
  });
});

test("an accumulator may be changed by the function that folds", async () => {
  const sink = collectSink<number>();
  const job = defineJob("sums", (env) => {
    env
      .fromData(1, 2, 3)
      .keyBy(() => "all")
      .aggregate({
        createAccumulator: (): Count => ({ n: 0, tags: [] }),
        add(value: number, sum: Count) {
          sum.n += value;
          return sum;
        },
        getResult: ({ n }: Count) => n,
        merge: (a: Count, b: Count) => ({ ...a, n: a.n + b.n }),
      })
      .sinkTo(sink);
  });
  await run(job, PORTABLE);
  expect(sink.records).toEqual([1, 3, 6]);
});

test("what would not cross to another process does not cross to another task", async () => {
  class Money {
    cents = 1;
  }
  const job = defineJob("money", (env) => {
    env
      .fromData(1)
      .map(() => new Money())
      .name("pay")
      .rebalance()
      .map((money) => money.cents)
      .sinkTo(collectSink<number>());
  });
  await run(job, EMBEDDED);
  await expect(run(job, PORTABLE)).rejects.toMatchObject({
    cause: { code: "VALUE_NOT_SERIALIZABLE" },
  });
});
