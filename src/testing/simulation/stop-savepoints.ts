import { decodeMetadata } from "../../checkpoint/index.ts";
import type { SimulatedDisk } from "./simulated-disk.ts";

/**
 * Where a job is to go on that may have been stopped with a savepoint, as whoever starts it again sees it on the disk.
 *
 * @returns The directory of the newest savepoint with which it was stopped, unless a checkpoint was completed after it.
 */
export function savepointToBeginWith(
  disk: SimulatedDisk,
  savepointsBelow: string,
  checkpointsBelow: string,
): string | undefined {
  const newest = completeBelow(disk, savepointsBelow).at(-1);
  if (newest === undefined) return undefined;
  const newestCheckpoint = completeBelow(disk, checkpointsBelow).at(-1);
  const isPassed = newestCheckpoint !== undefined && newestCheckpoint.id > newest.id;
  return isPassed ? undefined : newest.directory;
}

/** By ascending id. */
function completeBelow(
  disk: SimulatedDisk,
  folder: string,
): readonly { readonly id: number; readonly directory: string }[] {
  return disk
    .filesBelow(folder)
    .filter((path) => path.endsWith("/_metadata"))
    .map((path) => ({
      id: decodeMetadata(disk.read(path), { path }).checkpointId,
      directory: path.slice(0, path.lastIndexOf("/")),
    }))
    .toSorted((a, b) => a.id - b.id);
}
