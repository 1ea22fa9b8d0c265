import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, test } from "vitest";

import { decodeMetadata, encodeMetadata, snapshotFacts } from "../src/checkpoint/index.ts";

/** Every snapshot in Flink's own test resources, and what Flink 2.2's reader says of each. Not part of the repository. */
const CORPUS = new URL("../../shared/flink-snapshots/", import.meta.url).pathname;
const TRUTH = new URL("../../shared/flink-snapshots-truth.jsonl", import.meta.url).pathname;
const hasCorpus = existsSync(CORPUS) && existsSync(TRUTH);

function linesOf(path: string): readonly Record<string, unknown>[] {
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe.skipIf(!hasCorpus)(
  `all of Flink's snapshots${hasCorpus ? "" : " (skipped: ../shared is not here)"}`,
  () => {
    const truth = hasCorpus ? linesOf(TRUTH) : [];

    test("the facts are those of Flink's own reader, for each snapshot", () => {
      let agreed = 0;
      for (const expected of truth) {
        const path = join(CORPUS, String(expected["snapshot"]), "_metadata");
        const facts = snapshotFacts(decodeMetadata(readFileSync(path), { path }));
        expect({ snapshot: expected["snapshot"], ...facts }).toEqual(expected);
        agreed++;
      }
      expect(agreed).toBe(readdirSync(CORPUS).length);
    });

    test("what Flink wrote in version 6 is written again byte for byte", () => {
      const differing: unknown[] = [];
      expect(truth.some(({ version }) => version === 6)).toBe(true);
      for (const { snapshot, version } of truth) {
        const path = join(CORPUS, String(snapshot), "_metadata");
        const bytes = readFileSync(path);
        const metadata = decodeMetadata(bytes, { path });
        const again = encodeMetadata(metadata);
        if (version === 6 && Buffer.compare(again, bytes) !== 0) differing.push(snapshot);
        // An older version says the same in version 6.
        expect(snapshotFacts(decodeMetadata(again, { path }))).toEqual({
          ...snapshotFacts(metadata),
          version: 6,
        });
      }
      expect(differing).toEqual([]);
    });
  },
);
