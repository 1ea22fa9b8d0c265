import { appendFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";

import { nodePlatform, type Platform } from "../../base/index.ts";
import { newsIn, renderNews, type Report, reportOf } from "../../doctor/index.ts";
import { followInputs } from "./follow-inputs.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "cutwater-follow-"));
});
afterEach(() => rm(folder, { recursive: true }));

const JOB = "00112233445566778899aabbccddeeff";
const COORDINATOR = "org.apache.flink.runtime.checkpoint.CheckpointCoordinator [] -";
const completed = (id: number): string =>
  `2025-05-05 05:0${id}:30,000 INFO  ${COORDINATOR} Completed checkpoint ${id} for job ${JOB} (1024 bytes, checkpointDuration=9 ms, finalizationTime=1 ms).\n`;
const declined = (id: number): string =>
  `2025-05-05 05:0${id}:05,005 INFO  ${COORDINATOR} Decline checkpoint ${id} by task ab of job ${JOB} at 10.0.0.1:1-a @ h (dataPort=1).
org.apache.flink.util.SerializedThrowable: java.lang.Exception: Could not materialize checkpoint ${id} for operator sum (1/2)#0.
Caused by: org.apache.flink.util.SerializedThrowable: java.io.IOException: No space left on device
`;

/** A platform whose pauses run a step of the test each; the last one stops. */
function stepping(steps: (() => Promise<void>)[], stop: AbortController): Platform {
  const platform = nodePlatform();
  return {
    ...platform,
    files: platform.files,
    after(_delayMs, callback) {
      const step = steps.shift();
      if (step === undefined) stop.abort();
      else void step().then(callback);
      return () => undefined;
    },
  };
}

test("a log that grows is reported when there is something new, and not otherwise", async () => {
  const path = join(folder, "jobmanager.log");
  await writeFile(path, completed(1));
  const stop = new AbortController();
  const steps = [
    () => Promise.resolve(),
    () => appendFile(path, completed(2)),
    () => appendFile(path, declined(3)),
    () => appendFile(path, declined(4)),
  ];
  const reports: Report[] = [];
  await followInputs({
    paths: [path],
    platform: stepping(steps, stop),
    stop: stop.signal,
    onDiagnosis: (diagnosis) => void reports.push(reportOf(diagnosis)),
  });
  const news = reports.map((report, index) =>
    newsIn(reports[index - 1], report).map((item) =>
      item.kind === "checkpoint" ? item.checkpoint.checkpointId : item.kind,
    ),
  );
  // The pause after which nothing had grown brought no diagnosis at all.
  expect(news).toEqual([["answer"], [], ["answer"], [4]]);
  const [last, options] = [reports.at(-1), { language: "zh", colour: false, width: 80 } as const];
  if (last === undefined) throw new Error("there was a report");
  expect(renderNews(newsIn(reports.at(-2), last), last, options)).toMatch(/^检查点 4: 失败: /u);
  expect(last).toMatchObject({ verdict: "cause", findings: [{ cause: "disk-full" }] });
});

test("a file that comes later is read when it is there", async () => {
  const stop = new AbortController();
  const path = join(folder, "logs");
  const steps = [async () => writeFile(path, completed(1))];
  const verdicts: string[] = [];
  await followInputs({
    paths: [path],
    platform: stepping(steps, stop),
    stop: stop.signal,
    onDiagnosis: ({ verdict }) => void verdicts.push(verdict),
  });
  expect(verdicts).toEqual(["undetermined", "healthy"]);
});
