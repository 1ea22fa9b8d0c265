/** One sample of a scrape. */
export interface PrometheusSample {
  readonly name: string;
  readonly labels: ReadonlyMap<string, string>;
  readonly value: number;
}

export interface PrometheusFamily {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram" | "summary" | "untyped";
  readonly samples: readonly PrometheusSample[];
}

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const LABEL = /^[a-zA-Z_][a-zA-Z0-9_]*$/;
const TYPES = ["counter", "gauge", "histogram", "summary", "untyped"] as const;
const NUMBER = /^(?:[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[+-]?Inf|NaN)$/;

/**
 * Reads Prometheus' text format 0.0.4, and takes nothing that the format does not allow: every sample belongs to the family that HELP and TYPE have
 * begun, families and series come once, the text ends with a line break.
 *
 * @throws Error naming the line.
 */
export function parsePrometheus(text: string): ReadonlyMap<string, PrometheusFamily> {
  if (text !== "" && !text.endsWith("\n")) throw new Error("the text ends without a line break");
  const families = new Map<string, PrometheusFamily & { samples: PrometheusSample[] }>();
  const series = new Set<string>();
  let help: { readonly name: string; readonly text: string } | undefined;
  let open: (PrometheusFamily & { samples: PrometheusSample[] }) | undefined;
  for (const [index, line] of text.split("\n").slice(0, -1).entries()) {
    const fail = (problem: string): never => {
      throw new Error(`line ${index + 1}: ${problem}: ${line}`);
    };
    const helped = /^# HELP (\S+) (.*)$/.exec(line);
    const typed = /^# TYPE (\S+) (\S+)$/.exec(line);
    if (helped !== null) {
      help = { name: helped[1] ?? "", text: helped[2] ?? "" };
      if (!NAME.test(help.name)) fail("no name of a metric");
      open = undefined;
    } else if (typed !== null) {
      const [, name = "", word = ""] = typed;
      const type = TYPES.find((candidate) => candidate === word);
      if (type === undefined) return fail("no type");
      if (help?.name !== name) return fail("HELP of another metric stands before it");
      if (families.has(name)) return fail("the family comes twice");
      open = { name, help: help.text, type, samples: [] };
      families.set(name, open);
    } else {
      const sample = sampleOf(line) ?? fail("no sample");
      if (open === undefined || !belongs(sample.name, open)) return fail("of another family");
      const key = `${sample.name}${JSON.stringify([...sample.labels].toSorted(([a], [b]) => (a < b ? -1 : 1)))}`;
      if (series.has(key)) fail("the series comes twice");
      series.add(key);
      open.samples.push(sample);
    }
  }
  return families;
}

function belongs(sample: string, { name, type }: PrometheusFamily): boolean {
  if (sample === name) return true;
  return type === "summary" && (sample === `${name}_count` || sample === `${name}_sum`);
}

function sampleOf(line: string): PrometheusSample | undefined {
  const [, name = "", labelText = "", value = ""] =
    /^([^\s{]+)(?:\{((?:[^"}]|"(?:[^"\\]|\\.)*")*)\})? (\S+)$/.exec(line) ?? [];
  if (!NAME.test(name) || !NUMBER.test(value)) return undefined;
  const labels = labelsOf(labelText);
  return labels && { name, labels, value: numberOf(value) };
}

function labelsOf(text: string): ReadonlyMap<string, string> | undefined {
  const labels = new Map<string, string>();
  let rest = text;
  while (rest !== "") {
    const [whole, name = "", value = ""] =
      /^([^=,]+)="((?:[^"\\\n]|\\[\\"n])*)"(?:,|$)/.exec(rest) ?? [];
    if (whole === undefined || !LABEL.test(name) || labels.has(name)) return undefined;
    labels.set(name, value);
    rest = rest.slice(whole.length);
  }
  return labels;
}

function numberOf(text: string): number {
  if (text.endsWith("Inf")) return text.startsWith("-") ? -Infinity : Infinity;
  return Number(text);
}
