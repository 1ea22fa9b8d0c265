import { Types, type TypeSerializer } from "../../serde/index.ts";

/** One file, and how far it has been read. */
export interface FileSplit {
  /** The file's path. */
  readonly splitId: string;
  /** Where the next record begins. */
  readonly positionBytes: number;
  /** Lines before that position. */
  readonly lineCount: number;
  /** The header line, if it has been read. */
  readonly header: string | undefined;
}

export const fileSplitType: TypeSerializer<FileSplit> = Types.struct({
  splitId: Types.string(),
  positionBytes: Types.long(),
  lineCount: Types.long(),
  header: Types.optional(Types.string()),
}) as TypeSerializer<FileSplit>;

/** The split of a file that nobody has read yet. */
export function newFileSplit(path: string): FileSplit {
  return { splitId: path, positionBytes: 0, lineCount: 0, header: undefined };
}

/** What the enumerator of files remembers. */
export interface FileEnumeratorState {
  /** Files that were handed to a reader. */
  readonly assigned: string[];
  /** Splits that wait for a reader. */
  readonly waiting: FileSplit[];
}

export const fileEnumeratorStateType: TypeSerializer<FileEnumeratorState> = Types.struct({
  assigned: Types.array(Types.string()),
  waiting: Types.array(fileSplitType),
});
