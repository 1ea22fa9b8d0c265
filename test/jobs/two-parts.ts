import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { defineJob, fileSink, ndjson, type Of, Types } from "cutwater";

const Count = Types.struct({ key: Types.string(), count: Types.int() });
type Count = Of<typeof Count>;

const KEY_COUNT = 100;

/**
 * Counts numbers by key in two parts without a channel between them. The thread of the left one ends once, halfway.
 *
 * Arguments: folder for all that it writes, number of records of each part.
 */
export default defineJob("two-parts", (env, [folder = ".", count = "40000"]) => {
  const marker = join(folder, "trouble-was-made");
  for (const part of ["left", "right"]) {
    env
      .fromGenerator((index) => index, {
        count: Number(count),
        recordsPerSecond: 40_000,
        type: Types.int(),
      })
      .uid(`${part}-numbers`)
      .name(`${part} numbers`)
      .setParallelism(1)
      .slotSharingGroup(part)
      .map(
        (number): Count => {
          if (part === "left" && number === Number(count) / 2 && !existsSync(marker)) {
            writeFileSync(marker, "");
            process.exit(3);
          }
          return { key: `k${number % KEY_COUNT}`, count: 1 };
        },
        { returns: Count },
      )
      .uid(`${part}-map`)
      .setParallelism(1)
      .keyBy("key")
      .reduce((a, b) => ({ key: a.key, count: a.count + b.count }))
      .uid(`${part}-counts`)
      .setParallelism(1)
      .sinkTo(fileSink(join(folder, part), ndjson(Count)))
      .uid(`${part}-sink`)
      .setParallelism(1);
  }
});
