import { present } from "../../base/index.ts";
import { consumersOfProducer, type JobGraph } from "../../graph/index.ts";
import { isPointwise } from "../exchange/channel-targets.ts";

/** One subtask, whatever its attempt. */
export interface RegionTask {
  readonly vertexId: string;
  readonly subtaskIndex: number;
  /** Of the subtask among all of the job, in the order of the graph. */
  readonly taskNumber: number;
}

/** Tasks that are connected by channels: one of them cannot start again without the others. */
export interface PipelinedRegion {
  readonly index: number;
  readonly tasks: readonly RegionTask[];
}

/**
 * Divides a job into the parts that can start again by themselves: no record passes from one to another.
 *
 * @remarks
 * All subtasks of a source are in one region, also where nothing else connects them: they share the enumerator that deals out its splits,
 * and it starts again with them.
 *
 * Source: Flink `RestartPipelinedRegionFailoverStrategy`, `PipelinedRegionComputeUtil`; FLIP-1.
 */
export class PipelinedRegions {
  /** In the order of their first task. */
  readonly all: readonly PipelinedRegion[];
  readonly #byTask = new Map<string, PipelinedRegion>();

  constructor(graph: JobGraph) {
    const tasks = numberTasks(graph);
    const union = new Union(tasks.length);
    const numbers = new Map(tasks.map((task) => [keyOf(task), task.taskNumber]));
    const numberOf = (vertexId: string, subtaskIndex: number): number =>
      present(numbers.get(keyOf({ vertexId, subtaskIndex })), "the subtask is in the graph");
    const joinAll = (vertexId: string, parallelism: number): void => {
      for (let subtask = 1; subtask < parallelism; subtask++)
        union.join(numberOf(vertexId, 0), numberOf(vertexId, subtask));
    };
    for (const { id, parallelism, operators } of graph.vertices) {
      if (operators.some(({ logic }) => logic.kind === "source")) joinAll(id, parallelism);
    }
    const parallelisms = new Map(graph.vertices.map(({ id, parallelism }) => [id, parallelism]));
    for (const { sourceVertexId, targetVertexId, partitioner } of graph.edges) {
      const upstream = present(parallelisms.get(sourceVertexId), "an edge's ends are vertices");
      const downstream = present(parallelisms.get(targetVertexId), "an edge's ends are vertices");
      if (!isPointwise(partitioner)) {
        joinAll(sourceVertexId, upstream);
        joinAll(targetVertexId, downstream);
        union.join(numberOf(sourceVertexId, 0), numberOf(targetVertexId, 0));
        continue;
      }
      for (let subtask = 0; subtask < upstream; subtask++) {
        const { first, end } = consumersOfProducer(subtask, upstream, downstream);
        for (let target = first; target < end; target++)
          union.join(numberOf(sourceVertexId, subtask), numberOf(targetVertexId, target));
      }
    }
    this.all = regionsOf(tasks, union);
    for (const region of this.all)
      for (const task of region.tasks) this.#byTask.set(keyOf(task), region);
  }

  /** The regions of tasks, each once. */
  ofAll(tasks: readonly Omit<RegionTask, "taskNumber">[]): readonly PipelinedRegion[] {
    const regions = tasks.map((task) =>
      present(this.#byTask.get(keyOf(task)), "the task is in the graph"),
    );
    return [...new Set(regions)];
  }
}

export function tasksOf(regions: readonly PipelinedRegion[]): readonly RegionTask[] {
  return regions.flatMap(({ tasks }) => tasks);
}

function numberTasks({ vertices }: JobGraph): readonly RegionTask[] {
  return vertices
    .flatMap(({ id, parallelism }) =>
      Array.from({ length: parallelism }, (_, subtaskIndex) => ({ vertexId: id, subtaskIndex })),
    )
    .map((task, taskNumber) => ({ ...task, taskNumber }));
}

function regionsOf(tasks: readonly RegionTask[], union: Union): readonly PipelinedRegion[] {
  const byRoot = new Map<number, RegionTask[]>();
  for (const task of tasks) {
    const root = union.rootOf(task.taskNumber);
    const others = byRoot.get(root);
    if (others === undefined) byRoot.set(root, [task]);
    else others.push(task);
  }
  return [...byRoot.values()].map((members, index) => ({ index, tasks: members }));
}

/** Sets of numbers that only ever grow together. */
class Union {
  readonly #parents: number[];

  constructor(size: number) {
    this.#parents = Array.from({ length: size }, (_, index) => index);
  }

  rootOf(number: number): number {
    let at = number;
    for (;;) {
      const parent = this.#parents[at] ?? at;
      if (parent === at) return at;
      this.#parents[at] = this.#parents[parent] ?? parent;
      at = parent;
    }
  }

  join(a: number, b: number): void {
    this.#parents[this.rootOf(b)] = this.rootOf(a);
  }
}

function keyOf({ vertexId, subtaskIndex }: Omit<RegionTask, "taskNumber">): string {
  return `${vertexId}/${subtaskIndex}`;
}
