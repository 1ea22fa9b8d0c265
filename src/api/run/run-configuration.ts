import {
  Configuration,
  type ConfigurationEntry,
  type Logger,
  OptionTypes,
  optionKeys,
  refuseUnknownKeys,
  resolveOptions,
} from "../../base/index.ts";
import { CHECKPOINTING_OPTIONS } from "../../checkpoint/index.ts";
import {
  FLINK_JOB_KEYS_WITHOUT_EFFECT,
  isFlinkKeyWithoutEffect,
} from "./flink-keys-without-effect.ts";
import { defaultCheckpointDirectory } from "./job-directory.ts";
import { OPTION_GROUPS } from "./run-options.ts";

/** Settings of a run under Flink's keys: `{ "execution.checkpointing.interval": "1 min" }`. */
export type RunSettings = Configuration | Readonly<Record<string, string | number | boolean>>;

/** Settings as a configuration. */
export function configurationOf(settings: RunSettings): Configuration {
  if (settings instanceof Configuration) return settings;
  const entries = Object.entries(settings).map(([key, value]): ConfigurationEntry => ({
    key,
    value: String(value),
    origin: "file",
    place: "the settings given to run",
  }));
  return new Configuration(entries);
}

const INTERVAL = CHECKPOINTING_OPTIONS.intervalMs.key;

/**
 * Adds what a run has by itself, weaker than anything that is set: a checkpoint each 10 s into `.cutwater/<job name>`, retained unless the job
 * finishes.
 *
 * @remarks
 * Flink's default is no checkpoints. A job that keeps its place is what one expects of a command that is run again.
 */
export function withRunDefaults(given: Configuration, jobName: string): Configuration {
  const { directory, retention, storage } = CHECKPOINTING_OPTIONS;
  const defaults: [string, string][] = [
    [INTERVAL, "10 s"],
    [retention.key, "RETAIN_ON_CANCELLATION"],
  ];
  const isInMemory = [storage.key, ...storage.deprecatedKeys].some(
    (key) => given.get(key)?.value.trim().toLowerCase() === "jobmanager",
  );
  const isPlaced = [directory.key, ...directory.deprecatedKeys].some(
    (key) => given.get(key) !== undefined,
  );
  if (!isInMemory && !isPlaced) defaults.push([directory.key, defaultCheckpointDirectory(jobName)]);
  return new Configuration([
    ...defaults.map(([key, value]): ConfigurationEntry => ({
      key,
      value,
      origin: "code",
      place: "defaults of run",
    })),
    ...given.entries(),
  ]);
}

/** Without the interval if it is zero, which turns periodic checkpoints off, as in Flink. */
export function withoutZeroInterval(configuration: Configuration): Configuration {
  const entry = configuration.get(INTERVAL);
  if (entry === undefined || OptionTypes.duration().parse(entry.value) !== 0) return configuration;
  return new Configuration(configuration.entries().filter(({ key }) => key !== INTERVAL));
}

/** Names of all options. */
const KNOWN_KEYS: readonly string[] = OPTION_GROUPS.flatMap(({ table }) => optionKeys(table));

/**
 * Refuses settings that are a slip, and tells of those that do nothing here or have a newer name.
 *
 * @throws StreamError OPTION_UNKNOWN naming the nearest key.
 */
export function checkSettings(configuration: Configuration, log: Logger): void {
  const entries = configuration.entries();
  const withoutEffect = entries.filter(
    ({ key }) => !KNOWN_KEYS.includes(key) && isFlinkKeyWithoutEffect(key),
  );
  const others = entries.filter((entry) => !withoutEffect.includes(entry));
  refuseUnknownKeys(new Configuration(others), [...KNOWN_KEYS, ...FLINK_JOB_KEYS_WITHOUT_EFFECT]);
  if (withoutEffect.length > 0) {
    const keys = withoutEffect.map(({ key }) => key).toSorted();
    log.log("WARN", `These settings of Flink's have no effect here: ${keys.join(", ")}.`);
  }
  for (const { table } of OPTION_GROUPS) {
    for (const { used, instead, place } of resolveOptions(table, configuration).deprecated) {
      log.log(
        "WARN",
        `Config uses deprecated configuration key '${used}' instead of proper key '${instead}' (${place})`,
      );
    }
  }
}
