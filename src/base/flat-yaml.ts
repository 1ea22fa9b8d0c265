import { trimAsJava } from "./duration.ts";

/** One `key: value` line of a configuration file. */
export interface FlatYamlEntry {
  readonly key: string;
  readonly value: string;
  /** 1-based. */
  readonly line: number;
}

/** What a 1.x `flink-conf.yaml` says, read as Flink reads it. */
export interface FlatYaml {
  readonly entries: readonly FlatYamlEntry[];
  /** Lines that Flink drops with a warning. */
  readonly dropped: readonly { readonly line: number; readonly reason: string }[];
}

/**
 * Reads the old flat form: no nesting, no quotes; a comment begins the line or follows a blank; the separator is a colon
 * and a blank. What does not fit is dropped, as Flink drops it.
 *
 * Source: Flink 1.18 `GlobalConfiguration.loadYAMLResource`.
 */
export function parseFlatYaml(text: string): FlatYaml {
  const entries: FlatYamlEntry[] = [];
  const dropped: { line: number; reason: string }[] = [];
  text.split(/\r\n|\n|\r/).forEach((content, index) => {
    const line = index + 1;
    const statement = trimAsJava(content.split(/^#|\s+#/, 2)[0] ?? "");
    if (statement === "") return;
    const separator = statement.indexOf(": ");
    if (separator < 0) {
      dropped.push({
        line,
        reason: 'not a "key: value" pair (is the blank after the colon missing?)',
      });
      return;
    }
    const key = trimAsJava(statement.slice(0, separator));
    const value = trimAsJava(statement.slice(separator + 2));
    if (key === "" || value === "") dropped.push({ line, reason: "key or value is empty" });
    else entries.push({ key, value, line });
  });
  return { entries, dropped };
}
