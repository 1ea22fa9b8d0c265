import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { ByteReader, isStreamError } from "../base/index.ts";
import { decodeMetadata } from "../checkpoint/index.ts";
import { serializerFromSnapshot, type TypeSerializer } from "../serde/index.ts";
import { heapKeyedStateBackend } from "./heap/heap-backend-factory.ts";
import { readKeyedHeader } from "./snapshot/keyed-state-file.ts";
import type { KeyedStateBackend } from "./keyed-state-backend.ts";
import { ManualProcessingTime } from "./manual-processing-time.ts";
import { OperatorStateBackend } from "./operator-state-backend.ts";
import type { KeyGroupsStateHandle, OperatorStateHandle } from "./state-handle.ts";

const FOLDER = new URL("../../../shared/flink-snapshots/", import.meta.url);

/** RocksDB's full snapshots have a layout of their own. */
const OTHER_LAYOUT = /rocksdb/i;

function makeBackend(keyType: TypeSerializer<unknown>, maxParallelism: number): KeyedStateBackend {
  return heapKeyedStateBackend.create(undefined, {
    keyType,
    maxParallelism,
    keyGroupRange: { first: 0, last: maxParallelism - 1 },
    processingTime: new ManualProcessingTime(),
    ownerName: "Flink (1/1)",
  });
}

/** Restores, writes on what nobody declared, and restores that. */
function roundTripKeyed(
  handle: KeyGroupsStateHandle,
  bytes: Uint8Array,
  maxParallelism: number,
): string {
  const header = readKeyedHeader(new ByteReader(bytes));
  const keyType = serializerFromSnapshot(header.keySerializer);
  if (keyType === undefined) return header.keySerializer.className;
  const backend = makeBackend(keyType, maxParallelism);
  backend.restore({ range: handle.range, offsets: handle.offsets, bytes });
  const snapshot = backend.snapshot(1);
  while (!snapshot.advance(1000));
  const { range, offsets, chunks } = snapshot.result();
  makeBackend(keyType, maxParallelism).restore({ range, offsets, bytes: Buffer.concat(chunks) });
  return "whole";
}

function roundTripOperator({ states }: OperatorStateHandle, bytes: Uint8Array): string {
  const backend = new OperatorStateBackend("Flink (1/1)");
  backend.restore({ states, bytes });
  const written = backend.snapshot();
  if (written !== undefined) new OperatorStateBackend("Flink (1/1)").restore(written);
  const partitions = (all: OperatorStateHandle["states"]): number =>
    all.reduce((sum, { offsets }) => sum + offsets.length, 0);
  return partitions(written?.states ?? []) === partitions(states)
    ? "whole"
    : "partitions are missing";
}

/** "whole", or why the state was refused. Damage is not among the reasons. */
function outcome(action: () => string): string {
  try {
    return action();
  } catch (error) {
    if (isStreamError(error, "STATE_INCOMPATIBLE")) return error.details.reasons.join();
    if (isStreamError(error, "SERIALIZER_SNAPSHOT_UNKNOWN")) return error.details.className;
    throw error;
  }
}

function outcomesOf(name: string): string[] {
  const path = new URL(`${name}/_metadata`, FOLDER).pathname;
  return decodeMetadata(readFileSync(path), { path }).operatorStates.flatMap((operator) =>
    operator.subtaskStates.flatMap(({ state: { managedKeyed: keyed, managedOperator } }) => {
      const found: string[] = [];
      if (keyed?.kind === "key-groups" && keyed.tag !== 7 && keyed.stream.kind === "bytes") {
        const { data } = keyed.stream;
        found.push(`keyed: ${outcome(() => roundTripKeyed(keyed, data, operator.maxParallelism))}`);
      }
      if (managedOperator?.stream.kind === "bytes") {
        const { data } = managedOperator.stream;
        found.push(`operator: ${outcome(() => roundTripOperator(managedOperator, data))}`);
      }
      return found;
    }),
  );
}

describe.skipIf(!existsSync(FOLDER))(
  "state files that Flink wrote (need ../shared/flink-snapshots)",
  () => {
    test("are restored and written on, or refused for a reason", () => {
      const names = readdirSync(FOLDER).filter((name) => !OTHER_LAYOUT.test(name));
      const counts = new Map<string, number>();
      for (const found of names.flatMap(outcomesOf))
        counts.set(found, (counts.get(found) ?? 0) + 1);
      expect(counts.get("keyed: whole")).toBeGreaterThanOrEqual(72);
      expect(counts.get("operator: whole")).toBeGreaterThanOrEqual(375);
      // Compression, and serializers of Flink's own or of a user's class.
      const reasons = [...counts.keys()].filter((found) => !found.endsWith(": whole"));
      expect(
        reasons.filter((reason) => !/Snapshot$|not known here|compressed/.test(reason)),
      ).toEqual([]);
    });
  },
);
