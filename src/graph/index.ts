export type { ChainedOperator, JobEdge, JobGraph, JobVertex, Partitioner } from "./job-graph.ts";
export { generateJobGraph } from "./job-graph-generator.ts";
export { GRAPH_OPTIONS, type GraphOptions } from "./options.ts";
export { operatorIdOfUid } from "./operator-id.ts";
export {
  type JobPlan,
  type JobPlanInput,
  type JobPlanNode,
  jobPlanOf,
  renderPlan,
} from "./plan.ts";
export { consumersOfProducer, producersOfConsumer } from "./pointwise.ts";
export { buildStreamGraph } from "./stream-graph.ts";
export type {
  OperatorSettings,
  OperatorTransformation,
  PhysicalTransformation,
  SourceTransformation,
  Transformation,
} from "./transformation.ts";
export { outputTypeOf } from "./transformation.ts";
