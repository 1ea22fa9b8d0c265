import { DURATION_FORMS, parseDurationMs } from "./duration.ts";
import { StreamError } from "./errors.ts";
import { MEMORY_SIZE_FORMS, parseMemorySize } from "./memory-size.ts";

/**
 * Options: one table per module, typed by the interface of the resolved options, so that a field without a row or a row
 * without a field does not compile. Keys are Flink's.
 */

/** How the text of an option becomes its value. */
export interface OptionType<T> {
  /** In words, for messages and the reference: `a duration…`. */
  readonly expected: string;
  /** Undefined if the text is no such value. */
  parse(text: string): T | undefined;
}

export interface OptionDefinition<T> {
  /** Flink's newest spelling, or `cutwater.…` where Flink has no such option. */
  readonly key: string;
  /** Older spellings, still read with a warning. */
  readonly deprecatedKeys: readonly string[];
  readonly type: OptionType<T>;
  readonly initial: T;
  /** One sentence for the reference. */
  readonly description: string;
}

/** The rows for an options interface. */
export type OptionTable<O> = { readonly [K in keyof O]: OptionDefinition<O[K]> };

/** Where a value came from. Later in this list wins. */
export type OptionOrigin = "initial" | "code" | "file" | "flag";

/** One setting. */
export interface ConfigurationEntry {
  readonly key: string;
  readonly value: string;
  readonly origin: Exclude<OptionOrigin, "initial">;
  /** Where a person finds it: `config.yaml:12:3`, `-D`. */
  readonly place: string;
}

/** Settings from all origins. Of equal keys the strongest origin wins; within one origin the last. */
export class Configuration {
  readonly #entries = new Map<string, ConfigurationEntry>();

  constructor(entries: Iterable<ConfigurationEntry> = []) {
    for (const entry of entries) {
      const before = this.#entries.get(entry.key);
      if (before === undefined || ORIGINS.indexOf(before.origin) <= ORIGINS.indexOf(entry.origin)) {
        this.#entries.set(entry.key, entry);
      }
    }
  }

  get(key: string): ConfigurationEntry | undefined {
    return this.#entries.get(key);
  }

  entries(): readonly ConfigurationEntry[] {
    return [...this.#entries.values()];
  }

  /** These settings and more. */
  with(entries: Iterable<ConfigurationEntry>): Configuration {
    return new Configuration([...this.#entries.values(), ...entries]);
  }
}

const ORIGINS: readonly OptionOrigin[] = ["initial", "code", "file", "flag"];

/** Complete options, and where each value came from. */
export interface ResolvedOptions<O> {
  readonly values: Readonly<O>;
  readonly origins: { readonly [K in keyof O]: OptionOrigin };
  /** Deprecated keys that were used, each with the key to use instead. */
  readonly deprecated: readonly {
    readonly used: string;
    readonly instead: string;
    readonly place: string;
  }[];
}

/**
 * Makes complete options out of a table and settings.
 *
 * @throws StreamError OPTION_VALUE_INVALID if a text is no value of its option.
 */
export function resolveOptions<O extends object>(
  table: OptionTable<O>,
  configuration: Configuration,
): ResolvedOptions<O> {
  const values: Partial<Record<keyof O, unknown>> = {};
  const origins: Partial<Record<keyof O, OptionOrigin>> = {};
  const deprecated: { used: string; instead: string; place: string }[] = [];
  for (const field of Object.keys(table) as (keyof O)[]) {
    const definition: OptionDefinition<O[keyof O]> = table[field];
    const entry = [definition.key, ...definition.deprecatedKeys]
      .map((key) => configuration.get(key))
      .find((found) => found !== undefined);
    if (entry !== undefined && entry.key !== definition.key) {
      deprecated.push({ used: entry.key, instead: definition.key, place: entry.place });
    }
    values[field] = entry === undefined ? definition.initial : parseEntry(entry, definition.type);
    origins[field] = entry === undefined ? "initial" : entry.origin;
  }
  return {
    values: Object.freeze(values) as Readonly<O>,
    origins: origins as { readonly [K in keyof O]: OptionOrigin },
    deprecated,
  };
}

/** All keys of a table, deprecated ones too. */
export function optionKeys<O extends object>(table: OptionTable<O>): readonly string[] {
  const definitions = Object.values(table) as readonly OptionDefinition<unknown>[];
  return definitions.flatMap(({ key, deprecatedKeys }) => [key, ...deprecatedKeys]);
}

/**
 * Refuses settings that no table knows.
 *
 * @throws StreamError OPTION_UNKNOWN naming the nearest known key.
 */
export function refuseUnknownKeys(configuration: Configuration, known: readonly string[]): void {
  for (const { key, place } of configuration.entries()) {
    if (!known.includes(key))
      throw new StreamError("OPTION_UNKNOWN", { key, place, nearest: nearestWord(key, known) });
  }
}

/** The word with the smallest edit distance, or undefined if none is near (more than a third of its letters differ). */
export function nearestWord(word: string, candidates: readonly string[]): string | undefined {
  const ranked = candidates
    .map((candidate) => ({ candidate, distance: editDistance(word, candidate) }))
    .toSorted((a, b) => a.distance - b.distance)[0];
  if (ranked === undefined) return undefined;
  return ranked.distance <= Math.max(2, ranked.candidate.length / 3) ? ranked.candidate : undefined;
}

/** The makers of option types. */
interface OptionTypeMakers {
  duration(bounds?: { readonly minMs?: number }): OptionType<number>;
  memorySize(bounds?: { readonly maxBytes?: number }): OptionType<number>;
  integer(bounds?: { readonly min?: number; readonly max?: number }): OptionType<number>;
  double(bounds?: { readonly min?: number; readonly max?: number }): OptionType<number>;
  boolean(): OptionType<boolean>;
  string(): OptionType<string>;
  /** One of Flink's words; letter case does not matter, as in Flink. */
  oneOf<const T extends string>(
    words: readonly T[],
    aliases?: Readonly<Record<string, T>>,
  ): OptionType<T>;
  /** Unset is undefined. */
  optional<T>(type: OptionType<T>): OptionType<T | undefined>;
}

export const OptionTypes: OptionTypeMakers = {
  duration: (bounds: { readonly minMs?: number } = {}): OptionType<number> => ({
    expected: `${DURATION_FORMS}${bounds.minMs === undefined ? "" : `, at least ${bounds.minMs} ms`}`,
    parse(text) {
      const durationMs = parseDurationMs(text);
      return durationMs !== undefined && durationMs >= (bounds.minMs ?? 0) ? durationMs : undefined;
    },
  }),
  memorySize: (bounds: { readonly maxBytes?: number } = {}): OptionType<number> => ({
    expected: `${MEMORY_SIZE_FORMS}${bounds.maxBytes === undefined ? "" : `, at most ${bounds.maxBytes} bytes`}`,
    parse(text) {
      const bytes = parseMemorySize(text);
      return bytes !== undefined && Number(bytes) <= (bounds.maxBytes ?? Number.MAX_SAFE_INTEGER)
        ? Number(bytes)
        : undefined;
    },
  }),
  integer: (bounds: { readonly min?: number; readonly max?: number } = {}): OptionType<number> => ({
    expected: `a whole number from ${bounds.min ?? -2_147_483_648} to ${bounds.max ?? 2_147_483_647}`,
    parse(text) {
      if (!/^\s*[-+]?\d+\s*$/.test(text)) return undefined;
      const value = Number(text);
      return value >= (bounds.min ?? -2_147_483_648) && value <= (bounds.max ?? 2_147_483_647)
        ? value
        : undefined;
    },
  }),
  double: (bounds: { readonly min?: number; readonly max?: number } = {}): OptionType<number> => ({
    expected: `a number${bounds.min === undefined ? "" : ` from ${bounds.min}`}${bounds.max === undefined ? "" : ` to ${bounds.max}`}`,
    parse(text) {
      const value = text.trim() === "" ? Number.NaN : Number(text);
      return value >= (bounds.min ?? -Infinity) && value <= (bounds.max ?? Infinity)
        ? value
        : undefined;
    },
  }),
  boolean: (): OptionType<boolean> => ({
    expected: '"true" or "false"',
    parse: (text) => ({ true: true, false: false })[text.trim().toLowerCase()],
  }),
  string: (): OptionType<string> => ({ expected: "text", parse: (text) => text }),
  oneOf: <const T extends string>(
    words: readonly T[],
    aliases: Readonly<Record<string, T>> = {},
  ): OptionType<T> => ({
    expected: `one of ${words.join(", ")}`,
    parse(text) {
      const wanted = text.trim().toLowerCase();
      return words.find((word) => word.toLowerCase() === wanted) ?? aliases[wanted];
    },
  }),
  optional: <T>(type: OptionType<T>): OptionType<T | undefined> => type,
};

function parseEntry<T>(entry: ConfigurationEntry, type: OptionType<T>): T {
  const value = type.parse(entry.value);
  if (value === undefined) {
    throw new StreamError("OPTION_VALUE_INVALID", {
      key: entry.key,
      value: entry.value,
      place: entry.place,
      expected: type.expected,
    });
  }
  return value;
}

function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const substitution = (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      current.push(
        Math.min(substitution, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1),
      );
    }
    previous = current;
  }
  return previous[b.length] ?? 0;
}
