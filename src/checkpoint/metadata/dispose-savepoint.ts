import { type FileSystem, StreamError } from "../../base/index.ts";
import { localPath, readSnapshot, type Snapshot } from "./checkpoint-pointer.ts";
import { streamReferences } from "./stream-references.ts";

/** What was deleted of a savepoint. */
export interface DisposedSavepoint {
  readonly directory: string;
  readonly fileCount: number;
  /** Files that it refers to and that lie elsewhere: they may be another's, and stay. */
  readonly keptPaths: readonly string[];
  /** Whether the directory is gone; it stays if something lies in it that is not the savepoint's. */
  readonly isDirectoryGone: boolean;
}

/**
 * Deletes a savepoint: `_metadata` first, so that what is left after a crash cannot be taken for a whole one, then the files in its directory
 * that it refers to, then the directory if nothing else lies in it.
 *
 * @param pointer - The savepoint's directory or its `_metadata`.
 * @throws StreamError CHECKPOINT_POINTER_INVALID or METADATA_UNREADABLE if there is no snapshot; NOT_A_SAVEPOINT if it is a job's checkpoint.
 */
export async function disposeSavepoint(
  pointer: string,
  files: FileSystem,
): Promise<DisposedSavepoint> {
  const snapshot = await readSnapshot(pointer, files);
  const { directory, metadataPath, metadata } = snapshot;
  if (!isSavepoint(snapshot)) throw new StreamError("NOT_A_SAVEPOINT", { directory });
  const own: string[] = [];
  const keptPaths: string[] = [];
  for (const path of referredPaths(metadata, directory)) {
    if (path.startsWith(`${directory}/`) && !path.includes("/../")) own.push(path);
    else keptPaths.push(path);
  }
  await files.remove(metadataPath);
  await files.syncDirectory(directory);
  for (const path of own) await files.remove(path);
  const isDirectoryGone = (await files.list(directory)).length === 0;
  if (isDirectoryGone) await files.remove(directory);
  return { directory, fileCount: own.length + 1, keptPaths, isDirectoryGone };
}

/** Metadata of Flink before 1.8 does not say what it is of; its directory's name does. */
function isSavepoint({ metadata, directory }: Snapshot): boolean {
  const { properties } = metadata;
  if (properties !== undefined) return properties.type.kind === "savepoint";
  return /(?:^|\/)savepoint-[^/]+$/.test(directory);
}

/** Paths of the files that hold the savepoint's state, each once. */
function referredPaths(metadata: Snapshot["metadata"], directory: string): readonly string[] {
  const paths = new Set<string>();
  for (const { stream } of streamReferences(metadata)) {
    if (stream.kind === "relative-file") paths.add(`${directory}/${stream.path}`);
    else if (stream.kind === "file" || stream.kind === "segment")
      paths.add(localPath(stream.path) ?? stream.path);
  }
  return [...paths].toSorted();
}
