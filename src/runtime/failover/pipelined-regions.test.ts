import { describe, expect, test } from "vitest";

import { type DataStream, defineJob, type StreamExecutionEnvironment } from "../../api/index.ts";
import { Configuration } from "../../base/index.ts";
import { collectSink } from "../../connectors/index.ts";
import { Types } from "../../serde/index.ts";
import { PipelinedRegions } from "./pipelined-regions.ts";

/** The regions of a job, each as the names of its tasks: `map#0` for the first subtask of `map`. */
function regionsOf(build: (env: StreamExecutionEnvironment) => void): readonly string[] {
  const graph = defineJob("regions", build).build(new Configuration([]));
  const names = new Map(
    graph.vertices.map(({ id, operators }) => [id, operators[0]?.uid ?? "sink"]),
  );
  return new PipelinedRegions(graph).all.map(({ tasks }) =>
    tasks.map(({ vertexId, subtaskIndex }) => `${names.get(vertexId)}#${subtaskIndex}`).join(" "),
  );
}

function numbers(env: StreamExecutionEnvironment, uid: string): DataStream<number> {
  return env.fromGenerator((index) => index, { count: 1, type: Types.int() }).uid(uid);
}

function plusOne(stream: DataStream<number>, uid: string): DataStream<number> {
  return stream
    .map((value) => value + 1, { returns: Types.int() })
    .uid(uid)
    .disableChaining();
}

describe("the regions of a job", () => {
  test("are one for each part that nothing connects with the others", () => {
    const regions = regionsOf((env) => {
      env.setParallelism(1);
      for (const part of ["a", "b", "c"])
        plusOne(numbers(env, part), `${part}-map`).sinkTo(collectSink(Types.int()));
    });
    expect(regions).toEqual(["a#0 a-map#0 sink#0", "b#0 b-map#0 sink#0", "c#0 c-map#0 sink#0"]);
  });

  test("are one if a record can pass from each to each", () => {
    const regions = regionsOf((env) => {
      env.setParallelism(2);
      const left = numbers(env, "left");
      const right = numbers(env, "right");
      plusOne(left.union(right).rebalance(), "both").sinkTo(collectSink(Types.int()));
    });
    expect(regions).toEqual(["left#0 left#1 right#0 right#1 both#0 both#1 sink#0 sink#1"]);
  });

  test("hold all subtasks of a source, whose splits one enumerator deals out, and what pointwise edges connect with them", () => {
    const regions = regionsOf((env) => {
      env.setParallelism(4);
      const source = env
        .fromGenerator((index) => index, { count: 1, type: Types.int() })
        .uid("source")
        .setParallelism(2);
      plusOne(source.rescale(), "map").sinkTo(collectSink(Types.int()));
    });
    expect(regions).toEqual([
      "source#0 source#1 map#0 map#1 map#2 map#3 sink#0 sink#1 sink#2 sink#3",
    ]);
  });

  test("number the tasks in the order of the graph", () => {
    const graph = defineJob("numbers", (env) => {
      env.setParallelism(1);
      for (const part of ["a", "b"])
        plusOne(numbers(env, part), `${part}-map`).sinkTo(collectSink(Types.int()));
    }).build(new Configuration([]));
    const inGraph = graph.vertices.map(({ id }) => id);
    const tasks = new PipelinedRegions(graph).all.flatMap((region) => region.tasks);
    expect(
      tasks.toSorted((a, b) => a.taskNumber - b.taskNumber).map((task) => task.vertexId),
    ).toEqual(inGraph);
  });
});
