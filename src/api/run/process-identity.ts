import { hostname } from "node:os";
import { pid as ownPid, kill } from "node:process";

import type { FileSystem } from "../../base/index.ts";

/**
 * What tells one process from every other, on this machine and on others.
 *
 * @remarks
 * A pid alone does not: it is used again, and in containers it is nearly always 1. On Linux the start time of the process, the boot of
 * its machine and its pid namespace make it unique; elsewhere they are undefined.
 */
export interface ProcessIdentity {
  readonly pid: number;
  readonly host: string;
  /** In clock ticks since the boot. */
  readonly startTicks: string | undefined;
  /** Differs for each boot of each machine; containers of one machine share it. */
  readonly bootId: string | undefined;
  /** Containers have one of their own, in which pids are counted anew. */
  readonly pidNamespace: number | undefined;
}

/** Whether another process lives, as far as it can be seen from here. */
export type Liveness = "alive" | "dead" | "unknown";

/** Asks the operating system about processes. */
export interface ProcessTable {
  own(): Promise<ProcessIdentity>;
  livenessOf(other: ProcessIdentity): Promise<Liveness>;
}

/** What was seen of a process that has the pid of another. Undefined if there is none. */
export interface SeenProcess {
  readonly startTicks: string;
  /** True if it has ended and only waits to be taken off the table. */
  readonly isEnded: boolean;
}

/**
 * Whether a process lives, from what is seen under its pid. Pure.
 *
 * @param seen - Undefined if no process has the pid; `"unseen"` where processes cannot be looked at.
 */
export function decideLiveness(
  other: ProcessIdentity,
  own: ProcessIdentity,
  seen: SeenProcess | undefined | "unseen",
): Liveness {
  if (other.bootId !== own.bootId) {
    // The same machine has been booted since; of another machine nothing is known.
    return other.host === own.host ? "dead" : "unknown";
  }
  if (other.bootId === undefined && other.host !== own.host) return "unknown";
  // The pid counts in another container.
  if (other.pidNamespace !== own.pidNamespace) return "unknown";
  if (seen === undefined) return "dead";
  if (seen === "unseen" || other.startTicks === undefined) return "unknown";
  return seen.isEnded || seen.startTicks !== other.startTicks ? "dead" : "alive";
}

/** The process table of this machine: `/proc` where there is one. */
export function nodeProcessTable(files: FileSystem): ProcessTable {
  const own = async (): Promise<ProcessIdentity> => ({
    pid: ownPid,
    host: hostname(),
    startTicks: (await readProcess(ownPid, files))?.startTicks,
    bootId: (await textOf("/proc/sys/kernel/random/boot_id", files))?.trim(),
    pidNamespace: (await files.status("/proc/self/ns/pid").catch(() => undefined))?.inode,
  });
  return {
    own,
    async livenessOf(other) {
      const self = await own();
      if (self.startTicks !== undefined) {
        return decideLiveness(other, self, await readProcess(other.pid, files));
      }
      return decideLiveness(other, self, hasProcess(other.pid) ? "unseen" : undefined);
    },
  };
}

/** Fields of `/proc/<pid>/stat` behind the name, which stands in parentheses and may hold anything. */
async function readProcess(pid: number, files: FileSystem): Promise<SeenProcess | undefined> {
  const text = await textOf(`/proc/${pid}/stat`, files);
  const fields = text?.slice(text.lastIndexOf(")") + 2).split(" ");
  const startTicks = fields?.[START_FIELD];
  if (fields === undefined || startTicks === undefined) return undefined;
  return { startTicks, isEnded: fields[0] === "Z" || fields[0] === "X" };
}

/** Source: proc(5): field 22 of the line, and the third is the first behind the name. */
const START_FIELD = 22 - 3;

async function textOf(path: string, files: FileSystem): Promise<string | undefined> {
  try {
    return new TextDecoder().decode(await files.read(path));
  } catch {
    // No such process, or no /proc.
    return undefined;
  }
}

function hasProcess(pid: number): boolean {
  try {
    kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
