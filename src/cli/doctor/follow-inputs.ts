import type { Platform } from "../../base/index.ts";
import { diagnose, type Diagnosis } from "../../doctor/index.ts";

/** How often growth is looked for, and how often a cluster is asked. */
const FILE_PAUSE_MS = 2000;
const CLUSTER_PAUSE_MS = 15_000;
/** A long scan is followed by a pause so many times longer, so that following costs little. */
const PAUSE_PER_SCAN = 9;
const MAX_DEPTH = 4;

export interface FollowOptions {
  readonly paths: readonly string[];
  readonly platform: Platform;
  readonly stop: AbortSignal;
  /** Called with each diagnosis of input that has changed, the first one included. */
  readonly onDiagnosis: (diagnosis: Diagnosis) => void;
}

/** Diagnoses the inputs again whenever they have grown, until it is stopped. */
export async function followInputs(options: FollowOptions): Promise<void> {
  const { paths, platform, stop, onDiagnosis } = options;
  const isCluster = paths.some((path) => /^https?:\/\//u.test(path));
  let seen: string | undefined;
  while (!stop.aborted) {
    const startedMs = platform.monotonicMs();
    const state = (await Promise.all(paths.map((path) => stateOf(path, platform, 0)))).join("|");
    if (state !== seen || isCluster) {
      seen = state;
      const inputs = paths.map((path) => ({ kind: "path" as const, path }));
      const diagnosis = await diagnose(inputs, platform);
      if (!stop.aborted) onDiagnosis(diagnosis);
    }
    const tookMs = platform.monotonicMs() - startedMs;
    const least = isCluster ? CLUSTER_PAUSE_MS : FILE_PAUSE_MS;
    await pause(Math.max(least, tookMs * PAUSE_PER_SCAN), platform, stop);
  }
}

/** Changes whenever a file grew, was replaced, came or went. */
async function stateOf(path: string, platform: Platform, depth: number): Promise<string> {
  try {
    const status = await platform.files.status(path);
    if (status === undefined) return "none";
    if (status.kind !== "directory" || depth > MAX_DEPTH)
      return `${status.inode}:${status.sizeBytes}:${status.modifiedAtMs}`;
    const entries = await platform.files.list(path);
    const states = await Promise.all(
      entries.map(({ name }) => stateOf(`${path}/${name}`, platform, depth + 1)),
    );
    return entries.map(({ name }, index) => `${name}=${states[index]}`).join(",");
  } catch {
    return "unreadable";
  }
}

function pause(ms: number, platform: Platform, stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    let cancel = (): void => undefined;
    const finish = (): void => {
      cancel();
      stop.removeEventListener("abort", finish);
      resolve();
    };
    stop.addEventListener("abort", finish);
    cancel = platform.after(ms, finish);
    if (stop.aborted) finish();
  });
}
