import { type FileSystem, isStreamError, StreamError } from "../../base/index.ts";
import type { Committer, SinkContext } from "../../operators/index.ts";
import { Types, type TypeSerializer } from "../../serde/index.ts";

/** A part that waits to be published: two names in the sink's folder. */
export interface FileCommittable {
  readonly pending: string;
  readonly finished: string;
}

export const fileCommittableType: TypeSerializer<FileCommittable> = Types.struct({
  pending: Types.string(),
  finished: Types.string(),
});

/**
 * The names of one subtask's parts.
 *
 * @remarks
 * Unfinished ones are hidden and name job, operator and subtask, so that whoever comes after a crash knows which are
 * left over; pending ones also name the checkpoint at whose cut they were closed.
 */
export interface FileNames {
  finished(writerId: string, number: number): string;
  inProgress(writerId: string, number: number): string;
  pendingOf(inProgress: string, checkpointId: number | undefined): string;
}

const PREFIX = ".cutwater-";
const IN_PROGRESS = ".inprogress";
const PENDING = ".pending-";
/** Stands for "at the end of input", which no checkpoint covers. */
const NO_CHECKPOINT = "end";

export function fileNames(context: SinkContext, suffix: string): FileNames {
  const owner = `${PREFIX}${context.jobId.slice(0, 8)}-${context.operatorId.slice(0, 8)}-${context.subtaskIndex}-`;
  return {
    finished: (writerId, number) => `part-${writerId}-${number}${suffix}`,
    inProgress: (writerId, number) => `${owner}${writerId}-${number}${suffix}${IN_PROGRESS}`,
    pendingOf: (inProgress, checkpointId) =>
      `${inProgress.slice(0, -IN_PROGRESS.length)}${PENDING}${checkpointId ?? NO_CHECKPOINT}`,
  };
}

/** What a hidden name says. */
interface HiddenFile {
  readonly owner: string;
  readonly subtaskIndex: number;
  /** Undefined: still in progress. */
  readonly pendingSince: string | undefined;
}

function parseHidden(name: string): HiddenFile | undefined {
  const match =
    /^\.cutwater-([0-9a-f]{8}-[0-9a-f]{8})-(\d+)-.*(?:\.inprogress|\.pending-(\d+|end))$/.exec(
      name,
    );
  return match === null
    ? undefined
    : { owner: match[1] ?? "", subtaskIndex: Number(match[2]), pendingSince: match[3] };
}

export function isFinishedName(name: string): boolean {
  return name.startsWith("part-");
}

export function inFolder(folder: string, name: string): string {
  return name === "." ? folder : `${folder}/${name}`;
}

/**
 * Does what the sink does with its files.
 *
 * @throws StreamError SINK_FILE_UNWRITABLE naming file and action, with what the file system threw as cause.
 */
export async function withFile<R>(
  file: string,
  action: string,
  operation: () => Promise<R>,
): Promise<R> {
  try {
    return await operation();
  } catch (error) {
    if (isStreamError(error)) throw error;
    throw new StreamError("SINK_FILE_UNWRITABLE", { file, action }, error);
  }
}

/**
 * Removes what earlier attempts of this subtask left unfinished: parts in progress, and pending ones of checkpoints after the one that
 * was restored, whose records will be written again. Subtask 0 also does it for subtasks that no longer exist.
 *
 * @param keepsPending - False once all is committed: what is still pending then, a dead attempt closed after this one had looked.
 */
export async function removeLeftovers(
  context: SinkContext,
  folder: string,
  keepsPending: boolean,
): Promise<void> {
  const { restoredCheckpointId } = context;
  const owner = `${context.jobId.slice(0, 8)}-${context.operatorId.slice(0, 8)}`;
  let hasRemoved = false;
  for (const { name } of await context.files.list(folder)) {
    const hidden = parseHidden(name);
    if (hidden === undefined || hidden.owner !== owner) continue;
    const isOurs =
      hidden.subtaskIndex === context.subtaskIndex ||
      (context.subtaskIndex === 0 && hidden.subtaskIndex >= context.parallelism);
    const isRestored =
      keepsPending &&
      hidden.pendingSince !== undefined &&
      restoredCheckpointId !== undefined &&
      Number(hidden.pendingSince) <= restoredCheckpointId;
    if (!isOurs || isRestored) continue;
    await context.files.remove(inFolder(folder, name));
    hasRemoved = true;
  }
  // A name that came back after a crash could pass for a pending part of a checkpoint that has got the same id again.
  if (hasRemoved) await context.files.syncDirectory(folder);
}

/** Publishes parts by giving them their finished name; doing it again changes nothing. */
export class FileCommitter implements Committer<FileCommittable> {
  readonly #context: SinkContext;
  readonly #files: FileSystem;
  readonly #folder: string;

  constructor(context: SinkContext, folder: string) {
    this.#context = context;
    this.#files = context.files;
    this.#folder = folder;
  }

  async finish(): Promise<void> {
    await withFile(this.#folder, "tidy", () => removeLeftovers(this.#context, this.#folder, false));
  }

  async commit(committables: readonly FileCommittable[]): Promise<void> {
    if (committables.length === 0) return;
    for (const committable of committables) {
      const file = inFolder(this.#folder, committable.finished);
      await withFile(file, "publish", () => this.#publish(committable));
    }
    await withFile(this.#folder, "sync", () => this.#files.syncDirectory(this.#folder));
  }

  async #publish({ pending, finished }: FileCommittable): Promise<void> {
    const from = inFolder(this.#folder, pending);
    const to = inFolder(this.#folder, finished);
    if ((await this.#files.status(from)) !== undefined) return await this.#files.rename(from, to);
    if ((await this.#files.status(to)) === undefined) {
      throw new StreamError("COMMITTABLE_LOST", { pending: from, finished: to });
    }
  }
}
