import type { TypeSerializer } from "../../serde/index.ts";

/**
 * How records lie in a file of text: one record after the other, each ended by a line break.
 *
 * Implementations: {@link text}, {@link ndjson}, {@link csv}.
 */
export interface RecordFormat<T> {
  readonly name: string;
  readonly type: TypeSerializer<T>;
  /** True if a file begins with a line that is no record (column names). */
  readonly hasHeader: boolean;
  /** True if a line of blanks is no record but nothing. */
  readonly ignoresBlankLines: boolean;
  /**
   * Where the record that begins at `start` ends: the index of its line break.
   *
   * @returns -1 if the bytes end before the record does.
   */
  endOfRecord(bytes: Uint8Array, start: number, end: number): number;
  /** Makes the decoder of one file. */
  createDecoder(): RecordDecoder<T>;
  /** The record as text, without the line break. */
  encode(record: T): string;
  /** The first line of a new file, without the line break. */
  readonly header: string | undefined;
}

/** Decodes the records of one file. */
export interface RecordDecoder<T> {
  /** Takes the header line of the file. Only if the format has one. */
  readHeader(line: string): void;
  /** @throws BadRecordError if the text is no record. */
  decode(text: string): T;
}

/** What is wrong with the text of one record. Whoever knows file and line completes it. */
export class BadRecordError extends Error {
  override readonly name = "BadRecordError";
  /** 1-based, in characters of the record's text; undefined if it concerns the whole. */
  readonly column: number | undefined;

  constructor(problem: string, column?: number) {
    super(problem);
    this.column = column;
  }
}

const LINE_FEED = 0x0a;

/** `endOfRecord` for formats in which a line break always ends the record. */
export function endOfLine(bytes: Uint8Array, start: number, end: number): number {
  const at = bytes.indexOf(LINE_FEED, start);
  return at >= end ? -1 : at;
}
