import fc from "fast-check";
import { expect, test } from "vitest";

import type { Partitioner } from "../../graph/index.ts";
import { channelSources, channelTargets } from "./channel-targets.ts";

const partitioner = fc.constantFrom<Partitioner>(
  { kind: "forward" },
  { kind: "rescale" },
  { kind: "rebalance" },
  { kind: "broadcast" },
  { kind: "global" },
);
const parallelism = fc.integer({ min: 1, max: 12 });

test("who sends to a subtask is who it receives from, for every partitioner and parallelism", () => {
  fc.assert(
    fc.property(partitioner, parallelism, parallelism, (kind, upstream, downstream) => {
      for (let from = 0; from < upstream; from++) {
        const targets = channelTargets(kind, from, upstream, downstream);
        for (let to = 0; to < downstream; to++) {
          const sources = channelSources(kind, to, upstream, downstream);
          expect(targets.includes(to)).toBe(sources.includes(from));
        }
      }
    }),
  );
});

test("every subtask receives from someone", () => {
  fc.assert(
    fc.property(partitioner, parallelism, parallelism, (kind, upstream, downstream) => {
      for (let to = 0; to < downstream; to++) {
        expect(channelSources(kind, to, upstream, downstream).length).toBeGreaterThan(0);
      }
    }),
  );
});
