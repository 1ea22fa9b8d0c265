import { StreamError } from "../../base/index.ts";
import { shapeOf, type StructField, type TypeSerializer } from "../../serde/index.ts";
import { parseField } from "./from-text.ts";
import { jsonWriter } from "./to-json.ts";
import { BadRecordError, type RecordDecoder, type RecordFormat } from "./record-format.ts";

export interface CsvOptions {
  /** Between fields. Initially a comma. */
  readonly delimiter?: string;
  /** Whether the first line names the columns; then they may stand in any order, and unknown ones are dropped. Initially true. */
  readonly header?: boolean;
}

const QUOTE = 0x22;
const LINE_FEED = 0x0a;

/**
 * Comma-separated values as in RFC 4180: fields may be quoted, quotes within are doubled, quoted fields may hold line
 * breaks.
 *
 * @param type - A struct of fields without parts; without a header its order is that of the columns.
 * @throws StreamError TYPE_DECLARATION_INVALID if the type is no struct.
 */
export function csv<T>(type: TypeSerializer<T>, options: CsvOptions = {}): RecordFormat<T> {
  const shape = shapeOf(type);
  if (shape.kind !== "struct") {
    throw new StreamError("TYPE_DECLARATION_INVALID", {
      type: type.typeName,
      problem: "CSV needs a struct",
    });
  }
  const { fields } = shape;
  const delimiter = options.delimiter ?? ",";
  const hasHeader = options.header ?? true;
  const writers = fields.map((field) => ({ name: field.name, write: jsonWriter(field.shape) }));
  return {
    name: "csv",
    type,
    hasHeader,
    ignoresBlankLines: true,
    header: hasHeader
      ? writers.map(({ name }) => quoted(name, delimiter)).join(delimiter)
      : undefined,
    endOfRecord: endOfQuotedRecord,
    createDecoder: () => new CsvDecoder<T>(fields, delimiter),
    encode: (record) =>
      writers
        .map(({ name, write }) =>
          quoted(textOf(write((record as Readonly<Record<string, unknown>>)[name])), delimiter),
        )
        .join(delimiter),
  };
}

function endOfQuotedRecord(bytes: Uint8Array, start: number, end: number): number {
  let isQuoted = false;
  for (let index = start; index < end; index++) {
    const byte = bytes[index];
    if (byte === QUOTE) isQuoted = !isQuoted;
    else if (byte === LINE_FEED && !isQuoted) return index;
  }
  return -1;
}

function quoted(text: string, delimiter: string): string {
  return text.includes('"') || text.includes(delimiter) || /[\r\n]|^\s|\s$/.test(text)
    ? `"${text.replaceAll('"', '""')}"`
    : text;
}

function textOf(json: unknown): string {
  if (json === undefined || json === null) return "";
  return typeof json === "object"
    ? JSON.stringify(json)
    : String(json as string | number | boolean);
}

class CsvDecoder<T> implements RecordDecoder<T> {
  readonly #fields: readonly StructField[];
  readonly #delimiter: string;
  /** The field of each column; undefined for a column that the type does not declare. */
  #columns: readonly (StructField | undefined)[];

  constructor(fields: readonly StructField[], delimiter: string) {
    this.#fields = fields;
    this.#delimiter = delimiter;
    this.#columns = fields;
  }

  readHeader(line: string): void {
    const names = splitFields(line, this.#delimiter).map(({ text }) => text.trim());
    const missing = this.#fields.filter(
      (field) =>
        !names.includes(field.name) &&
        field.shape.kind !== "optional" &&
        field.makeDefault === undefined,
    );
    if (missing.length > 0) {
      throw new BadRecordError(
        `the header lacks ${missing.map((field) => field.name).join(", ")}; it names ${names.join(", ")}`,
      );
    }
    this.#columns = names.map((name) => this.#fields.find((field) => field.name === name));
  }

  decode(line: string): T {
    const cells = splitFields(line, this.#delimiter);
    if (cells.length !== this.#columns.length) {
      throw new BadRecordError(`${this.#columns.length} columns expected, ${cells.length} found`);
    }
    const value: Record<string, unknown> = {};
    for (const field of this.#fields) {
      if (field.makeDefault !== undefined) value[field.name] = field.makeDefault();
    }
    cells.forEach(({ text, column }, index) => {
      const field = this.#columns[index];
      if (field === undefined || (text === "" && field.makeDefault !== undefined)) return;
      const parsed = parseField(text, field.shape);
      if ("problem" in parsed) throw new BadRecordError(`${field.name}: ${parsed.problem}`, column);
      value[field.name] = parsed.value;
    });
    return value as T;
  }
}

/** The fields of a record, unquoted, each with the 1-based column at which it begins. */
function splitFields(
  line: string,
  delimiter: string,
): { readonly text: string; readonly column: number }[] {
  const fields: { text: string; column: number }[] = [];
  let start = 0;
  for (;;) {
    if (line[start] === '"') {
      let end = line.indexOf('"', start + 1);
      while (end >= 0 && line[end + 1] === '"') end = line.indexOf('"', end + 2);
      if (end < 0) throw new BadRecordError("a quoted field does not end", start + 1);
      fields.push({ text: line.slice(start + 1, end).replaceAll('""', '"'), column: start + 1 });
      if (end + 1 === line.length) return fields;
      if (!line.startsWith(delimiter, end + 1)) {
        throw new BadRecordError("text after the closing quote of a field", end + 2);
      }
      start = end + 1 + delimiter.length;
    } else {
      const end = line.indexOf(delimiter, start);
      fields.push({ text: line.slice(start, end < 0 ? undefined : end), column: start + 1 });
      if (end < 0) return fields;
      start = end + delimiter.length;
    }
  }
}
