import { isAscii } from "node:buffer";

import { nodePlatform } from "../../base/index.ts";
import type { RecordFormat } from "../format/record-format.ts";
import { findFiles } from "./glob.ts";

/**
 * All records of a folder, file or pattern, read at once: to look at what a job wrote. Hidden files, which are not
 * finished, are left out.
 *
 * @throws BadRecordError if a record is malformed.
 */
export async function readRecords<T>(path: string, format: RecordFormat<T>): Promise<T[]> {
  const { files } = nodePlatform();
  const records: T[] = [];
  for (const name of await findFiles(files, path)) {
    const bytes = await files.read(name);
    const decoder = format.createDecoder();
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let start = 0;
    let isHeader = format.hasHeader;
    while (start < bytes.length) {
      const found = format.endOfRecord(bytes, start, bytes.length);
      const end = found < 0 ? bytes.length : found;
      const line = text.toString(
        isAscii(text.subarray(start, end)) ? "latin1" : "utf8",
        start,
        end,
      );
      if (isHeader) decoder.readHeader(line);
      else if (!format.ignoresBlankLines || line.trim() !== "") records.push(decoder.decode(line));
      isHeader = false;
      start = end + 1;
    }
  }
  return records;
}
