// Ends single threads of running jobs, again and again at random moments, and compares the output with that of a run without kills.
//
//   npm run test:slot-kills -- [--kills 300] [--slots 2,4] [--seed 1] [--job late-data]
//
// The kills, as many in all, are spread over the example jobs and the numbers of slots. A longer job, with so many kills on each number of slots:
//
//   node scripts/crash/troubled-slots.mjs [--kills 300] [--slots 2] [--seed 1]
import { parseArgs } from "node:util";

import { killExamples, slotCountsOf } from "./example-jobs.mjs";
import { liveInThreads } from "./thread-kills.mjs";

const { values } = parseArgs({
  options: {
    kills: { type: "string" },
    slots: { type: "string", multiple: true },
    seed: { type: "string" },
    job: { type: "string", multiple: true },
  },
});
await killExamples(
  {
    kills: Number(values.kills ?? 300),
    slotCounts: slotCountsOf(values.slots ?? ["2,4"]),
    jobs: values.job,
    seed: Number(values.seed ?? 1),
  },
  liveInThreads,
);
process.exit();
