import {
  assert,
  errorText,
  type FileSystem,
  type OpenFile,
  StreamError,
} from "../../base/index.ts";
import type { StreamStateHandle } from "../../state/index.ts";
import { localPath } from "../metadata/checkpoint-pointer.ts";
import type { StateOrigin } from "./checkpoint-storage.ts";

/** Which bytes of which file. */
interface FilePart {
  readonly path: string;
  readonly startBytes: number;
  /** Undefined if the checkpoint does not say: then all of the file. */
  readonly sizeBytes: number | undefined;
  /** The file has exactly this part. */
  readonly isWhole: boolean;
}

/**
 * Reads the bytes behind a handle, and checks that the file has the size that the checkpoint says.
 *
 * @throws StreamError STATE_HANDLE_UNREADABLE naming checkpoint, path and problem. Never half of the bytes.
 */
export async function readStateFile(
  handle: StreamStateHandle,
  from: StateOrigin,
  files: FileSystem,
): Promise<Uint8Array> {
  switch (handle.kind) {
    case "bytes":
      return handle.data;
    case "empty-segment":
      return new Uint8Array(0);
    case "key-groups":
      return readStateFile(handle.handle.stream, from, files);
    case "file":
      return readPart({ path: handle.path, ...wholeOf(handle.sizeBytes) }, from, files);
    case "relative-file":
      return readPart(
        { path: `${from.directory}/${handle.path}`, ...wholeOf(handle.sizeBytes) },
        from,
        files,
      );
    case "segment": {
      const { path, startBytes, sizeBytes } = handle;
      return readPart({ path, startBytes, sizeBytes, isWhole: false }, from, files);
    }
  }
}

/** Flink writes -1 where the file system did not tell the size. */
function wholeOf(sizeBytes: number): Omit<FilePart, "path"> {
  return { startBytes: 0, sizeBytes: sizeBytes < 0 ? undefined : sizeBytes, isWhole: true };
}

async function readPart(part: FilePart, from: StateOrigin, files: FileSystem): Promise<Uint8Array> {
  const path = localPath(part.path);
  if (path === undefined)
    throw unreadable(part.path, from, "only files of this machine can be read");
  let file: OpenFile;
  try {
    file = await files.open(path, "read");
  } catch (error) {
    throw unreadable(path, from, errorText(error), error);
  }
  try {
    return await readOpened(file, { ...part, path }, from);
  } finally {
    // A file that was only read loses nothing if closing fails.
    await file.close().catch(() => undefined);
  }
}

async function readOpened(file: OpenFile, part: FilePart, from: StateOrigin): Promise<Uint8Array> {
  const { path, startBytes } = part;
  try {
    const { sizeBytes: foundBytes } = await file.status();
    const sizeBytes = part.sizeBytes ?? foundBytes;
    const isRight = part.isWhole ? foundBytes === sizeBytes : foundBytes >= startBytes + sizeBytes;
    if (!isRight) {
      const expected = `${part.isWhole ? "" : "at least "}${startBytes + sizeBytes}`;
      throw unreadable(path, from, `it has ${foundBytes} bytes, the checkpoint says ${expected}`);
    }
    const data = new Uint8Array(sizeBytes);
    let done = 0;
    while (done < sizeBytes) {
      const readBytes = await file.read(data.subarray(done), startBytes + done);
      if (readBytes === 0)
        throw unreadable(path, from, `it ended after ${startBytes + done} bytes`);
      done += readBytes;
    }
    assert(done === sizeBytes, "the whole part is read");
    return data;
  } catch (error) {
    if (error instanceof StreamError) throw error;
    throw unreadable(path, from, errorText(error), error);
  }
}

function unreadable(
  path: string,
  from: StateOrigin,
  problem: string,
  cause?: unknown,
): StreamError {
  const { checkpointId } = from;
  return new StreamError("STATE_HANDLE_UNREADABLE", { path, checkpointId, problem }, cause);
}
