import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import {
  type CheckpointMetadata,
  type CheckpointProperties,
  type CheckpointRetention,
  decodeMetadata,
  encodeMetadata,
  propertiesOfCheckpoint,
  propertiesOfSavepoint,
  snapshotFacts,
} from "../../src/checkpoint/index.ts";
import type { KeyedStateHandle } from "../../src/state/index.ts";
import { metadataSpecimen } from "../metadata-specimen.ts";
import { FlinkJavaProgram, missingJava } from "./flink-java.ts";

const missing = missingJava();

interface FlinkReading {
  readonly facts: unknown;
  readonly properties: string;
  /** What Flink writes when it has read the file, in hexadecimal digits. */
  readonly written: string;
}

interface FlinkProperties {
  readonly kind: "CHECKPOINT" | "FULL_CHECKPOINT" | "NONE" | "SUSPEND" | "TERMINATE";
  readonly detail: string;
  readonly written: string;
}

describe.skipIf(missing !== undefined)(
  `Flink's own reader${missing === undefined ? "" : ` (skipped: no ${missing} here)`}`,
  () => {
    let program: FlinkJavaProgram;
    const directory = mkdtempSync(join(tmpdir(), "flink-metadata-"));

    beforeAll(() => {
      program = new FlinkJavaProgram("MetadataReader");
    });
    afterAll(() => rmSync(directory, { recursive: true }));

    function readByFlink(metadata: CheckpointMetadata, name: string): FlinkReading {
      const chk = join(directory, name);
      mkdirSync(chk);
      const path = join(chk, "_metadata");
      writeFileSync(path, encodeMetadata(metadata));
      return program.run("read", path)[0] as FlinkReading;
    }

    function ourFacts(metadata: CheckpointMetadata): unknown {
      const { version, ...facts } = snapshotFacts(metadata);
      expect(version).toBe(6);
      return facts;
    }

    test("sees the facts that we wrote, for every kind of handle", () => {
      const metadata = metadataSpecimen();
      expect(readByFlink(metadata, "chk-1").facts).toEqual(ourFacts(metadata));
    });

    test("writes the same again, byte for byte, where each handle is of the newest kind", () => {
      const metadata = newestKinds(metadataSpecimen());
      const { written, facts } = readByFlink(metadata, "chk-2");
      expect(facts).toEqual(ourFacts(metadata));
      const again = Buffer.from(written, "hex");
      expect(decodeMetadata(again, { path: "written by Flink" })).toEqual(metadata);
      expect(written).toBe(Buffer.from(encodeMetadata(metadata)).toString("hex"));
    });

    test("writes the properties of every kind of snapshot as we do", () => {
      const kinds = program.run("properties") as readonly FlinkProperties[];
      expect(kinds.length).toBe(18);
      for (const { kind, detail, written } of kinds) {
        const properties = propertiesOf(kind, detail);
        const metadata = {
          version: 6,
          checkpointId: 5,
          masterStates: [],
          operatorStates: [],
          properties,
        } as const;
        expect(Buffer.from(encodeMetadata(metadata)).toString("hex"), `${kind} ${detail}`).toBe(
          written,
        );
        expect(decodeMetadata(Buffer.from(written, "hex"), { path: detail })).toEqual(metadata);
      }
    });
  },
);

/** Without the handles that Flink reads but no longer writes. */
function newestKinds(metadata: CheckpointMetadata): CheckpointMetadata {
  const isNewest = (handle: KeyedStateHandle | undefined): boolean => {
    if (handle === undefined || handle.kind === "changelog-memory") return true;
    if (handle.kind === "changelog") return handle.tag === 14 && handle.delta.every(isNewest);
    return [7, 11, 12, 13].includes(handle.tag);
  };
  const renewed = (handle: KeyedStateHandle | undefined): KeyedStateHandle | undefined =>
    handle?.kind === "changelog" ? { ...handle, delta: handle.delta.filter(isNewest) } : handle;
  return {
    ...metadata,
    operatorStates: metadata.operatorStates.map((operator) => ({
      ...operator,
      subtaskStates: operator.subtaskStates
        .map((subtask) => ({
          ...subtask,
          state: {
            ...subtask.state,
            managedKeyed: renewed(subtask.state.managedKeyed),
            rawKeyed: renewed(subtask.state.rawKeyed),
          },
        }))
        .filter(({ state }) => isNewest(state.managedKeyed) && isNewest(state.rawKeyed)),
    })),
  };
}

/** Flink's names of its retention policies inside. */
const RETENTION: { readonly [N in string]: CheckpointRetention } = {
  NEVER_RETAIN_AFTER_TERMINATION: "NO_EXTERNALIZED_CHECKPOINTS",
  RETAIN_ON_FAILURE: "DELETE_ON_CANCELLATION",
  RETAIN_ON_CANCELLATION: "RETAIN_ON_CANCELLATION",
};

function propertiesOf(kind: FlinkProperties["kind"], detail: string): CheckpointProperties {
  if (kind === "CHECKPOINT" || kind === "FULL_CHECKPOINT") {
    const retention = RETENTION[detail];
    if (retention === undefined) throw new Error(`Flink has a new retention policy: ${detail}`);
    return propertiesOfCheckpoint(kind, retention);
  }
  const format = detail.startsWith("NATIVE") ? "NATIVE" : "CANONICAL";
  return propertiesOfSavepoint(format, kind, !detail.endsWith("UNFORCED"));
}
