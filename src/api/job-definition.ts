import { Configuration, StreamError } from "../base/index.ts";
import { type JobGraph, renderPlan } from "../graph/index.ts";
import { FunctionObjects } from "./function-objects.ts";
import { JobBuilder } from "./job-builder.ts";
import { StreamExecutionEnvironment } from "./stream-execution-environment.ts";

/**
 * Says what a job does, by calls on the environment and its streams. Runs nothing by itself.
 *
 * @remarks
 * It is called several times for one run (in each thread, for each function object), so what it says must follow from its
 * environment and arguments alone.
 *
 * @param jobArguments - What stands behind `--` on the command line.
 */
export type JobFunction = (
  env: StreamExecutionEnvironment,
  jobArguments: readonly string[],
) => void;

/** A job as a value: what a job file exports as its default. */
export interface JobDefinition {
  readonly name: string;
  /**
   * Makes the job graph.
   *
   * @throws StreamError JOB_NOT_REPEATABLE if a second call of the job's function says something else,
   * FUNCTION_OBJECT_SHARED if a function object was made outside of it, and what the calls in it throw.
   */
  build(configuration?: Configuration, jobArguments?: readonly string[]): JobGraph;
}

/**
 * Defines a job: `export default defineJob("name", (env) => { … })`.
 *
 * @param name - Not empty. The job's id, and with it its directory, is made of it.
 * @throws StreamError PARAMETER_INVALID if the name is empty.
 *
 * @example
 * ```ts
 * export default defineJob("word-count", (env, [path = "words.txt"]) => {
 *   env
 *     .fromSource(fileSource(path, lines()))
 *     .flatMap((line) => line.split(" "))
 *     .keyBy((word) => word)
 *     .aggregate(counting)
 *     .print();
 * });
 * ```
 */
export function defineJob(name: string, main: JobFunction): JobDefinition {
  if (typeof name !== "string" || name.trim() === "") {
    throw new StreamError("PARAMETER_INVALID", {
      what: "defineJob",
      problem: "the name of the job is empty",
    });
  }
  return {
    name,
    build(configuration = new Configuration(), jobArguments = []) {
      const call = (): JobBuilder => {
        const functions = new FunctionObjects(name, () => call().functions);
        const builder = new JobBuilder(name, configuration, functions);
        main(new StreamExecutionEnvironment(builder), jobArguments);
        return builder;
      };
      const first = call();
      const second = call();
      first.functions.requireOwn(second.functions);
      const graph = first.build();
      if (
        renderPlan(graph) !== renderPlan(second.build()) ||
        first.functions.count !== second.functions.count
      ) {
        throw new StreamError("JOB_NOT_REPEATABLE", { job: name });
      }
      return graph;
    },
  };
}
