import { basename, dirname } from "node:path";

import { errorText, type FileSystem, isStreamError, nodePlatform } from "../../base/index.ts";
import {
  checkSnapshotFiles,
  findCheckpointDirectories,
  localPath,
  METADATA_FILE_NAME,
  readSnapshot,
  type Snapshot,
  type SnapshotFileCheck,
  snapshotFacts,
} from "../../checkpoint/index.ts";
import type { CliContext } from "../cli-context.ts";
import { errorReport } from "../error-report.ts";
import { EXIT_CODES, type ExitReason } from "../exit-code.ts";
import { problemLines, snapshotLine, snapshotText } from "./snapshot-text.ts";

interface CheckpointsFlags {
  readonly json: boolean;
}

/** A checkpoint that was found, and what came of reading it. */
export type ListedSnapshot =
  | { readonly kind: "read"; readonly snapshot: Snapshot; readonly check: SnapshotFileCheck }
  | { readonly kind: "incomplete"; readonly path: string }
  | { readonly kind: "damaged"; readonly path: string; readonly error: unknown };

/** `cutwater checkpoints`: facts go to the standard output, what is wrong to the standard error. */
export async function listCheckpoints(
  this: CliContext,
  flags: CheckpointsFlags,
  path: string,
): Promise<void> {
  const { stdout, stderr } = this.process;
  let reason: ExitReason = "FINISHED";
  try {
    const { files } = nodePlatform();
    const found = await findSnapshots(path, files);
    if (found.length === 0) {
      stderr.write(
        `Error: There is no checkpoint or savepoint at ${path}, nor up to two levels below.\n` +
          "  What to do: If the job has finished, its checkpoints were deleted: `cutwater history` with this path shows how they went.\n",
      );
      this.process.exitCode = EXIT_CODES.REFUSED;
      return;
    }
    for (const [index, place] of found.entries()) {
      const listed = await readListed(place, files);
      if (isBroken(listed)) reason = "FAILED";
      if (listed.kind === "damaged") {
        stderr.write(errorReport(listed.error, { isVerbose: false }));
      } else if (listed.kind === "incomplete") {
        stderr.write(
          `${listed.path}: incomplete, without ${METADATA_FILE_NAME}: it is being written, or never completed.\n`,
        );
      } else if (flags.json) {
        stdout.write(`${jsonLine(listed.snapshot)}\n`);
      } else {
        const isAlone = found.length === 1;
        const text = isAlone ? snapshotText(listed) : [snapshotLine(listed)];
        stdout.write(`${text.join("\n")}\n`);
      }
      if (listed.kind === "read") {
        const lines = problemLines(listed, found.length === 1);
        if (lines.length > 0) stderr.write(`${lines.join("\n")}\n`);
      }
      if (!flags.json && found.length > 1 && index === found.length - 1) {
        stdout.write(`\nMore about one of them: cutwater checkpoints <its path>\n`);
      }
    }
  } catch (error) {
    stderr.write(errorReport(error, { isVerbose: false }));
    reason = "REFUSED";
  }
  this.process.exitCode = EXIT_CODES[reason];
}

function isBroken(listed: ListedSnapshot): boolean {
  return listed.kind === "damaged" || (listed.kind === "read" && listed.check.problems.length > 0);
}

/** Facts under the names of {@link SnapshotFacts}, after the name of the folder. */
function jsonLine({ metadata, metadataPath }: Snapshot): string {
  return JSON.stringify({ snapshot: basename(dirname(metadataPath)), ...snapshotFacts(metadata) });
}

interface SnapshotPlace {
  readonly path: string;
  readonly isComplete: boolean;
}

async function findSnapshots(
  pointer: string,
  files: FileSystem,
): Promise<readonly SnapshotPlace[]> {
  const path = localPath(pointer);
  const status = path === undefined ? undefined : await files.status(path);
  // Whatever is no directory is left to readSnapshot, which says what is wrong with it.
  if (path === undefined || status?.kind !== "directory") {
    return [{ path: pointer, isComplete: true }];
  }
  return await findCheckpointDirectories(path, files);
}

async function readListed(place: SnapshotPlace, files: FileSystem): Promise<ListedSnapshot> {
  const { path } = place;
  if (!place.isComplete) return { kind: "incomplete", path };
  try {
    const snapshot = await readSnapshot(path, files);
    const check = await checkSnapshotFiles(snapshot.metadata, snapshot.directory, files);
    return { kind: "read", snapshot, check };
  } catch (error) {
    // Of one that was named, that it is not there is bad usage, and not damage.
    if (isStreamError(error, "CHECKPOINT_POINTER_INVALID")) throw error;
    return {
      kind: "damaged",
      path,
      error: isStreamError(error) ? error : new Error(errorText(error)),
    };
  }
}
