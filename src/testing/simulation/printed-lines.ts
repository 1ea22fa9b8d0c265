import { fileSink, isPrintSink, text, textOfPrinted } from "../../connectors/index.ts";
import type { ChainedOperator, JobGraph } from "../../graph/index.ts";
import { sinkOf, sinkOperator } from "../../operators/index.ts";

/** Where a simulated job's printed lines lie. */
const PRINTED_DIRECTORY = "/printed";

/**
 * Has a job write to files, exactly once, what it would print.
 *
 * @remarks
 * A print shows a record again after a failure, so it says nothing about what was lost or counted twice; the same records in a sink that
 * commits with checkpoints do. Source, state and exchange are the job's own.
 */
export function withPrintedLinesInFiles(graph: JobGraph): JobGraph {
  const vertices = graph.vertices.map((vertex) => ({
    ...vertex,
    operators: vertex.operators.map(withFiles),
  }));
  return { ...graph, vertices };
}

function withFiles(operator: ChainedOperator): ChainedOperator {
  if (operator.logic.kind !== "operator") return operator;
  const sink = sinkOf(operator.logic.factory);
  if (sink === undefined || !isPrintSink(sink)) return operator;
  const lines = { ...text(), encode: textOfPrinted };
  const files = fileSink<unknown>(`${PRINTED_DIRECTORY}/${operator.id.slice(0, 8)}`, lines);
  return { ...operator, logic: { kind: "operator", factory: sinkOperator(files) } };
}
