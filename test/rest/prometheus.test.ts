import { readFileSync } from "node:fs";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { parsePrometheus, type PrometheusFamily } from "./prometheus-parser.ts";
import { referenceJob } from "./reference-job.ts";
import { serveJob, type ServedTestJob, until } from "./served-job.ts";

const recorded = parsePrometheus(
  readFileSync(new URL("../golden/rest/flink-2.3.0/prometheus.txt", import.meta.url), "utf8"),
);

/** Families of ours that Flink's job does not have: of its own, or of operators that the job here has and that one has not. */
const OUR_OWN = [
  "flink_jobmanager_job_fullRestarts",
  "flink_taskmanager_job_task_cutwater_queuedRecords",
  "flink_taskmanager_job_task_operator_numLateRecordsDropped",
];

/** What Flink's metrics dashboards are made of, and must be there. */
const WANTED = [
  "flink_jobmanager_job_lastCheckpointDuration",
  "flink_jobmanager_job_lastCheckpointSize",
  "flink_jobmanager_job_numRestarts",
  "flink_jobmanager_job_numberOfCompletedCheckpoints",
  "flink_jobmanager_job_numberOfFailedCheckpoints",
  "flink_jobmanager_job_uptime",
  "flink_jobmanager_numRunningJobs",
  "flink_jobmanager_taskSlotsTotal",
  "flink_taskmanager_Status_JVM_CPU_Load",
  "flink_taskmanager_Status_JVM_Memory_Heap_Used",
  "flink_taskmanager_job_task_backPressuredTimeMsPerSecond",
  "flink_taskmanager_job_task_busyTimeMsPerSecond",
  "flink_taskmanager_job_task_checkpointAlignmentTime",
  "flink_taskmanager_job_task_currentInputWatermark",
  "flink_taskmanager_job_task_idleTimeMsPerSecond",
  "flink_taskmanager_job_task_isBackPressured",
  "flink_taskmanager_job_task_numRecordsInPerSecond",
  "flink_taskmanager_job_task_operator_currentOutputWatermark",
  "flink_taskmanager_job_task_operator_numRecordsIn",
  "flink_taskmanager_job_task_operator_numRecordsOut",
  "flink_taskmanager_job_task_numBytesIn",
  "flink_taskmanager_job_task_numBytesInRemote",
  "flink_taskmanager_job_task_numBytesOut",
  "flink_taskmanager_job_task_operator_shop_amounts",
  "flink_taskmanager_job_task_operator_shop_calls",
  "flink_taskmanager_job_task_operator_shop_latest",
  "flink_taskmanager_job_task_operator_shop_rate",
  "flink_taskmanager_job_task_operator_shop_tier_hits",
];

describe("what Prometheus scrapes", () => {
  let served: ServedTestJob;
  let ours: ReadonlyMap<string, PrometheusFamily>;

  beforeAll(async () => {
    served = await serveJob(referenceJob);
    ours = await until("the second attempt's metrics", async () => {
      const families = parsePrometheus(await scrape(served.server.address));
      const calls = families.get("flink_taskmanager_job_task_operator_shop_calls");
      return (
        calls?.samples.some(
          ({ labels, value }) => labels.get("task_attempt_num") === "1" && value > 0,
        ) === true &&
        // Each task tells its counters at a time of its own.
        labelValues(families, "operator_name").length === 4 &&
        families
      );
    });
  }, 120_000);
  afterAll(async () => {
    await served.close();
  });

  test("has the names of a real Flink, and few of our own", () => {
    expect([...ours.keys()].filter((name) => !recorded.has(name)).toSorted()).toEqual(OUR_OWN);
  });

  test("has what Flink's dashboards show", () => {
    expect(WANTED.filter((name) => !ours.has(name))).toEqual([]);
  });

  test("has Flink's help and type", () => {
    const about = ({ help, type }: PrometheusFamily): string => `${type} ${help}`;
    const different = [...ours]
      .filter(([name]) => recorded.has(name))
      .filter(([name, family]) => about(family) !== about(recorded.get(name) ?? family))
      .map(([name]) => name);
    expect(different).toEqual([]);
  });

  test("has a histogram as Flink's summary", () => {
    const about = (families: ReadonlyMap<string, PrometheusFamily>): readonly string[] => {
      const name = "flink_taskmanager_job_task_operator_shop_amounts";
      const samples = families.get(name)?.samples ?? [];
      const lines = samples.map((sample) => `${sample.name} ${sample.labels.get("quantile")}`);
      return [...new Set(lines)].toSorted();
    };
    expect(about(recorded)).toHaveLength(7);
    expect(about(ours)).toEqual(about(recorded));
  });

  test("has Flink's labels, with the same names of tasks and operators", () => {
    const different = [...ours]
      .filter(([name]) => recorded.has(name))
      .filter(([name, family]) => labelNames(family) !== labelNames(recorded.get(name)))
      .map(([name, family]) => `${name}: ${labelNames(family)}`);
    expect(different).toEqual([]);
    expect(labelValues(ours, "operator_name")).toEqual([
      "Sink:_nowhere",
      "Source:_numbers",
      "counts",
      "failing_once",
    ]);
    expect(labelValues(recorded, "operator_name")).toEqual([
      "Source:_numbers",
      "counts",
      "failing_once",
      "nowhere:_Writer",
    ]);
  });
});

async function scrape(address: string): Promise<string> {
  const response = await fetch(`${address}/metrics`);
  expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  return response.text();
}

function labelNames(family: PrometheusFamily | undefined): string {
  const names = family?.samples.flatMap(({ labels }) => [...labels.keys()]) ?? [];
  return [...new Set(names)].toSorted().join(" ");
}

function labelValues(
  families: ReadonlyMap<string, PrometheusFamily>,
  label: string,
): readonly string[] {
  const samples = families.get("flink_taskmanager_job_task_operator_numRecordsIn")?.samples ?? [];
  return [...new Set(samples.flatMap(({ labels }) => labels.get(label) ?? []))].toSorted();
}

describe("the strict parser", () => {
  test("reads what Flink writes", () => {
    expect(recorded.size).toBeGreaterThan(100);
  });

  test.each([
    ["# HELP a a\n# TYPE a gauge\na 1.0", "line break"],
    ["a 1.0\n", "another family"],
    ["# HELP a a\n# TYPE a gauge\nb 1.0\n", "another family"],
    ["# HELP a a\n# TYPE a gauge\na 1.0\na 2.0\n", "series comes twice"],
    ['# HELP a a\n# TYPE a gauge\na{x="1",x="2"} 1.0\n', "no sample"],
    ['# HELP a a\n# TYPE a gauge\na{x="1"y="2"} 1.0\n', "no sample"],
    ["# HELP a a\n# TYPE a gauge\na one\n", "no sample"],
    ["# HELP a-b a\n", "no name"],
    ["# TYPE a gauge\n", "HELP"],
    ["# HELP a a\n# TYPE a thing\n", "no type"],
  ])("refuses %j", (text, problem) => {
    expect(() => parsePrometheus(text)).toThrow(problem);
  });
});
