import { expect, test } from "vitest";

import { countJob, simulate, simulateWithoutFaults, stateJob } from "../../src/testing/index.ts";

/** What a job gives with failures and records as bytes at every exchange, it gives without either. */
test.each([
  ["keyed counts", countJob],
  ["state of every kind", stateJob],
] as const)("%s, with failures, are the same in portable mode", async (_name, makeJob) => {
  const baseline = await simulateWithoutFaults(makeJob(), { seed: 0 });
  const settings = { "cutwater.portable": "true" };
  for (let seed = 1; seed <= (process.env["PORTABLE_TEST"] === "long" ? 50 : 3); seed++) {
    const { difference, report } = await simulate(makeJob(), { seed, settings, baseline });
    expect({ seed, ...difference }).toEqual({ seed, lost: [], duplicated: [] });
    expect(report.output.length).toBe(baseline.output.length);
  }
});
