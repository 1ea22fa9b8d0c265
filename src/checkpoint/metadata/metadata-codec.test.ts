import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { metadataSpecimen } from "../../../test/metadata-specimen.ts";
import { isStreamError } from "../../base/index.ts";
import { EMPTY_SUBTASK_STATE } from "../operator-state.ts";
import type { CheckpointMetadata } from "./checkpoint-metadata.ts";
import { propertiesOfCheckpoint, propertiesOfSavepoint } from "./checkpoint-properties.ts";
import { decodeMetadata } from "./metadata-decoder.ts";
import { encodeMetadata } from "./metadata-encoder.ts";
import { snapshotFacts } from "./snapshot-facts.ts";

const GOLDEN = new URL("../../../test/golden/flink-metadata/", import.meta.url).pathname;
const golden = readdirSync(GOLDEN, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => ({
    name,
    bytes: new Uint8Array(readFileSync(join(GOLDEN, name, "_metadata"))),
  }));
const facts = readFileSync(join(GOLDEN, "facts.jsonl"), "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line) as { readonly snapshot: string });

const PATH = "chk-7/_metadata";

interface Outcome {
  /** Where the input was refused, or -1 if it was read. */
  readonly positionBytes: number;
  readonly message: string;
}

/**
 * What decoding ends in. Any error but the foreseen ones goes through and fails the test; what is read can be written
 * and read again.
 */
function outcomeOf(bytes: Uint8Array): Outcome {
  let metadata: CheckpointMetadata;
  try {
    metadata = decodeMetadata(bytes, { path: PATH });
  } catch (error) {
    if (isStreamError(error, "METADATA_VERSION_UNSUPPORTED"))
      return { positionBytes: 4, message: error.message };
    if (!isStreamError(error, "METADATA_MALFORMED")) throw error;
    const { positionBytes, path } = error.details;
    if (path !== PATH || positionBytes < 0 || positionBytes > bytes.length) {
      throw new Error(`The error's place is not in the input: ${error.message}`, { cause: error });
    }
    return { positionBytes, message: error.message };
  }
  decodeMetadata(encodeMetadata(metadata), { path: PATH });
  return { positionBytes: -1, message: "" };
}

/** A small generator of known quality, so that a failure can be repeated. */
function seeded(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

describe("files that Flink wrote", () => {
  test("there is a file and a line of facts for each", () => {
    expect(golden.map(({ name }) => name).toSorted()).toEqual(
      facts.map(({ snapshot }) => snapshot).toSorted(),
    );
  });

  test.each(golden)("$name has the facts that Flink's own reader sees", ({ name, bytes }) => {
    const expected = facts.find(({ snapshot }) => snapshot === name);
    expect({ snapshot: name, ...snapshotFacts(decodeMetadata(bytes, { path: PATH })) }).toEqual(
      expected,
    );
  });

  test.each(golden)("$name is written again, byte for byte if of version 6", ({ bytes }) => {
    const metadata = decodeMetadata(bytes, { path: PATH });
    const again = encodeMetadata(metadata);
    expect(again.length === bytes.length && again.every((byte, at) => byte === bytes[at])).toBe(
      metadata.version === 6,
    );
    expect(decodeMetadata(again, { path: PATH })).toEqual({ ...metadata, version: 6 });
  });
});

describe("what is written is read", () => {
  test("every kind of handle", () => {
    const specimen = metadataSpecimen();
    expect(decodeMetadata(encodeMetadata(specimen), { path: PATH })).toEqual(specimen);
  });

  test("names, ids, sizes and properties of any value", () => {
    const size = fc.integer({ min: -1, max: Number.MAX_SAFE_INTEGER });
    const text = fc.string({ unit: "binary", minLength: 1 });
    const properties = fc.oneof(
      fc.constant(undefined),
      fc
        .tuple(
          fc.constantFrom("CHECKPOINT" as const, "FULL_CHECKPOINT" as const),
          fc.constantFrom(
            "NO_EXTERNALIZED_CHECKPOINTS" as const,
            "DELETE_ON_CANCELLATION" as const,
            "RETAIN_ON_CANCELLATION" as const,
          ),
        )
        .map(([kind, retention]) => propertiesOfCheckpoint(kind, retention)),
      fc
        .tuple(
          fc.constantFrom("CANONICAL" as const, "NATIVE" as const),
          fc.constantFrom("NONE" as const, "SUSPEND" as const, "TERMINATE" as const),
          fc.boolean(),
        )
        .map(([format, action, isForced]) => propertiesOfSavepoint(format, action, isForced)),
    );
    const law = fc.property(
      fc.nat(),
      fc.option(text, { nil: undefined }),
      text,
      size,
      properties,
      fc.array(size),
      (checkpointId, operatorName, path, sizeBytes, props, offsets) => {
        const metadata: CheckpointMetadata = {
          ...metadataSpecimen(),
          checkpointId,
          properties: props,
          operatorStates: [
            {
              operatorName,
              operatorUid: path,
              operatorId: "0123456789abcdef".repeat(2),
              parallelism: 32_768,
              maxParallelism: 32_768,
              coordinatorState: undefined,
              isFullyFinished: false,
              subtaskStates: [
                {
                  subtaskIndex: 32_767,
                  isFinished: false,
                  referenceCheckpointId: undefined,
                  state: {
                    ...EMPTY_SUBTASK_STATE,
                    managedOperator: {
                      states: [{ name: path, mode: "UNION", offsets }],
                      stream: { kind: "file", path, sizeBytes },
                      merged: undefined,
                    },
                  },
                },
              ],
            },
          ],
        };
        expect(decodeMetadata(encodeMetadata(metadata), { path: PATH })).toEqual(metadata);
      },
    );
    fc.assert(law, { numRuns: 200 });
  });

  test("text beyond 65,535 bytes is refused with its length", () => {
    const [operator] = metadataSpecimen().operatorStates;
    const long = {
      ...operator,
      operatorName: "é".repeat(32_768),
    } as CheckpointMetadata["operatorStates"][number];
    const encode = (): unknown => encodeMetadata({ ...metadataSpecimen(), operatorStates: [long] });
    expect(encode).toThrow(expect.objectContaining({ code: "METADATA_TEXT_TOO_LONG" }));
    expect(encode).toThrow(/takes 65536 bytes, and the format holds 65535: "ééé/);
  });
});

describe("versions", () => {
  const withVersion = (version: number): Uint8Array => {
    const bytes = encodeMetadata(metadataSpecimen());
    new DataView(bytes.buffer).setInt32(4, version);
    return bytes;
  };

  test("version 1 is recognised and refused", () => {
    expect(() => decodeMetadata(withVersion(1), { path: PATH })).toThrow(
      /has format version 1; versions 2 to 7 are read. Flink 1.2 wrote version 1/,
    );
  });

  test("a newer version is refused", () => {
    expect(() => decodeMetadata(withVersion(8), { path: PATH })).toThrow(
      expect.objectContaining({
        code: "METADATA_VERSION_UNSUPPORTED",
        details: { path: PATH, version: 8 },
      }),
    );
  });

  test("version 7 adds a reference checkpoint id to each subtask that is not finished", () => {
    const plain = {
      ...metadataSpecimen(),
      operatorStates: [],
      masterStates: [],
      properties: undefined,
    };
    const operator = {
      operatorName: "a",
      operatorUid: undefined,
      operatorId: "ff".repeat(16),
      parallelism: 2,
      maxParallelism: 2,
      coordinatorState: undefined,
      isFullyFinished: false,
      subtaskStates: [
        {
          subtaskIndex: 0,
          isFinished: false,
          state: EMPTY_SUBTASK_STATE,
          referenceCheckpointId: undefined,
        },
        {
          subtaskIndex: 1,
          isFinished: false,
          state: EMPTY_SUBTASK_STATE,
          referenceCheckpointId: undefined,
        },
      ],
    };
    const version6 = encodeMetadata({ ...plain, operatorStates: [operator] });
    // Two subtasks of 22 bytes each, then 5 bytes of properties that are null.
    const firstEnd = version6.length - 5 - 22;
    const version7 = Uint8Array.from([
      ...version6.subarray(0, firstEnd),
      1,
      0,
      0,
      0,
      0,
      0,
      0,
      0,
      42,
      ...version6.subarray(firstEnd, version6.length - 5),
      0,
      ...version6.subarray(-5),
    ]);
    version7[7] = 7;
    const [read] = decodeMetadata(version7, { path: PATH }).operatorStates;
    expect(read?.subtaskStates.map(({ referenceCheckpointId }) => referenceCheckpointId)).toEqual([
      42,
      undefined,
    ]);
  });
});

describe("damaged input", () => {
  const specimen = { name: "specimen", bytes: encodeMetadata(metadataSpecimen()) };
  const all = [specimen, ...golden];

  test.each(all)("$name cut at any byte is refused, with the place", ({ bytes }) => {
    const step = Math.max(1, Math.floor(bytes.length / 500));
    const read: number[] = [];
    for (let length = 0; length < bytes.length; length += step) {
      if (outcomeOf(bytes.subarray(0, length)).positionBytes < 0) read.push(length);
    }
    expect(read).toEqual([]);
  });

  test("trailing bytes are refused", () => {
    const { message } = outcomeOf(Uint8Array.from([...specimen.bytes, 0]));
    expect(message).toBe(
      `${PATH} is not a valid _metadata file: at byte ${specimen.bytes.length}, expected the end, found 1 more bytes.`,
    );
  });

  test("a count that the rest cannot hold is refused before memory is taken for it", () => {
    let refusedCount = 0;
    for (const { bytes } of all) {
      const step = bytes === specimen.bytes ? 3 : Math.max(1, Math.floor(bytes.length / 150));
      for (let at = 8; at + 4 <= bytes.length; at += step) {
        for (const huge of [0x7fff_ffff, -1]) {
          const damaged = bytes.slice();
          new DataView(damaged.buffer).setInt32(at, huge);
          if (outcomeOf(damaged).positionBytes >= 0) refusedCount++;
        }
      }
    }
    expect(refusedCount).toBeGreaterThan(1000);
  });

  test.each(all)(
    "$name with flipped, overwritten, lost or repeated bytes gives a value or a named error",
    ({ bytes }) => {
      const chance = seeded(20_260_102 + bytes.length);
      let refusedCount = 0;
      for (let run = 0; run < 500; run++) {
        const { positionBytes } = outcomeOf(mutate(bytes, chance));
        if (positionBytes >= 0) refusedCount++;
      }
      expect(refusedCount).toBeGreaterThan(0);
    },
  );

  test("the error says what was expected and where", () => {
    const bytes = specimen.bytes.slice();
    bytes[0] = 0;
    expect(outcomeOf(bytes).message).toBe(
      `${PATH} is not a valid _metadata file: at byte 0, ` +
        "expected the magic number of _metadata (49 60 67 2d), found 00 60 67 2d.",
    );
    expect(outcomeOf(specimen.bytes.subarray(0, 10)).message).toBe(
      `${PATH} is not a valid _metadata file: at byte 8, expected checkpoint id (8 bytes), found the end after 2.`,
    );
  });

  test("handles nested without end are refused", () => {
    const nested = new Uint8Array(200_000).fill(3);
    const head = encodeMetadata({ ...metadataSpecimen(), masterStates: [] }).subarray(0, 16);
    expect(outcomeOf(Uint8Array.from([...head, ...nested])).positionBytes).toBeGreaterThan(0);
  });
});

function mutate(bytes: Uint8Array, chance: (below: number) => number): Uint8Array {
  const damaged = bytes.slice();
  const at = chance(damaged.length);
  switch (chance(5)) {
    case 0:
      damaged[at] = (damaged[at] ?? 0) ^ (1 << chance(8));
      return damaged;
    case 1:
      damaged[at] = chance(256);
      damaged[chance(damaged.length)] = chance(256);
      return damaged;
    case 2:
      return Uint8Array.from([...damaged.subarray(0, at), ...damaged.subarray(at + 1 + chance(8))]);
    case 3:
      return Uint8Array.from([...damaged.subarray(0, at), ...damaged.subarray(chance(at + 1))]);
    default:
      damaged.copyWithin(at, chance(damaged.length), chance(damaged.length));
      return damaged;
  }
}
