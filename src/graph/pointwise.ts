/**
 * Which subtasks a pointwise edge (forward, rescale) joins: consumers of a producer, and producers of a consumer.
 *
 * Source: Flink `VertexInputInfoComputationUtils.computeVertexInputInfoForPointwise`.
 */

import { assert } from "../base/index.ts";

/** Subtasks from `first` up to, not including, `end`. */
export interface SubtaskRange {
  readonly first: number;
  readonly end: number;
}

/** The producers whose records the consumer reads, ascending and without gaps. */
export function producersOfConsumer(
  consumerIndex: number,
  producerParallelism: number,
  consumerParallelism: number,
): SubtaskRange {
  assertSubtask(consumerIndex, consumerParallelism);
  assert(producerParallelism > 0, "a pointwise edge has at least one producer");
  if (producerParallelism >= consumerParallelism) {
    return {
      first: Math.floor((consumerIndex * producerParallelism) / consumerParallelism),
      end: Math.floor(((consumerIndex + 1) * producerParallelism) / consumerParallelism),
    };
  }
  // The one producer whose range of consumers holds this consumer: the inverse of `consumersOfProducer`.
  const producer = Math.floor((consumerIndex * producerParallelism) / consumerParallelism);
  return { first: producer, end: producer + 1 };
}

/** The consumers among which the producer spreads its records, ascending and without gaps. */
export function consumersOfProducer(
  producerIndex: number,
  producerParallelism: number,
  consumerParallelism: number,
): SubtaskRange {
  assertSubtask(producerIndex, producerParallelism);
  assert(consumerParallelism > 0, "a pointwise edge has at least one consumer");
  if (producerParallelism <= consumerParallelism) {
    return {
      first: Math.ceil((producerIndex * consumerParallelism) / producerParallelism),
      end: Math.ceil(((producerIndex + 1) * consumerParallelism) / producerParallelism),
    };
  }
  // The consumer whose range of producers holds this producer: the largest j with floor(j * p1 / p2) <= producer.
  const consumer = Math.ceil(((producerIndex + 1) * consumerParallelism) / producerParallelism) - 1;
  return { first: consumer, end: consumer + 1 };
}

function assertSubtask(index: number, parallelism: number): void {
  assert(
    Number.isInteger(index) && index >= 0 && index < parallelism,
    "a subtask index is below its parallelism",
  );
}
