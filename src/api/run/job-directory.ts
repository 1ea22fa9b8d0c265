import { errorText, isStreamError, type Platform, StreamError } from "../../base/index.ts";
import {
  type CheckpointingOptions,
  findCheckpointDirectories,
  localPath,
} from "../../checkpoint/index.ts";

/** Where jobs without a checkpoint directory of their own keep theirs, below the working directory. */
const DEFAULT_ROOT = ".cutwater";

/** Longer names do not fit a file system. */
const MAX_NAME_LENGTH = 100;

/** The default checkpoint directory of a job, made of its name. */
export function defaultCheckpointDirectory(jobName: string): string {
  return `${DEFAULT_ROOT}/${fileNameOf(jobName)}`;
}

/** A name as a file name: what is not safe in one is written as in a URL. Different names stay different, up to their first 100 signs. */
export function fileNameOf(name: string): string {
  const safe = encodeURIComponent(name)
    .replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
    .replace(/^\./, "%2E");
  return safe.length <= MAX_NAME_LENGTH ? safe : safe.slice(0, MAX_NAME_LENGTH).replace(/%.?$/, "");
}

/**
 * The directory that holds a job's checkpoints, lock and state; undefined if the options keep nothing in files.
 */
export function jobDirectoryOf(options: CheckpointingOptions, jobId: string): string | undefined {
  const { directory, storage, createSubdirectory } = options;
  if (directory === undefined || storage === "jobmanager") return undefined;
  const root = localPath(directory)?.replace(/(?<=.)\/+$/, "");
  if (root === undefined) return undefined;
  return createSubdirectory ? `${root}/${jobId}` : root;
}

/** Creates the directory. @throws StreamError JOB_DIRECTORY_UNUSABLE. */
export async function createJobDirectory(directory: string, platform: Platform): Promise<void> {
  await inJobDirectory(directory, () => platform.files.createDirectory(directory));
}

/** Runs an action; what the file system refuses becomes a StreamError JOB_DIRECTORY_UNUSABLE. */
export async function inJobDirectory<T>(directory: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    if (isStreamError(error)) throw error;
    const problem = errorText(error);
    throw new StreamError("JOB_DIRECTORY_UNUSABLE", { directory, problem }, error);
  }
}

/** Ids of the complete checkpoints in a job's directory, ascending. */
export async function completeCheckpointIds(
  directory: string,
  platform: Platform,
): Promise<readonly number[]> {
  const found = await findCheckpointDirectories(directory, platform.files);
  return found
    .filter(({ isComplete }) => isComplete)
    .flatMap(({ path }) => {
      const id = /\/chk-(\d+)$/.exec(path)?.[1];
      return id === undefined ? [] : [Number(id)];
    })
    .toSorted((a, b) => a - b);
}
