import { booleanIn, entriesIn, field, listIn, textIn } from "./json.ts";

export type Origin = "default" | "file" | "environment" | "command-line" | "code" | "savepoint";

const ORIGINS: readonly Origin[] = [
  "default",
  "file",
  "environment",
  "command-line",
  "code",
  "savepoint",
];

export interface ConfiguredOption {
  readonly key: string;
  readonly value: string;
  /** Undefined if the server does not say. */
  readonly origin: Origin | undefined;
  /** Where exactly: a file with its line, a flag, the name of a variable. */
  readonly place: string | undefined;
}

/** Reads the answer of `/cutwater/config/:jobid`. */
export function optionsOf(answer: unknown): readonly ConfiguredOption[] {
  return listIn(answer, "options").map((option) => ({
    key: textIn(option, "key") ?? "",
    value: valueText(field(option, "value")),
    origin: ORIGINS.find((origin) => origin === textIn(option, "origin")),
    place: textIn(option, "place"),
  }));
}

/**
 * Puts together what Flink says: the job's own settings first, then those of the cluster.
 *
 * @param jobConfig - The answer of `/jobs/:jobid/config`.
 * @param clusterConfig - The answer of `/jobmanager/config`.
 */
export function flinkOptionsOf(
  jobConfig: unknown,
  clusterConfig: unknown,
): readonly ConfiguredOption[] {
  const execution = field(jobConfig, "execution-config");
  const own = entriesIn(execution, "user-config").map(([key, value]) =>
    option(key, valueText(value)),
  );
  const settings = [
    ...["execution-mode", "restart-strategy"].map((key) => [key, textIn(execution, key)] as const),
    ["job-parallelism", valueText(field(execution, "job-parallelism"))] as const,
    ["object-reuse-mode", String(booleanIn(execution, "object-reuse-mode"))] as const,
  ].flatMap(([key, value]) => (value === undefined || value === "" ? [] : [option(key, value)]));
  const cluster = (Array.isArray(clusterConfig) ? (clusterConfig as readonly unknown[]) : []).map(
    (entry) => option(textIn(entry, "key") ?? "", textIn(entry, "value") ?? ""),
  );
  return [
    ...(execution === undefined ? [] : settings),
    ...own,
    ...cluster.toSorted((left, right) => (left.key < right.key ? -1 : 1)),
  ];
}

function option(key: string, value: string): ConfiguredOption {
  return { key, value, origin: undefined, place: undefined };
}

function valueText(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "object"
    ? JSON.stringify(value)
    : String(value as string | number | boolean);
}
