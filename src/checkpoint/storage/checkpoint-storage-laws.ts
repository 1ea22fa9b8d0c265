import { assert, errorText, isStreamError } from "../../base/index.ts";
import type { CheckpointMetadata } from "../metadata/checkpoint-metadata.ts";
import { propertiesOfCheckpoint } from "../metadata/checkpoint-properties.ts";
import { encodeMetadata } from "../metadata/metadata-encoder.ts";
import type { CheckpointStorage } from "./checkpoint-storage.ts";

/** Something that is true of every checkpoint storage. */
export interface CheckpointStorageLaw {
  readonly name: string;
  /**
   * @param open - Gives a storage on the same place each time: the second one is a restarted process.
   * @param savepoints - A directory for savepoints.
   */
  check(open: () => CheckpointStorage, savepoints: string): Promise<void>;
}

/** Laws of `CheckpointStorage`. Each begins with an empty place. */
export const CHECKPOINT_STORAGE_LAWS: readonly CheckpointStorageLaw[] = [
  {
    name: "reads back the state that was written, of every size",
    async check(open) {
      const storage = open();
      const directory = await storage.initializeCheckpoint(1);
      for (const sizeBytes of [0, 1, 20 * 1024, 20 * 1024 + 1, 300_000]) {
        const whole = bytesOf(sizeBytes);
        const half = sizeBytes >> 1;
        const chunks = [whole.subarray(0, half), whole.subarray(half)];
        const handle = await storage.writeState(directory, chunks);
        const found = await storage.readState(handle, { checkpointId: 1, directory });
        assertSameBytes(found, whole, `state of ${sizeBytes} bytes`);
      }
    },
  },
  {
    name: "lists a checkpoint only once it is finalized, oldest first",
    async check(open) {
      const storage = open();
      const second = await storage.initializeCheckpoint(2);
      const tenth = await storage.initializeCheckpoint(10);
      await storage.initializeCheckpoint(11);
      assert((await storage.retained()).complete.length === 0, "nothing is complete yet");
      await storage.finalize(tenth, encodeMetadata(metadataOf(10)));
      await storage.finalize(second, encodeMetadata(metadataOf(2)));
      await assertRetained(open(), [2, 10]);
    },
  },
  {
    name: "refuses to complete a checkpoint twice, and keeps the first",
    async check(open) {
      const storage = open();
      const directory = await storage.initializeCheckpoint(1);
      await storage.finalize(directory, encodeMetadata(metadataOf(1)));
      await assertFails(storage.finalize(directory, encodeMetadata(metadataOf(7))));
      await assertRetained(storage, [1]);
    },
  },
  {
    name: "forgets a discarded checkpoint; deleting twice is the same as once",
    async check(open) {
      const storage = open();
      const first = await storage.initializeCheckpoint(1);
      await storage.finalize(first, encodeMetadata(metadataOf(1)));
      const second = await storage.initializeCheckpoint(2);
      await storage.writeState(second, [bytesOf(30_000)]);
      for (const directory of [first, first, second, second]) await storage.discard(directory);
      await assertRetained(open(), []);
      assert((await open().removeLeftovers()).length === 0, "nothing is left over");
    },
  },
  {
    name: "names a damaged checkpoint and still lists the others",
    async check(open) {
      const storage = open();
      const first = await storage.initializeCheckpoint(1);
      await storage.finalize(first, encodeMetadata(metadataOf(1)));
      const second = await storage.initializeCheckpoint(2);
      await storage.finalize(second, encodeMetadata(metadataOf(2)).subarray(0, 20));
      await assertRetained(storage, [1]);
      const { damaged } = await storage.retained();
      assert(damaged.length === 1, "one checkpoint is damaged");
      assert(damaged[0]?.checkpointId === 2, "it is named by its id");
      assert(isStreamError(damaged[0].error, "METADATA_MALFORMED"), "its damage is named");
    },
  },
  {
    name: "removes what a dead process left, and nothing that is complete",
    async check(open) {
      const storage = open();
      const first = await storage.initializeCheckpoint(1);
      await storage.finalize(first, encodeMetadata(metadataOf(1)));
      const left = await storage.initializeCheckpoint(2);
      await storage.writeState(left, [bytesOf(30_000)]);
      const removed = await open().removeLeftovers();
      assert(removed.length === 1 && removed[0] === left, "the incomplete checkpoint goes");
      await assertRetained(open(), [1]);
    },
  },
  {
    name: "gives every savepoint a directory of its own, and needs one to put it in",
    async check(open, savepoints) {
      const storage = open();
      const first = await storage.initializeSavepoint(1, savepoints);
      const second = await storage.initializeSavepoint(2, savepoints);
      assert(first !== second, "two savepoints have two directories");
      assert(first.startsWith(`${savepoints}/savepoint-`), "it lies where it was asked to");
      await storage.finalize(first, encodeMetadata(metadataOf(1)));
      await storage.discard(second);
      await assertRetained(storage, []);
      await assertFails(storage.initializeSavepoint(3, undefined), "SAVEPOINT_DIRECTORY_MISSING");
    },
  },
];

/** The smallest metadata of a checkpoint. */
export function metadataOf(checkpointId: number): CheckpointMetadata {
  return {
    checkpointId,
    masterStates: [],
    operatorStates: [],
    properties: propertiesOfCheckpoint("CHECKPOINT", "RETAIN_ON_CANCELLATION"),
    version: 6,
  };
}

function bytesOf(sizeBytes: number): Uint8Array {
  return Uint8Array.from({ length: sizeBytes }, (_, index) => (index * 31 + (index >> 8)) & 0xff);
}

function assertSameBytes(found: Uint8Array, expected: Uint8Array, what: string): void {
  assert(
    found.length === expected.length,
    `${what} has ${expected.length} bytes, not ${found.length}`,
  );
  const differsAt = expected.findIndex((byte, index) => byte !== found[index]);
  assert(differsAt < 0, `${what} is the same at byte ${differsAt}`);
}

async function assertRetained(storage: CheckpointStorage, ids: readonly number[]): Promise<void> {
  const { complete } = await storage.retained();
  const found = complete.map(({ metadata }) => metadata.checkpointId);
  assert(
    found.join() === ids.join(),
    `checkpoints ${ids.join()} are retained, not ${found.join()}`,
  );
}

async function assertFails(
  promise: Promise<unknown>,
  code: "CHECKPOINT_STORAGE_FAILED" | "SAVEPOINT_DIRECTORY_MISSING" = "CHECKPOINT_STORAGE_FAILED",
): Promise<void> {
  const failure: { error?: unknown } = {};
  await promise.catch((error: unknown) => {
    failure.error = error;
  });
  assert(
    isStreamError(failure.error, code),
    `it fails with ${code}, not ${errorText(failure.error)}`,
  );
}
