import { OPTION_GROUPS } from "../../api/index.ts";
import { type Configuration, formatDurationMs, type OptionOrigin } from "../../base/index.ts";
import type { ServedJob } from "../served-job.ts";

/** Flink hides the values of keys that have one of these words. Source: Flink `GlobalConfiguration`. */
const SECRET_WORDS = [
  "password",
  "secret",
  "account.key",
  "apikey",
  "api-key",
  "auth-params",
  "service-key",
  "token",
  "basic-auth",
  "jaas.config",
  "http-headers",
];

const HIDDEN = "******";

/** `/jobmanager/config`: what is set, of the newest job first. */
export function configEntries(jobs: readonly ServedJob[]): readonly object[] {
  const entries = new Map<string, string>();
  for (const { client } of jobs) {
    for (const { key, value } of client.configuration.entries()) {
      if (!entries.has(key)) entries.set(key, value);
    }
  }
  return [...entries].map(([key, value]) => ({ key, value: shown(key, value) }));
}

/** `/cutwater/config/:jobid`: every option with its value, and where that comes from. */
export function optionsAnswer({ client }: ServedJob): object {
  const { configuration } = client;
  const known = OPTION_GROUPS.flatMap(({ table }) => Object.entries(table)).map(
    ([field, definition]) => {
      const entry = entryOf(configuration, [definition.key, ...definition.deprecatedKeys]);
      return entry === undefined
        ? option(definition.key, initialText(field, definition.initial), "initial", null)
        : option(definition.key, entry.value, entry.origin, entry.place);
    },
  );
  const keys = new Set(
    OPTION_GROUPS.flatMap(({ table }) => Object.values(table)).flatMap((definition) => [
      definition.key,
      ...definition.deprecatedKeys,
    ]),
  );
  const others = configuration
    .entries()
    .filter(({ key }) => !keys.has(key))
    .map(({ key, value, origin, place }) => option(key, value, origin, place));
  return { options: [...known, ...others] };
}

/** `/jobmanager/environment`. */
export function environmentAnswer(): object {
  return {
    jvm: {
      version: `Node.js - ${process.version} - V8 ${process.versions.v8}`,
      arch: process.arch,
      options: [...process.execArgv],
    },
    classpath: [process.execPath],
  };
}

function entryOf(
  configuration: Configuration,
  keys: readonly string[],
): ReturnType<Configuration["get"]> {
  return keys.map((key) => configuration.get(key)).find((entry) => entry !== undefined);
}

const ORIGIN_NAMES: { readonly [O in OptionOrigin]: string } = {
  initial: "default",
  code: "code",
  file: "file",
  flag: "command-line",
};

function option(key: string, value: string, origin: OptionOrigin, place: string | null): object {
  return { key, value: shown(key, value), origin: ORIGIN_NAMES[origin], place };
}

function shown(key: string, value: string): string {
  const lower = key.toLowerCase();
  const isSecret = value !== "" && SECRET_WORDS.some((word) => lower.includes(word));
  return isSecret ? HIDDEN : value;
}

/** As it would be written into a file: with its unit. */
function initialText(field: string, value: unknown): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "number" && field.endsWith("Ms")) return formatDurationMs(value);
  if (typeof value === "number" && field.endsWith("Bytes")) return `${value / 1024} kb`;
  return typeof value === "object" ? JSON.stringify(value) : String(value as string | number);
}
