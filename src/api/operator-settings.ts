import { StreamError } from "../base/index.ts";
import type { PhysicalTransformation } from "../graph/index.ts";
import type { TypeSerializer } from "../serde/index.ts";
import { MAX_MAX_PARALLELISM } from "../state/index.ts";

/**
 * What the calls behind an operator change in it: `uid`, `setParallelism` and their like, checked where they are made, so that
 * the error points at the user's line.
 */

/** @throws StreamError PARAMETER_INVALID if the uid is empty. */
export function setUid({ settings }: PhysicalTransformation, uid: string): void {
  if (typeof uid !== "string" || uid === "") refuse("uid", "the uid is empty");
  settings.uid = uid;
}

/** @throws StreamError PARAMETER_INVALID if it is not 32 hex digits. */
export function setUidHash({ settings }: PhysicalTransformation, uidHash: string): void {
  if (!/^[0-9a-fA-F]{32}$/.test(uidHash)) {
    refuse("setUidHash", `${JSON.stringify(uidHash)} is not 32 hexadecimal digits`);
  }
  settings.uidHash = uidHash.toLowerCase();
}

export function setName(transformation: PhysicalTransformation, name: string): void {
  transformation.settings.name = name;
}

/** @throws StreamError PARAMETER_INVALID if it is no parallelism, or not 1 for an operator with exactly one subtask. */
export function setParallelism(transformation: PhysicalTransformation, parallelism: number): void {
  requireParallelism("setParallelism", parallelism);
  if (transformation.kind === "operator" && transformation.isNonParallel && parallelism !== 1) {
    refuse(
      "setParallelism",
      `${transformation.settings.name} sees all records and has exactly one subtask`,
    );
  }
  transformation.settings.parallelism = parallelism;
}

/** @throws StreamError PARAMETER_INVALID if it is no max parallelism. */
export function setMaxParallelism(
  { settings }: PhysicalTransformation,
  maxParallelism: number,
): void {
  requireParallelism("setMaxParallelism", maxParallelism);
  settings.maxParallelism = maxParallelism;
}

/** @throws StreamError PARAMETER_INVALID if the name is empty. */
export function setSlotSharingGroup({ settings }: PhysicalTransformation, group: string): void {
  if (typeof group !== "string" || group === "")
    refuse("slotSharingGroup", "the name of the group is empty");
  settings.slotSharingGroup = group;
}

export function disableChaining({ settings }: PhysicalTransformation): void {
  settings.chaining = "NEVER";
}

export function startNewChain({ settings }: PhysicalTransformation): void {
  settings.chaining = "HEAD";
}

export function setOutputType(
  transformation: PhysicalTransformation,
  type: TypeSerializer<unknown>,
): void {
  transformation.outputType = type;
}

/** @throws StreamError PARAMETER_INVALID if the number is no parallelism. */
export function requireParallelism(what: string, parallelism: number): void {
  if (Number.isInteger(parallelism) && parallelism >= 1 && parallelism <= MAX_MAX_PARALLELISM)
    return;
  refuse(what, `${parallelism} is not a whole number from 1 to ${MAX_MAX_PARALLELISM}`);
}

function refuse(what: string, problem: string): never {
  throw new StreamError("PARAMETER_INVALID", { what, problem });
}
