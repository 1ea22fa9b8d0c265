import { describe, expect, test } from "vitest";

import { OperatorMeters } from "../../operators/index.ts";
import type { Metric } from "./metric.ts";
import { prometheusText } from "./prometheus-text.ts";

const scope = "taskmanager_job_task_operator";

function textOf(...metrics: readonly Metric[]): string {
  return prometheusText([{ scope, labels: { job_name: "a job" }, metrics }]);
}

describe("prometheusText", () => {
  test("writes a histogram as a summary without a sum, with Flink's quantiles", () => {
    const metrics = new OperatorMeters();
    for (let value = 1; value <= 10; value++) metrics.histogram("amounts").update(value);
    const { amounts } = metrics.registered().histograms;
    if (amounts === undefined) throw new Error("it is registered");
    const name = `flink_${scope}_amounts`;
    expect(textOf({ name: "amounts", histogram: amounts })).toBe(
      [
        `# HELP ${name} amounts (scope: ${scope})`,
        `# TYPE ${name} summary`,
        `${name}_count{job_name="a_job",} 10.0`,
        `${name}{job_name="a_job",quantile="0.5",} 5.5`,
        `${name}{job_name="a_job",quantile="0.75",} 8.25`,
        `${name}{job_name="a_job",quantile="0.95",} 10.0`,
        `${name}{job_name="a_job",quantile="0.98",} 10.0`,
        `${name}{job_name="a_job",quantile="0.99",} 10.0`,
        `${name}{job_name="a_job",quantile="0.999",} 10.0`,
        "",
      ].join("\n"),
    );
  });

  test("makes labels of variables", () => {
    const place = { name: "tier.hits", variables: { tier: "gold & blue" } };
    expect(textOf({ name: "tier.gold & blue.hits", value: 3, place })).toContain(
      `flink_${scope}_tier_hits{job_name="a_job",tier="gold___blue",} 3.0\n`,
    );
  });

  test("leaves out what Prometheus would refuse all for: a label twice, a name of two kinds", () => {
    const place = { name: "hits", variables: { job_name: "other" } };
    const histogram = new OperatorMeters();
    histogram.histogram("calls").update(1);
    const { calls } = histogram.registered().histograms;
    if (calls === undefined) throw new Error("it is registered");
    const text = textOf(
      { name: "hits", value: 1, place },
      { name: "calls", value: 1 },
      { name: "calls", histogram: calls },
    );
    expect(text).not.toContain("hits");
    expect(text).not.toContain("summary");
    expect(text).toContain(`flink_${scope}_calls{job_name="a_job",} 1.0`);
  });
});
