import {
  calculateCheckpointPlan,
  type PlanInput,
  type PlanVertex,
  type SubtaskRef,
} from "../../../../checkpoint/index.ts";
import { producersOfConsumer } from "../../../../graph/index.ts";
import { compareListed } from "../../compare-listed.ts";
import type { Fields } from "../../fields.ts";
import { ScenarioFault } from "../../scenario.ts";
import type { ScenarioInstance, ScenarioKind } from "../../scenario-kind.ts";

/** Which tasks a checkpoint triggers and waits for, and which vertices have finished. */
export const checkpointPlanKind: ScenarioKind = {
  kind: "checkpoint-plan",
  start(config: Fields): ScenarioInstance {
    const vertices = toVertices(config);
    return {
      act(step) {
        step.boolean("plan");
      },
      check(_name, expected) {
        const options = { jobId: "job", checkpointsAfterTasksFinish: true };
        const decision = calculateCheckpointPlan(vertices, options);
        if (decision.kind === "refuse") return `no plan: ${decision.detail}`;
        const { tasksToTrigger, tasksToWaitFor, fullyFinishedVertexIds } = decision.plan;
        return compareListed(expected, {
          trigger: byVertex(tasksToTrigger),
          waitFor: byVertex(tasksToWaitFor),
          fullyFinished: fullyFinishedVertexIds.map(Number),
        });
      },
    };
  },
};

function toVertices(config: Fields): readonly PlanVertex[] {
  const vertices = config.objects("vertices").map((vertex) => ({
    parallelism: vertex.number("parallelism"),
    finished: vertex.list("finished"),
  }));
  const edges = config.objects("edges").map((edge) => ({
    from: edge.number("from"),
    to: edge.number("to"),
    pattern: edge.text("pattern"),
  }));
  return vertices.map(({ parallelism, finished }, vertexIndex) => ({
    vertexId: String(vertexIndex),
    name: `v${vertexIndex}`,
    tasks: Array.from({ length: parallelism }, (_, subtask) => ({
      status: finished.includes(subtask) ? "FINISHED" : "RUNNING",
      attempt: 0,
    })),
    inputs: edges
      .filter(({ to }) => to === vertexIndex)
      .map(({ from, pattern }) =>
        toInput(from, pattern, vertices[from]?.parallelism ?? 0, parallelism),
      ),
  }));
}

function toInput(
  from: number,
  pattern: string,
  producerParallelism: number,
  consumerParallelism: number,
): PlanInput {
  const sourceVertexId = String(from);
  if (pattern === "allToAll") return { sourceVertexId, producersOf: undefined };
  if (pattern !== "pointwise") {
    throw new ScenarioFault(`The pattern ${pattern} is not known to this runner`);
  }
  return {
    sourceVertexId,
    producersOf: (subtask) =>
      producersOfConsumer(subtask, producerParallelism, consumerParallelism),
  };
}

function byVertex(tasks: readonly SubtaskRef[]): readonly unknown[] {
  const subtasks = new Map<string, number[]>();
  for (const { vertexId, subtaskIndex } of tasks) {
    subtasks.set(vertexId, [...(subtasks.get(vertexId) ?? []), subtaskIndex]);
  }
  return [...subtasks].map(([vertex, indices]) => ({ vertex: Number(vertex), subtasks: indices }));
}
