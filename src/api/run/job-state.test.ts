import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";

import { nodePlatform } from "../../base/index.ts";
import { type JobState, readJobState, writeJobState } from "./job-state.ts";

const platform = nodePlatform();
const state: JobState = {
  format: 1,
  jobId: "00",
  jobName: "flights",
  status: "RUNNING",
  firstCheckpointId: 3,
  startedFrom: null,
  startedAtMs: 5,
  endedAtMs: null,
};
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "cutwater-state-"));
});
afterEach(() => rm(folder, { recursive: true }));

test("what is written is read, and nothing else is left", async () => {
  expect(await readJobState(folder, platform)).toBeUndefined();
  await writeJobState(folder, state, platform);
  await writeJobState(folder, { ...state, status: "FINISHED" }, platform);
  expect(await readJobState(folder, platform)).toEqual({ ...state, status: "FINISHED" });
  expect(await readdir(folder)).toEqual(["job-state.json"]);
});

test("its file has the fields of format 1", async () => {
  await writeJobState(folder, state, platform);
  await expect(await readFile(join(folder, "job-state.json"), "utf8")).toMatchFileSnapshot(
    "../../../test/golden/job-state/format-1.json",
  );
});

test.each([
  ["{", "JSON"],
  ["[]", "its format is not given"],
  ['{"format":2}', "its format is 2, and 1 is read"],
  ['{"format":1,"status":"ASLEEP"}', "its status is unknown"],
  ['{"format":1,"status":"RUNNING","firstCheckpointId":"x"}', "firstCheckpointId"],
])("a state of %s is refused with its path", async (text, problem) => {
  await writeFile(join(folder, "job-state.json"), text);
  await expect(readJobState(folder, platform)).rejects.toMatchObject({
    code: "JOB_STATE_MALFORMED",
    details: { path: `${folder}/job-state.json`, problem: expect.stringContaining(problem) },
  });
});
