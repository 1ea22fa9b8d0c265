export type { ChainedOperator, JobEdge, JobGraph, JobVertex, Partitioner } from "./job-graph.ts";
export { generateJobGraph } from "./job-graph-generator.ts";
export { GRAPH_OPTIONS, type GraphOptions } from "./options.ts";
export { jobIdOfName, operatorIdOfUid } from "./operator-id.ts";
export {
  type JobPlan,
  type JobPlanInput,
  type JobPlanNode,
  jobPlanOf,
  renderPlan,
} from "./plan.ts";
export { consumersOfProducer, producersOfConsumer, type SubtaskRange } from "./pointwise.ts";
export { buildStreamGraph, type StreamGraph, type StreamGraphOptions } from "./stream-graph.ts";
export type {
  ChainingStrategy,
  OperatorSettings,
  OperatorTransformation,
  PartitionTransformation,
  PhysicalTransformation,
  SideOutputTransformation,
  SourceTransformation,
  Transformation,
  UnionTransformation,
} from "./transformation.ts";
export { outputTypeOf } from "./transformation.ts";
