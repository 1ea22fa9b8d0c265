import { StreamError } from "../../base/index.ts";
import type { Sink, SinkContext } from "../../operators/index.ts";
import type { RecordFormat } from "../format/record-format.ts";
import {
  type FileCommittable,
  fileCommittableType,
  FileCommitter,
  fileNames,
  inFolder,
  isFinishedName,
  removeLeftovers,
  withFile,
} from "./file-committable.ts";
import { FileWriter } from "./file-writer.ts";

export interface FileSinkOptions {
  /**
   * What a run that starts afresh does with finished output that is already there: refuse (initially), remove it, or add to it. A run
   * that goes on from a checkpoint always adds.
   */
  readonly existing?: "refuse" | "overwrite" | "append";
  /** Ending of the finished files' names. Initially the format's: `.ndjson`, `.csv`, `.txt`. */
  readonly suffix?: string;
  /** A part is closed when it has this size, in bytes; each checkpoint closes it as well. Initially 128 MiB. */
  readonly maxPartBytes?: number;
}

const MAX_PART_BYTES = 128 * 1024 * 1024;
const SUFFIXES: Readonly<Record<string, string>> = { ndjson: ".ndjson", csv: ".csv", text: ".txt" };

/**
 * Files of records, each exactly once: `part-…` in the folder are finished and never change; what is not finished is hidden.
 *
 * @remarks
 * Records become visible when the checkpoint after them is complete, or at the end of a bounded job. Source: Flink `FileSink` with a
 * rolling policy on checkpoints.
 *
 * @throws StreamError SINK_FOLDER_NOT_EMPTY when the job starts.
 */
export function fileSink<IN>(
  folder: string,
  format: RecordFormat<IN>,
  options: FileSinkOptions = {},
): Sink<IN, FileCommittable> {
  const suffix = options.suffix ?? SUFFIXES[format.name] ?? "";
  return {
    name: `files ${folder}`,
    committableSerializer: fileCommittableType,
    writerStateSerializer: undefined,
    async createWriter(context) {
      await withFile(folder, "prepare", async () => {
        await prepareFolder(context, folder, options.existing ?? "refuse");
        await removeLeftovers(context, folder, true);
      });
      const names = fileNames(context, suffix);
      return new FileWriter(context, folder, format, names, options.maxPartBytes ?? MAX_PART_BYTES);
    },
    createCommitter: (context) => new FileCommitter(context, folder),
  };
}

async function prepareFolder(
  context: SinkContext,
  folder: string,
  existing: "refuse" | "overwrite" | "append",
): Promise<void> {
  await context.files.createDirectory(folder);
  // A later attempt that starts from nothing, too: no checkpoint was complete, so what is finished is not the job's to add to.
  if (context.isRestored || existing === "append") return;
  const names = (await context.files.list(folder)).map(({ name }) => name).filter(isFinishedName);
  const first = names[0];
  if (first === undefined) return;
  if (existing === "refuse")
    throw new StreamError("SINK_FOLDER_NOT_EMPTY", { folder, file: first });
  if (context.subtaskIndex !== 0) return;
  for (const name of names) await context.files.remove(inFolder(folder, name));
}
