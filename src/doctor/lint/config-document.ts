import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument } from "yaml";

import { parseFlatYaml } from "../../base/index.ts";

/** One setting of a file, with where it stands. Offsets count UTF-16 units from the start of the text. */
export interface ConfigEntry {
  readonly key: string;
  readonly value: string;
  /** 1-based, of the key. */
  readonly line: number;
  readonly column: number;
  readonly valueLine: number;
  readonly valueColumn: number;
  /** The key as one word of the file; undefined if it is nested. */
  readonly keyRange: readonly [from: number, to: number] | undefined;
  readonly valueRange: readonly [from: number, to: number];
  /** The words of a nested key, from the outermost. */
  readonly path: readonly string[];
}

/** What makes a file, or a line of it, unreadable. */
export interface ConfigFault {
  readonly kind: "unreadable" | "dropped";
  readonly line: number;
  readonly column: number;
  readonly detail: string;
}

/** A configuration file as it stands, in either form. */
export interface ConfigDocument {
  readonly form: "flat" | "yaml";
  readonly text: string;
  readonly entries: readonly ConfigEntry[];
  readonly faults: readonly ConfigFault[];
}

/** Reads `flink-conf.yaml` as Flink 1.x reads it: line by line. */
export function readFlatDocument(text: string): ConfigDocument {
  const { entries, dropped } = parseFlatYaml(text);
  const starts = lineStarts(text);
  const contentAt = (line: number): string => text.slice(starts[line - 1], starts[line]);
  return {
    form: "flat",
    text,
    entries: entries.map(({ key, value, line }) => {
      const start = starts[line - 1] ?? 0;
      const content = contentAt(line);
      const keyAt = content.indexOf(key);
      const valueAt = content.indexOf(value, keyAt + key.length + 1);
      return {
        key,
        value,
        line,
        column: keyAt + 1,
        valueLine: line,
        valueColumn: valueAt + 1,
        keyRange: [start + keyAt, start + keyAt + key.length],
        valueRange: [start + valueAt, start + valueAt + value.length],
        path: [key],
      };
    }),
    faults: dropped.map(({ line }) => ({
      kind: "dropped",
      line,
      column: (/\S/u.exec(contentAt(line))?.index ?? 0) + 1,
      detail: contentAt(line).trim(),
    })),
  };
}

/** Reads `config.yaml`: YAML 1.2, nested or flat. What cannot be parsed is a fault with its place. */
export function readYamlDocument(text: string): ConfigDocument {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, version: "1.2" });
  const faults = document.errors.map((error): ConfigFault => {
    const { line, col } = lineCounter.linePos(error.pos[0]);
    const [detail = ""] = error.message.split(/ at line \d+| *\n/u);
    return { kind: "unreadable", line, column: col, detail };
  });
  const entries: ConfigEntry[] = [];
  const textOf = (node: unknown): string => {
    if (isScalar(node)) return node.type === "PLAIN" ? (node.source ?? "") : String(node.value);
    return isSeq(node) ? node.items.map(textOf).join(";") : "";
  };
  const visit = (given: unknown, path: readonly string[], key: readonly [number, number]): void => {
    const node = isAlias(given) ? given.resolve(document) : given;
    if (isMap(node)) {
      for (const pair of node.items)
        visit(pair.value, [...path, textOf(pair.key)], rangeOf(pair.key));
      return;
    }
    const range = rangeOf(node);
    const isEmpty = node === null || (isScalar(node) && node.value === null);
    const keyAt = lineCounter.linePos(key[0]);
    if (isEmpty || path.length === 0) {
      const detail = path.join(".");
      faults.push({ kind: "dropped", line: keyAt.line, column: keyAt.col, detail });
      return;
    }
    const valueAt = lineCounter.linePos(range[0]);
    entries.push({
      key: path.join("."),
      value: textOf(node),
      line: keyAt.line,
      column: keyAt.col,
      valueLine: valueAt.line,
      valueColumn: valueAt.col,
      keyRange: path.length === 1 ? key : undefined,
      valueRange: range,
      path,
    });
  };
  if (document.contents !== null && faults.length === 0) visit(document.contents, [], [0, 0]);
  return { form: "yaml", text, entries, faults };
}

function rangeOf(node: unknown): readonly [number, number] {
  const range =
    typeof node === "object" && node !== null && "range" in node && Array.isArray(node.range)
      ? (node.range as readonly number[])
      : [];
  return [range[0] ?? 0, range[1] ?? 0];
}

function lineStarts(text: string): readonly number[] {
  const starts = [0];
  for (const match of text.matchAll(/\r\n|\n|\r/gu)) starts.push(match.index + match[0].length);
  return [...starts, text.length];
}
