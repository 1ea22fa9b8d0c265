import { expect, test } from "vitest";
import { Configuration, isStreamError } from "../base/index.ts";
import { renderPlan } from "../graph/index.ts";
import type { OperatorParameters, ProcessFunction } from "../operators/index.ts";
import { defineJob, type JobFunction } from "./job-definition.ts";

class Echo implements ProcessFunction<number, number> {
  readonly #seen: number[] = [];

  processElement(value: number, _context: unknown, out: { collect(value: number): void }): void {
    this.#seen.push(value);
    out.collect(this.#seen.length);
  }
}

function codeOf(action: () => unknown): string | undefined {
  try {
    action();
    return undefined;
  } catch (error) {
    if (isStreamError(error)) return error.code;
    throw error;
  }
}

const flag = (key: string, value: string) =>
  new Configuration([{ key, value, origin: "flag", place: "-D" }]);

function build(main: JobFunction, configuration?: Configuration): ReturnType<typeof renderPlan> {
  return renderPlan(defineJob("job", main).build(configuration));
}

test("a job gets its arguments and its configuration", () => {
  let seen: unknown;
  const job = defineJob("job", (env, jobArguments) => {
    seen = [jobArguments, env.configuration.get("x.y")?.value];
    env.fromData(1).map((value) => value);
  });
  job.build(flag("x.y", "z"), ["a", "b"]);
  expect(seen).toEqual([["a", "b"], "z"]);
});

test("a flag is stronger than what the code sets, and the code than the initial value", () => {
  const job = defineJob("job", (env) => {
    env.setParallelism(3).enableCheckpointing("5 s");
    env.fromData(1).map((value) => value);
  });
  const parallelism = (configuration?: Configuration) =>
    job.build(configuration).vertices.map((v) => v.parallelism);
  expect(parallelism()).toEqual([1, 3]);
  expect(parallelism(flag("parallelism.default", "5"))).toEqual([1, 5]);
  expect(job.build().configuration?.map(({ key, value }) => `${key}: ${value}`)).toEqual([
    "parallelism.default: 3",
    "execution.checkpointing.interval: 5000 ms",
    "execution.checkpointing.mode: EXACTLY_ONCE",
  ]);
});

test("chaining and max parallelism come from the configuration too", () => {
  const main: JobFunction = (env) => {
    env.fromData(1).map((value) => value);
  };
  expect(defineJob("job", main).build().vertices).toHaveLength(1);
  expect(
    defineJob("job", main).build(flag("pipeline.operator-chaining", "false")).vertices,
  ).toHaveLength(2);
  expect(
    defineJob("job", main).build(flag("pipeline.max-parallelism", "7")).vertices[0]?.maxParallelism,
  ).toBe(7);
});

test("a job that differs from call to call is refused", () => {
  let calls = 0;
  expect(
    codeOf(() =>
      build((env) => {
        calls += 1;
        env
          .fromData(1)
          .map((value) => value)
          .name(`Map ${calls}`);
      }),
    ),
  ).toBe("JOB_NOT_REPEATABLE");
});

test("a job without a name or without operators is refused", () => {
  expect(codeOf(() => defineJob(" ", () => {}))).toBe("PARAMETER_INVALID");
  expect(codeOf(() => build(() => {}))).toBe("JOB_WITHOUT_OPERATORS");
});

test("a function object from outside the job's function is refused", () => {
  const shared = new Echo();
  expect(codeOf(() => build((env) => void env.fromData(1).process(shared)))).toBe(
    "FUNCTION_OBJECT_SHARED",
  );
});

test.each([
  [
    "an object",
    (): ProcessFunction<number, number> | (() => ProcessFunction<number, number>) => new Echo(),
  ],
  ["a function that makes one", () => () => new Echo()],
])("each subtask has a function object of its own when the job gives %s", (_what, give) => {
  const graph = defineJob("job", (env) => void env.fromData(1, 2).process(give())).build();
  const logic = graph.vertices[0]?.operators[1]?.logic;
  if (logic?.kind !== "operator") throw new Error("the process operator is chained to the source");
  const outputs = [0, 1, 2].map((subtaskIndex) => {
    const emitted: unknown[] = [];
    const operator = logic.factory.create(undefined, parameters(subtaskIndex, emitted)) as {
      processElement(value: number, timestamp: number): void;
    };
    operator.processElement(1, 0);
    operator.processElement(2, 0);
    return emitted;
  });
  expect(outputs).toEqual([
    [1, 2],
    [1, 2],
    [1, 2],
  ]);
});

function parameters(subtaskIndex: number, emitted: unknown[]): OperatorParameters<unknown> {
  return {
    context: {
      subtaskIndex,
      metrics: { numRecordsIn: 0, numRecordsOut: 0 },
    } as OperatorParameters<unknown>["context"],
    output: {
      processElement: (value) => void emitted.push(value),
      processWatermark() {},
      processWatermarkStatus() {},
    },
  };
}
