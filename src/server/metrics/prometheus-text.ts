import type { Metric, MetricGroup } from "./metric.ts";

/** What `/metrics` answers with. */
export const PROMETHEUS_CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

interface Family {
  readonly help: string;
  readonly lines: string[];
}

/**
 * Metrics as text for Prometheus, each under the name, with the labels and the help of Flink's reporter. Texts count as 0.
 *
 * Source: Flink `AbstractPrometheusReporter`: everything but histograms is a gauge.
 */
export function prometheusText(groups: readonly MetricGroup[]): string {
  const families = new Map<string, Family>();
  for (const group of groups) {
    const labels = labelText(group.labels);
    for (const metric of group.metrics) addTo(families, group, labels, metric);
  }
  const lines = [...families].flatMap(([name, { help, lines: samples }]) => [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} gauge`,
    ...samples,
  ]);
  return lines.map((line) => `${line}\n`).join("");
}

function addTo(
  families: Map<string, Family>,
  { scope }: MetricGroup,
  labels: string,
  { name, value }: Metric,
): void {
  const parts = name.split(".");
  const own = parts.at(-1) ?? name;
  const inScope = [scope, ...parts.slice(0, -1)].map(safe).join("_");
  const full = `flink_${inScope}_${safe(own)}`;
  let family = families.get(full);
  if (family === undefined) {
    family = { help: `${own.replaceAll(/[\\\n]/g, "_")} (scope: ${inScope})`, lines: [] };
    families.set(full, family);
  }
  family.lines.push(`${full}${labels} ${numberText(value)}`);
}

function labelText(labels: MetricGroup["labels"]): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${safe(value)}",`);
  return pairs.length === 0 ? "" : `{${pairs.join("")}}`;
}

/** What Flink's reporter lets stand in names and in the values of labels. */
function safe(text: string): string {
  return text.replaceAll(/[^a-zA-Z0-9:_]/g, "_");
}

/** A number as Java prints a double; Prometheus reads every form. */
function numberText(value: Metric["value"]): string {
  if (typeof value === "boolean") return value ? "1.0" : "0.0";
  const number = typeof value === "string" ? Number(value) : value;
  if (Number.isNaN(number)) return typeof value === "string" ? "0.0" : "NaN";
  if (!Number.isFinite(number)) return number > 0 ? "+Inf" : "-Inf";
  return Number.isInteger(number) && Math.abs(number) < 1e15 ? `${number}.0` : String(number);
}
