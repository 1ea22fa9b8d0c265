import { shapeOf, type TypeSerializer, Types } from "../../serde/index.ts";
import { JsonMisfit, jsonReader } from "./from-json.ts";
import { jsonWriter } from "./to-json.ts";
import { BadRecordError, endOfLine, type RecordFormat } from "./record-format.ts";

/**
 * JSON values, one a line (NDJSON, JSON Lines).
 *
 * @remarks
 * With a declared type each record is checked and converted: `timestamp` and `date` are read from milliseconds or ISO-8601 text,
 * `bigint` from digits, `bytes` from base64. Fields that the type does not declare are dropped. Without one a record is
 * whatever JSON says.
 */
export function ndjson<T = unknown>(type?: TypeSerializer<T>): RecordFormat<T> {
  const declared: TypeSerializer<T> = type ?? Types.any<T>();
  const read = jsonReader(shapeOf(declared));
  const write = jsonWriter(shapeOf(declared));
  const decode = (text: string): T => {
    const json = parse(text);
    try {
      return read(json) as T;
    } catch (error) {
      throw error instanceof JsonMisfit ? misfitOf(error, text) : error;
    }
  };
  return {
    name: "ndjson",
    type: declared,
    hasHeader: false,
    ignoresBlankLines: true,
    header: undefined,
    endOfRecord: endOfLine,
    createDecoder: () => ({ readHeader() {}, decode }),
    encode: (record) => JSON.stringify(write(record)) ?? "null",
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const position = /at position (\d+)/.exec(message)?.[1];
    const column = position === undefined ? text.length + 1 : Number(position) + 1;
    throw new BadRecordError(
      text.trim() === "" ? "an empty line is no JSON value" : `no JSON: ${message}`,
      column,
    );
  }
}

/** Points at the name of the field in the line, as far as it can be found there. */
function misfitOf(misfit: JsonMisfit, text: string): BadRecordError {
  const field = /[^.[\]]+(?=(\[\d+\])*$)/.exec(misfit.path)?.[0];
  const at = field === undefined ? -1 : text.indexOf(JSON.stringify(field));
  const place = misfit.path === "" ? "" : `${misfit.path}: `;
  return new BadRecordError(`${place}${misfit.message}`, at < 0 ? undefined : at + 1);
}
