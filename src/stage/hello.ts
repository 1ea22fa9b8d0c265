import { MalformedBytesError } from "../base/index.ts";
import type { KeyGroupRange } from "../state/index.ts";
import { PROTOCOL_VERSION } from "./frame.ts";

/** The first frame to a stage: what it is to run, and where in the job it stands. */
export interface Hello {
  readonly protocol: number;
  /** A module that exports `stages`, by its address, and which of them. */
  readonly program: { readonly module: string; readonly name: string };
  readonly jobName: string;
  readonly jobId: string;
  readonly subtaskIndex: number;
  readonly parallelism: number;
  readonly maxParallelism: number;
  readonly keyGroupRange: KeyGroupRange;
  readonly attempt: number;
  /** Null if the attempt starts from nothing. */
  readonly restoredCheckpointId: number | null;
  readonly isCheckpointed: boolean;
  readonly autoWatermarkIntervalMs: number;
  /** The clock of processing time until the first tick. */
  readonly nowMs: number;
  /** After so many entries OUT tells their changes; 0: only FLUSHED does. */
  readonly changesEveryEntries: number;
}

const NUMBERS = [
  "subtaskIndex",
  "parallelism",
  "maxParallelism",
  "attempt",
  "autoWatermarkIntervalMs",
  "nowMs",
  "changesEveryEntries",
] as const satisfies readonly (keyof Hello)[];

/** @throws MalformedBytesError if the protocol is another one, or a field is missing. */
export function readHello(json: unknown): Hello {
  const hello = (json ?? {}) as Readonly<Record<string, unknown>>;
  if (hello["protocol"] !== PROTOCOL_VERSION) {
    const found = JSON.stringify(hello["protocol"]);
    throw new MalformedBytesError(
      `Protocol ${found}, while this end speaks ${PROTOCOL_VERSION},`,
      0,
    );
  }
  for (const name of NUMBERS) {
    if (typeof hello[name] !== "number")
      throw new MalformedBytesError(`A HELLO without ${name}`, 0);
  }
  const program = hello["program"] as Hello["program"] | undefined;
  if (typeof program?.module !== "string" || typeof program.name !== "string")
    throw new MalformedBytesError("A HELLO without program", 0);
  return hello as unknown as Hello;
}

/** Why a stage gives up: the error as far as it can be sent. */
export interface StageFailure {
  readonly name: string;
  readonly message: string;
  /** As the stage's process has it: lines of the user's own files. */
  readonly stack: string | undefined;
  /** Of a `StreamError`. */
  readonly code: string | undefined;
  readonly details: unknown;
  readonly cause: StageFailure | undefined;
}

export function readStageFailure(json: unknown): StageFailure {
  const failure = json as StageFailure | null;
  if (typeof failure?.message !== "string" || typeof failure.name !== "string")
    throw new MalformedBytesError("An ERROR without name or message", 0);
  return failure;
}
