import { AsyncResource } from "node:async_hooks";
import { EventEmitter } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { defineJob, fileSink, ndjson, type Of, Types } from "cutwater";

/**
 * Counts numbers by key, and does to its thread, once, what user code must not do: exits, throws behind the engine's back, leaves a promise
 * rejected, also one that is not the task's, blocks, or fills the heap. Each number gives the count of its key so far.
 *
 * Arguments: folder for all that it writes, number of records, kind of trouble, milliseconds between troubles that are made again.
 */

const Count = Types.struct({ key: Types.string(), count: Types.int() });
type Count = Of<typeof Count>;

const KEY_COUNT = 100;

const TROUBLES: Readonly<Record<string, () => void>> = {
  none: () => undefined,
  exit: () => process.exit(3),
  uncaught: () =>
    void setTimeout(() => {
      throw new Error("thrown by a timer");
    }, 1),
  rejection: () => void reject(),
  outside: () => outside.emit("trouble"),
  block: () => {
    for (;;);
  },
  heap: () => {
    const held: unknown[] = [];
    for (;;) held.push(Array.from({ length: 1000 }, (_, index) => ({ index })));
  },
};

/** Begun before any task: what listens is nobody's. */
const outside = new EventEmitter();
outside.on(
  "trouble",
  AsyncResource.bind(() => void reject()),
);

async function reject(): Promise<void> {
  await Promise.resolve();
  throw new Error("nobody looks at this");
}

export default defineJob(
  "troubled-slots",
  (env, [folder = ".", count = "40000", trouble = "none"]) => {
    const marker = join(folder, "trouble-was-made");
    env
      .fromGenerator((index) => index, {
        count: Number(count),
        recordsPerSecond: 40_000,
        type: Types.int(),
      })
      .uid("numbers")
      .rebalance()
      .map(
        (number): Count => {
          if (number === 20_000 && !existsSync(marker)) {
            writeFileSync(marker, "");
            TROUBLES[trouble]?.();
          }
          return { key: `k${number % KEY_COUNT}`, count: 1 };
        },
        { returns: Count },
      )
      .name("troubled")
      .uid("troubled")
      .keyBy("key")
      .reduce((a, b) => ({ key: a.key, count: a.count + b.count }))
      .uid("counts")
      .sinkTo(fileSink(join(folder, "out"), ndjson(Count)))
      .uid("sink");
  },
);
