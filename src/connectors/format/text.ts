import { Types } from "../../serde/index.ts";
import { endOfLine, type RecordFormat } from "./record-format.ts";

/** Lines of text, each a record. */
export function text(): RecordFormat<string> {
  return {
    name: "text",
    type: Types.string(),
    hasHeader: false,
    ignoresBlankLines: false,
    header: undefined,
    endOfRecord: endOfLine,
    createDecoder: () => ({ readHeader() {}, decode: (line) => line }),
    encode: (line) => line,
  };
}
