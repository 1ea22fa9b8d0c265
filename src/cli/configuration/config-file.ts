import { basename } from "node:path";

import {
  type ConfigurationEntry,
  errorText,
  type FileSystem,
  parseFlatYaml,
  StreamError,
} from "../../base/index.ts";

/** What a configuration file says. */
export interface ConfigFile {
  readonly entries: readonly ConfigurationEntry[];
  /** What was passed over, each with its place. */
  readonly warnings: readonly string[];
}

/**
 * Reads `config.yaml` (YAML, nested or flat, as Flink 1.19 and later have it) or, by that name, a `flink-conf.yaml` of Flink 1.x.
 *
 * @throws StreamError CONFIGURATION_UNREADABLE naming line and column.
 */
export async function readConfigFile(path: string, files: FileSystem): Promise<ConfigFile> {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(await files.read(path));
  } catch (error) {
    throw new StreamError("CONFIGURATION_UNREADABLE", { path, problem: errorText(error) }, error);
  }
  return basename(path) === "flink-conf.yaml" ? flatFile(path, text) : await yamlFile(path, text);
}

function flatFile(path: string, text: string): ConfigFile {
  const { entries, dropped } = parseFlatYaml(text);
  return {
    entries: entries.map(({ key, value, line }) => ({
      key,
      value,
      origin: "file",
      place: `${path}:${line}`,
    })),
    warnings: dropped.map(({ line, reason }) => `${path}:${line}: passed over: ${reason}`),
  };
}

async function yamlFile(path: string, text: string): Promise<ConfigFile> {
  const { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument } = await import("yaml");
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, version: "1.2" });
  const [error] = document.errors;
  const placeAt = (offset: number): string => {
    const { line, col } = lineCounter.linePos(offset);
    return `${path}:${line}:${col}`;
  };
  if (error !== undefined) {
    const [summary = ""] = error.message.split(/ at line \d+| *\n/);
    throw unreadable(placeAt(error.pos[0]), summary);
  }
  const entries: ConfigurationEntry[] = [];
  const warnings: string[] = [];
  const textOf = (node: unknown): string => {
    if (isScalar(node)) {
      // As it stands in the file: "1e3" and "0x10" are text here, not numbers.
      return node.type === "PLAIN" ? (node.source ?? "") : String(node.value);
    }
    if (isSeq(node)) return node.items.map(textOf).join(";");
    const place = placeAt(rangeStart(node));
    throw unreadable(place, "a list may hold plain values only");
  };
  const visit = (given: unknown, prefix: string, keyOffset: number): void => {
    const node = isAlias(given) ? given.resolve(document) : given;
    if (isMap(node)) {
      for (const { key, value } of node.items) {
        visit(value, prefix === "" ? textOf(key) : `${prefix}.${textOf(key)}`, rangeStart(key));
      }
      return;
    }
    if (prefix === "") {
      throw unreadable(placeAt(rangeStart(node)), "expected keys and values");
    }
    if (node === null || (isScalar(node) && node.value === null)) {
      warnings.push(`${placeAt(keyOffset)}: passed over: ${prefix} has no value`);
      return;
    }
    entries.push({
      key: prefix,
      value: textOf(node),
      origin: "file",
      place: placeAt(rangeStart(node)),
    });
  };
  if (document.contents !== null) visit(document.contents, "", 0);
  return { entries, warnings };
}

function rangeStart(node: unknown): number {
  const range =
    typeof node === "object" && node !== null && "range" in node && Array.isArray(node.range)
      ? (node.range as readonly number[])
      : [];
  return range[0] ?? 0;
}

function unreadable(place: string, problem: string): StreamError {
  return new StreamError("CONFIGURATION_UNREADABLE", { path: place, problem });
}
