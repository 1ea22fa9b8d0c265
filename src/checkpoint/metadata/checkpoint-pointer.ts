import { errorText, type FileStatus, type FileSystem, StreamError } from "../../base/index.ts";
import type { CheckpointMetadata } from "./checkpoint-metadata.ts";
import { decodeMetadata } from "./metadata-decoder.ts";

/** Name of the file that makes a checkpoint complete. */
export const METADATA_FILE_NAME = "_metadata";

/** Larger than any that Flink can hold in memory at its defaults; the whole file is read at once. */
const MAX_METADATA_BYTES = 1 << 30;

const CHECKPOINT_DIRECTORY = /^chk-\d+$/;

/** Where a checkpoint or savepoint lies. */
export interface SnapshotLocation {
  /** Folder that relative handles are relative to. */
  readonly directory: string;
  readonly metadataPath: string;
}

/** A checkpoint or savepoint on disk, read. */
export interface Snapshot extends SnapshotLocation {
  readonly metadata: CheckpointMetadata;
}

/**
 * The path of a file of this machine: of a path itself, or of a `file:` URI; undefined for other file systems.
 *
 * @remarks
 * Flink writes its paths unescaped into a URI, so nothing is unescaped here. Source: Flink `Path.toString`.
 */
export function localPath(pathOrUri: string): string | undefined {
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(pathOrUri);
  if (scheme === null) return pathOrUri;
  if (scheme[1] !== "file") return undefined;
  const path = pathOrUri.slice("file:".length).replace(/^\/\/(?=\/)/, "");
  return path.startsWith("/") && !path.startsWith("//") ? path : undefined;
}

/**
 * Finds the `_metadata` that a pointer means: the file itself, or the folder that holds it.
 *
 * @param pointer - A path or `file:` URI.
 * @throws StreamError CHECKPOINT_POINTER_INVALID if there is none, with what is there instead.
 */
export async function resolveCheckpointPointer(
  pointer: string,
  files: FileSystem,
): Promise<SnapshotLocation> {
  const given = localPath(pointer);
  if (given === undefined) throw invalid(pointer, "only paths and file: addresses can be read");
  const path = given.length > 1 ? given.replace(/\/+$/, "") : given;
  const status = await statusOf(path, pointer, files);
  if (status === undefined) throw invalid(pointer, "there is no such file or directory");
  if (status.kind === "file") return { directory: parentOf(path), metadataPath: path };
  if (status.kind !== "directory") throw invalid(pointer, "it is neither a file nor a directory");

  const metadataPath = `${path}/${METADATA_FILE_NAME}`;
  const metadataStatus = await statusOf(metadataPath, pointer, files);
  if (metadataStatus?.kind === "file") return { directory: path, metadataPath };
  throw invalid(pointer, await whatIsInstead(path, files));
}

/**
 * Reads the checkpoint or savepoint that a pointer means.
 *
 * @throws StreamError CHECKPOINT_POINTER_INVALID as {@link resolveCheckpointPointer}, or if `_metadata` cannot be read.
 * @throws StreamError METADATA_MALFORMED or METADATA_VERSION_UNSUPPORTED as `decodeMetadata`.
 */
export async function readSnapshot(pointer: string, files: FileSystem): Promise<Snapshot> {
  const location = await resolveCheckpointPointer(pointer, files);
  const { metadataPath } = location;
  const status = await statusOf(metadataPath, pointer, files);
  if (status !== undefined && status.sizeBytes > MAX_METADATA_BYTES) {
    throw invalid(
      pointer,
      `${metadataPath} has ${status.sizeBytes} bytes, more than ${MAX_METADATA_BYTES}`,
    );
  }
  let bytes: Uint8Array;
  try {
    bytes = await files.read(metadataPath);
  } catch (error) {
    throw invalid(pointer, `${metadataPath} cannot be read: ${errorText(error)}`, error);
  }
  return { ...location, metadata: decodeMetadata(bytes, { path: metadataPath }) };
}

/** A folder that holds a checkpoint, or was to hold one. */
export interface CheckpointDirectory {
  readonly path: string;
  /** False if there is no `_metadata`: the checkpoint never completed, or was cut while it was deleted. */
  readonly isComplete: boolean;
}

/**
 * The checkpoints and savepoints at a folder: itself, those in it, and those one level deeper, as
 * `<root>/<job id>/chk-<n>` has them. By path, numbers in names by value.
 *
 * @remarks
 * What is no folder, or cannot be listed below the first level, is passed over.
 *
 * @throws what the file system throws if the folder itself cannot be listed.
 */
export async function findCheckpointDirectories(
  root: string,
  files: FileSystem,
): Promise<readonly CheckpointDirectory[]> {
  const found: CheckpointDirectory[] = [];
  const visit = async (path: string, depth: number): Promise<void> => {
    const entries = await files.list(path);
    if (entries.some(({ name, kind }) => name === METADATA_FILE_NAME && kind === "file")) {
      found.push({ path, isComplete: true });
      return;
    }
    if (CHECKPOINT_DIRECTORY.test(nameOf(path))) {
      found.push({ path, isComplete: false });
      return;
    }
    if (depth === 2) return;
    for (const { name, kind } of entries) {
      if (kind !== "directory") continue;
      try {
        await visit(`${path}/${name}`, depth + 1);
      } catch {
        // It vanished since it was listed, or is not ours to read: the others still count.
      }
    }
  };
  await visit(root.length > 1 ? root.replace(/\/+$/, "") : root, 0);
  return found.toSorted((a, b) => a.path.localeCompare(b.path, "en", { numeric: true }));
}

async function whatIsInstead(path: string, files: FileSystem): Promise<string> {
  if (CHECKPOINT_DIRECTORY.test(nameOf(path))) {
    return "it holds no _metadata, so this checkpoint never completed, or its deletion was cut short";
  }
  let inside: readonly CheckpointDirectory[];
  try {
    inside = await findCheckpointDirectories(path, files);
  } catch (error) {
    return `it cannot be listed: ${errorText(error)}`;
  }
  const newest = inside.findLast(({ isComplete }) => isComplete);
  if (newest !== undefined) return `it holds no _metadata itself; there is one in ${newest.path}`;
  return inside.length === 0
    ? "it holds no _metadata"
    : `it holds no _metadata, and none of the ${inside.length} checkpoints in it completed`;
}

async function statusOf(
  path: string,
  pointer: string,
  files: FileSystem,
): Promise<FileStatus | undefined> {
  try {
    return await files.status(path);
  } catch (error) {
    throw invalid(pointer, errorText(error), error);
  }
}

function invalid(pointer: string, problem: string, cause?: unknown): StreamError {
  return new StreamError("CHECKPOINT_POINTER_INVALID", { pointer, problem }, cause);
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

function parentOf(path: string): string {
  const slash = path.lastIndexOf("/");
  if (slash < 0) return ".";
  return slash === 0 ? "/" : path.slice(0, slash);
}
