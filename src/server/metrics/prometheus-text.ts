import { type GaugeValue, type HistogramStatistics, QUANTILES } from "../../operators/index.ts";
import type { Metric, MetricGroup } from "./metric.ts";

/** What `/metrics` answers with. */
export const PROMETHEUS_CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** Quantiles of a summary. REST has one more, 0.9. Source: Flink `AbstractPrometheusReporter`. */
const SUMMARY_QUANTILES = QUANTILES.filter((quantile) => quantile !== 0.9);

interface Family {
  readonly help: string;
  readonly type: "gauge" | "summary";
  readonly lines: string[];
}

/**
 * Metrics as text for Prometheus, each under the name, with the labels and the help of Flink's reporter. Texts count as 0.
 *
 * @remarks
 * A metric whose group has the name of a label that is there already is left out, and so is a histogram whose name another kind has: Prometheus
 * would refuse all for it.
 *
 * Source: Flink `AbstractPrometheusReporter`: everything but histograms is a gauge.
 */
export function prometheusText(groups: readonly MetricGroup[]): string {
  const families = new Map<string, Family>();
  for (const group of groups) for (const metric of group.metrics) addTo(families, group, metric);
  const lines = [...families].flatMap(([name, { help, type, lines: samples }]) => [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} ${type}`,
    ...samples,
  ]);
  return lines.map((line) => `${line}\n`).join("");
}

function addTo(
  families: Map<string, Family>,
  { scope, labels: ofGroup }: MetricGroup,
  metric: Metric,
): void {
  const { name = metric.name, variables = {} } = metric.place ?? {};
  const ofPlace = Object.entries(variables).map(([key, value]) => [safe(key), value] as const);
  if (ofPlace.some(([key]) => key in ofGroup)) return;
  const labels = { ...ofGroup, ...Object.fromEntries(ofPlace) };
  const parts = name.split(".");
  const own = parts.at(-1) ?? name;
  const inScope = [scope, ...parts.slice(0, -1)].map(safe).join("_");
  const full = `flink_${inScope}_${safe(own)}`;
  const type = "histogram" in metric ? "summary" : "gauge";
  let family = families.get(full);
  if (family === undefined) {
    const help = `${own.replaceAll(/[\\\n]/g, "_")} (scope: ${inScope})`;
    family = { help, type, lines: [] };
    families.set(full, family);
  }
  if (family.type !== type) return;
  if ("histogram" in metric) family.lines.push(...summaryLines(full, labels, metric.histogram));
  else family.lines.push(`${full}${labelText(labels)} ${numberText(metric.value)}`);
}

/** A summary has no sum in Flink: only the latest values are known. */
function summaryLines(
  name: string,
  labels: MetricGroup["labels"],
  { count, quantiles }: HistogramStatistics,
): readonly string[] {
  const ofQuantiles = SUMMARY_QUANTILES.map((quantile) => {
    const value = quantiles[QUANTILES.indexOf(quantile)] ?? Number.NaN;
    const text = labelText(labels, { quantile: String(quantile) });
    return `${name}${text} ${numberText(value)}`;
  });
  return [`${name}_count${labelText(labels)} ${numberText(count)}`, ...ofQuantiles];
}

/** @param exact - Labels whose values stay as they are. */
function labelText(labels: MetricGroup["labels"], exact: MetricGroup["labels"] = {}): string {
  const pairs = [
    ...Object.entries(labels).map(([name, value]) => `${name}="${safe(value)}",`),
    ...Object.entries(exact).map(([name, value]) => `${name}="${value}",`),
  ];
  return pairs.length === 0 ? "" : `{${pairs.join("")}}`;
}

/** What Flink's reporter lets stand in names and in the values of labels. */
function safe(text: string): string {
  return text.replaceAll(/[^a-zA-Z0-9:_]/g, "_");
}

/** A number as Java prints a double; Prometheus reads every form. */
function numberText(value: GaugeValue): string {
  if (typeof value === "boolean") return value ? "1.0" : "0.0";
  const number = typeof value === "string" ? Number(value) : value;
  if (Number.isNaN(number)) return typeof value === "string" ? "0.0" : "NaN";
  if (!Number.isFinite(number)) return number > 0 ? "+Inf" : "-Inf";
  return Number.isInteger(number) && Math.abs(number) < 1e15 ? `${number}.0` : String(number);
}
