import fc from "fast-check";
import { expect, test } from "vitest";
import { consumersOfProducer, producersOfConsumer } from "./pointwise.ts";

const parallelism = fc.integer({ min: 1, max: 70 });

function inputsOf(producers: number, consumers: number): number[][] {
  return Array.from({ length: consumers }, (_, j) => {
    const { first, end } = producersOfConsumer(j, producers, consumers);
    return Array.from({ length: end - first }, (_unused, i) => first + i);
  });
}

test("three producers feed seven consumers in Flink's groups", () => {
  expect(inputsOf(3, 7)).toEqual([[0], [0], [0], [1], [1], [2], [2]]);
});

test("seven producers feed three consumers in Flink's groups", () => {
  expect(inputsOf(7, 3)).toEqual([
    [0, 1],
    [2, 3],
    [4, 5, 6],
  ]);
});

test("both directions describe the same edges, and no subtask is left out", () => {
  fc.assert(
    fc.property(parallelism, parallelism, (producers, consumers) => {
      const seenFromConsumers = inputsOf(producers, consumers).flatMap((list, j) =>
        list.map((i) => `${i}->${j}`),
      );
      const seenFromProducers = Array.from({ length: producers }, (_, i) => i).flatMap((i) => {
        const { first, end } = consumersOfProducer(i, producers, consumers);
        return Array.from({ length: end - first }, (_unused, k) => `${i}->${first + k}`);
      });
      expect(seenFromProducers.toSorted()).toEqual(seenFromConsumers.toSorted());
      expect(new Set(seenFromConsumers.map((edge) => edge.split("->")[0])).size).toBe(producers);
      expect(new Set(seenFromConsumers.map((edge) => edge.split("->")[1])).size).toBe(consumers);
    }),
  );
});

test("equal parallelism joins each subtask with its namesake", () => {
  fc.assert(
    fc.property(parallelism, (p) => {
      expect(inputsOf(p, p)).toEqual(Array.from({ length: p }, (_, i) => [i]));
    }),
  );
});
