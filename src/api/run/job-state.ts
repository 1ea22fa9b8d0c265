import { errorText, type Platform, randomId, StreamError } from "../../base/index.ts";

/**
 * What a job directory remembers of its last run: `job-state.json`.
 *
 * @remarks
 * Plain JSON, written whole and atomically. Fields are added only; their meaning never changes within a format.
 */
export interface JobState {
  readonly format: 1;
  readonly jobId: string;
  readonly jobName: string;
  /** RUNNING also says that the process ended without a word. */
  readonly status: "RUNNING" | "FINISHED" | "CANCELED" | "FAILED" | "SUSPENDED";
  /** Checkpoints below belong to earlier lives of the job, before a fresh start. */
  readonly firstCheckpointId: number;
  /** The snapshot that this life began from; null if from nothing. */
  readonly startedFrom: string | null;
  /** When this life began; later runs that go on belong to it. Missing in older files. */
  readonly lifeStartedAtMs?: number | undefined;
  readonly startedAtMs: number;
  readonly endedAtMs: number | null;
}

const STATUSES: readonly unknown[] = [
  "RUNNING",
  "FINISHED",
  "CANCELED",
  "FAILED",
  "SUSPENDED",
] satisfies readonly JobState["status"][];

const FILE_NAME = "job-state.json";

/**
 * The state of the last run; undefined if there was none.
 *
 * @throws StreamError JOB_STATE_MALFORMED. @throws what the file system throws.
 */
export async function readJobState(
  directory: string,
  platform: Platform,
): Promise<JobState | undefined> {
  const path = `${directory}/${FILE_NAME}`;
  if ((await platform.files.status(path)) === undefined) return undefined;
  const text = new TextDecoder().decode(await platform.files.read(path));
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new StreamError("JOB_STATE_MALFORMED", { path, problem: errorText(error) }, error);
  }
  const problem = problemOf(value);
  if (problem !== undefined) throw new StreamError("JOB_STATE_MALFORMED", { path, problem });
  return value as JobState;
}

/** Replaces the state, durably. */
export async function writeJobState(
  directory: string,
  state: JobState,
  platform: Platform,
): Promise<void> {
  const { files } = platform;
  const draft = `${directory}/.${FILE_NAME}.${randomId(platform).slice(0, 8)}`;
  const file = await files.open(draft, "create");
  try {
    try {
      await file.write(new TextEncoder().encode(`${JSON.stringify(state, null, 2)}\n`), 0);
      await file.sync();
    } finally {
      await file.close();
    }
    await files.rename(draft, `${directory}/${FILE_NAME}`);
  } catch (error) {
    // The first failure is the one to tell.
    await files.remove(draft).catch(() => undefined);
    throw error;
  }
  await files.syncDirectory(directory);
}

/** Forgets the last run. */
export async function removeJobState(directory: string, platform: Platform): Promise<void> {
  await platform.files.remove(`${directory}/${FILE_NAME}`);
}

function problemOf(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return "it is no object";
  if (!("format" in value) || value.format !== 1) {
    return `its format is ${"format" in value ? String(value.format) : "not given"}, and 1 is read`;
  }
  if (!("status" in value) || !STATUSES.includes(value.status)) return "its status is unknown";
  if (!("firstCheckpointId" in value) || !Number.isSafeInteger(value.firstCheckpointId)) {
    return "its firstCheckpointId is no whole number";
  }
  if (!("startedFrom" in value)) return "it lacks startedFrom";
  return value.startedFrom === null || typeof value.startedFrom === "string"
    ? undefined
    : "its startedFrom is no path";
}
