import { DURATION_FORMS, parseDurationMs, StreamError } from "../../base/index.ts";
import type { Source } from "../../operators/index.ts";
import type { RecordFormat } from "../format/record-format.ts";
import { FileEnumerator } from "./file-enumerator.ts";
import type { BadRecordPolicy } from "./bad-record.ts";
import { FileReader } from "./file-reader.ts";
import {
  type FileEnumeratorState,
  fileEnumeratorStateType,
  type FileSplit,
  fileSplitType,
} from "./file-split.ts";

export interface FileSourceOptions {
  /** What to do with what cannot be read. Initially `"fail"`, which names file, line and column. */
  readonly onBadRecord?: BadRecordPolicy;
  /** Look for new files, and for what was added to known ones, this often (`"1 s"`): the source never ends. Initially it reads what is there. */
  readonly watch?: string;
  /** Longest record, in bytes. Initially 16 MiB. */
  readonly maxRecordBytes?: number;
  /** Emit at most so many records a second and subtask, to watch a job at work. */
  readonly recordsPerSecond?: number;
}

const MAX_RECORD_BYTES = 16 * 1024 * 1024;

/**
 * Records of files: one file, all files below a directory, or a pattern (`logs/*.ndjson`, `data/**\/*.{csv,txt}`).
 *
 * @remarks
 * A file is a split, so files are read in parallel, each from front to back, in the order of their paths; each has a watermark of its own. The
 * position in each file is part of every checkpoint.
 *
 * @throws StreamError FILES_NOT_FOUND when the job starts, if nothing matches and the source does not watch.
 */
export function fileSource<T>(
  path: string,
  format: RecordFormat<T>,
  options: FileSourceOptions = {},
): Source<T, FileSplit, FileEnumeratorState> {
  const watchMs = options.watch === undefined ? undefined : durationOf(options.watch);
  return {
    name: `files ${path}`,
    boundedness: watchMs === undefined ? "BOUNDED" : "CONTINUOUS_UNBOUNDED",
    type: format.type,
    splitSerializer: fileSplitType,
    enumeratorStateSerializer: fileEnumeratorStateType,
    createEnumerator: (context, restored) => new FileEnumerator(context, path, watchMs, restored),
    createReader: (context) =>
      new FileReader(context, format, {
        onBadRecord: options.onBadRecord ?? "fail",
        maxRecordBytes: options.maxRecordBytes ?? MAX_RECORD_BYTES,
        tailIntervalMs: watchMs,
        recordsPerSecond: options.recordsPerSecond,
      }),
  };
}

function durationOf(text: string): number {
  const durationMs = parseDurationMs(text);
  if (durationMs !== undefined && durationMs > 0) return durationMs;
  throw new StreamError("OPTION_VALUE_INVALID", {
    key: "watch",
    value: text,
    place: "fileSource",
    expected: DURATION_FORMS,
  });
}
