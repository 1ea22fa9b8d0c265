import { consumersOfProducer, producersOfConsumer } from "../../../graph/index.ts";
import { compareExactly } from "../comparison.ts";
import type { ScenarioInstance, ScenarioKind } from "../scenario-kind.ts";

/** Asks both directions of the pointwise rule, since a producer's side and a consumer's side use one each. */
export const pointwiseKind: ScenarioKind = {
  kind: "pointwise",
  start(): ScenarioInstance {
    let upstream = 0;
    let downstream = 0;
    return {
      act(step) {
        upstream = step.number("upstream");
        downstream = step.number("downstream");
      },
      check(_name, expected) {
        return (
          compareExactly(expected, { inputsOf: seenFromConsumers(upstream, downstream) }) ??
          compareExactly(expected, { inputsOf: seenFromProducers(upstream, downstream) })
        );
      },
    };
  },
};

function seenFromConsumers(upstream: number, downstream: number): readonly (readonly number[])[] {
  return Array.from({ length: downstream }, (_, consumer) => {
    const { first, end } = producersOfConsumer(consumer, upstream, downstream);
    return Array.from({ length: end - first }, (_unused, offset) => first + offset);
  });
}

function seenFromProducers(upstream: number, downstream: number): readonly (readonly number[])[] {
  const inputsOf: number[][] = Array.from({ length: downstream }, () => []);
  for (let producer = 0; producer < upstream; producer++) {
    const { first, end } = consumersOfProducer(producer, upstream, downstream);
    for (let consumer = first; consumer < end; consumer++) inputsOf[consumer]?.push(producer);
  }
  return inputsOf;
}
