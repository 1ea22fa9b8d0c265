import { errorText, type FileStatus, type FileSystem } from "../../base/index.ts";
import type { StreamStateHandle } from "../../state/index.ts";
import type { CheckpointMetadata } from "./checkpoint-metadata.ts";
import { localPath } from "./checkpoint-pointer.ts";
import { type StreamReference, type StateKind, streamReferences } from "./stream-references.ts";

/** A file that a checkpoint needs and that is not as the checkpoint says. */
export interface SnapshotFileProblem {
  readonly kind: "missing" | "wrong-size" | "not-a-file" | "unreadable";
  readonly path: string;
  /** Whose state it holds; the first, if several refer to it. */
  readonly operatorId: string;
  readonly operatorName: string | undefined;
  readonly subtaskIndex: number | undefined;
  readonly state: StateKind;
  /** Exact for a file, the least for segments of a merged file; undefined if the checkpoint does not say. */
  readonly expectedBytes: number | undefined;
  /** Undefined if there is no file. */
  readonly foundBytes: number | undefined;
  /** What the operating system said, if it refused. */
  readonly cause: string | undefined;
}

/** What looking for a checkpoint's files came to. */
export interface SnapshotFileCheck {
  readonly problems: readonly SnapshotFileProblem[];
  /** How many different files were looked at. */
  readonly checkedCount: number;
  /** Files that do not lie in a file system of this machine, such as `hdfs://...`, by path. */
  readonly uncheckedPaths: readonly string[];
}

/** A file to look for. */
interface NeededFile {
  readonly reference: StreamReference;
  readonly path: string;
  readonly expectedBytes: number | undefined;
  /** False where the file may be longer. */
  readonly isExact: boolean;
}

/** How many files are asked for at a time. */
const CONCURRENT_COUNT = 16;

/**
 * Looks whether the files that a checkpoint refers to are there, with the sizes that it says.
 *
 * @remarks
 * Nothing is read of them. Relative handles are resolved against `directory`, so a moved checkpoint is checked where it is now.
 *
 * @param directory - Path of the folder that holds `_metadata`.
 */
export async function checkSnapshotFiles(
  metadata: CheckpointMetadata,
  directory: string,
  files: FileSystem,
): Promise<SnapshotFileCheck> {
  const needed = neededFiles(metadata, directory);
  const uncheckedPaths = new Set<string>();
  const local: NeededFile[] = [];
  for (const file of needed) {
    const path = localPath(file.path);
    if (path === undefined) uncheckedPaths.add(file.path);
    else local.push({ ...file, path });
  }
  const problems: SnapshotFileProblem[] = [];
  for (let start = 0; start < local.length; start += CONCURRENT_COUNT) {
    const some = local.slice(start, start + CONCURRENT_COUNT);
    const found = await Promise.all(some.map((file) => problemOf(file, files)));
    for (const problem of found) if (problem !== undefined) problems.push(problem);
  }
  const checkedCount = new Set(local.map(({ path }) => path)).size;
  return { problems, checkedCount, uncheckedPaths: [...uncheckedPaths] };
}

/** The files of a checkpoint, each path once for every size that is expected of it. */
function neededFiles(metadata: CheckpointMetadata, directory: string): readonly NeededFile[] {
  const needed = new Map<string, NeededFile>();
  for (const reference of streamReferences(metadata)) {
    const file = neededFile(reference.stream, directory);
    if (file === undefined) continue;
    const key = `${file.isExact ? String(file.expectedBytes) : "segments"} ${file.path}`;
    const before = needed.get(key);
    if (before === undefined) {
      needed.set(key, { reference, ...file });
    } else if ((file.expectedBytes ?? 0) > (before.expectedBytes ?? 0)) {
      needed.set(key, { ...before, expectedBytes: file.expectedBytes });
    }
  }
  return [...needed.values()];
}

function neededFile(
  stream: StreamStateHandle,
  directory: string,
): Omit<NeededFile, "reference"> | undefined {
  switch (stream.kind) {
    case "bytes":
    case "empty-segment":
      return undefined;
    case "file":
      return { path: stream.path, expectedBytes: knownSize(stream.sizeBytes), isExact: true };
    case "relative-file":
      return {
        path: `${directory}/${stream.path}`,
        expectedBytes: knownSize(stream.sizeBytes),
        isExact: true,
      };
    case "segment":
      return {
        path: stream.path,
        expectedBytes: stream.startBytes + stream.sizeBytes,
        isExact: false,
      };
    case "key-groups":
      return neededFile(stream.handle.stream, directory);
  }
}

/** Flink writes -1 where the file system did not tell the size. */
function knownSize(sizeBytes: number): number | undefined {
  return sizeBytes < 0 ? undefined : sizeBytes;
}

async function problemOf(
  file: NeededFile,
  files: FileSystem,
): Promise<SnapshotFileProblem | undefined> {
  let status: FileStatus | undefined;
  try {
    status = await files.status(file.path);
  } catch (error) {
    return problem(file, "unreadable", undefined, errorText(error));
  }
  if (status === undefined) return problem(file, "missing", undefined);
  if (status.kind !== "file") return problem(file, "not-a-file", undefined);
  if (file.expectedBytes === undefined) return undefined;
  const isRight = file.isExact
    ? status.sizeBytes === file.expectedBytes
    : status.sizeBytes >= file.expectedBytes;
  return isRight ? undefined : problem(file, "wrong-size", status.sizeBytes);
}

function problem(
  file: NeededFile,
  kind: SnapshotFileProblem["kind"],
  foundBytes: number | undefined,
  cause?: string,
): SnapshotFileProblem {
  const { operator, subtaskIndex, state } = file.reference;
  const { path, expectedBytes } = file;
  const { operatorId, operatorName } = operator;
  return {
    kind,
    path,
    operatorId,
    operatorName,
    subtaskIndex,
    state,
    expectedBytes,
    foundBytes,
    cause,
  };
}
