import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

import type { CauseCode } from "./cause-codes.ts";
import { type Diagnosis, diagnoseEvidence } from "./diagnosis.ts";
import { CASES, evidenceOf, FOLDER } from "../../test/golden/doctor/golden-cases.ts";
import { RULES } from "./rules/index.ts";

/** From here on the doctor calls a finding the cause. */
const SURE = 0.8;

const PAIRS = readFileSync(join(FOLDER, "look-alikes.pairs"), "utf8")
  .split("\n")
  .filter((line) => line !== "" && !line.startsWith("#"))
  .map((line) => {
    const [code = "", names = ""] = line.split(": ");
    return { code: code as CauseCode, names: names.split(" ") };
  });

/** True if the doctor would say that this is the cause. */
function names(diagnosis: Diagnosis, code: string): boolean {
  const first = diagnosis.findings[0];
  return (
    (diagnosis.verdict === "cause" && first?.code === code) ||
    diagnosis.findings.some((found) => found.code === code && found.confidence >= SURE)
  );
}

test("every rule has a case that looks like its cause and is another one", () => {
  const known = new Set(CASES.map((found) => found.name));
  expect(PAIRS.map(({ code }) => code).toSorted()).toEqual(
    RULES.map((rule) => rule.code as string).toSorted(),
  );
  expect(PAIRS.flatMap((pair) => pair.names).filter((name) => !known.has(name))).toEqual([]);
});

describe("what looks like", () => {
  test.each(PAIRS.map(({ code, names: alike }) => [code, alike] as const))(
    "%s and is not is not called so",
    async (code, alike) => {
      for (const found of CASES.filter(({ name }) => alike.includes(name))) {
        const diagnosis = diagnoseEvidence(await evidenceOf(found), RULES);
        expect([found.name, names(diagnosis, code)]).toEqual([found.name, false]);
        expect([found.name, [found.truth, ...found.also].includes(code)]).toEqual([
          found.name,
          false,
        ]);
      }
    },
  );
});

const COMPLETED = [1, 2, 3, 4]
  .map(
    (id) =>
      `2025-03-02 10:0${id}:05,330 INFO  org.apache.flink.runtime.checkpoint.CheckpointCoordinator    [] - Completed checkpoint ${id} for job aabbccddeeff00112233445566778899 (1153302 bytes, checkpointDuration=212 ms, finalizationTime=15 ms).`,
  )
  .join("\n");

/** The telling words as text that a program of the user's logs: a job that reads logs of other jobs has such lines. */
function quoted(text: string): string {
  const lines = text
    .split("\n")
    .filter((line) => /Exception|Error|xpir|ecline|ailed|denied/u.test(line))
    .map((line) => line.replace(/^[\d\-/ :,.TZ]{10,25}/u, "").replace(/^\s*at /u, ""));
  return lines
    .map(
      (line, index) =>
        `2025-03-02 10:01:${String(10 + (index % 45))},000 INFO  com.acme.logs.Collector [] - seen ${index}: "${line.replaceAll('"', "'").slice(0, 220)}"`,
    )
    .join("\n");
}

describe("the words of", () => {
  const logs = CASES.filter(
    ({ truth, files }) =>
      !["healthy", "undetermined"].includes(truth) && files.some(({ text }) => quoted(text) !== ""),
  );
  test.each(logs.map((found) => [found.name, found] as const))(
    "%s in the log of a user's own program are no finding in a run that is well",
    async (_name, found) => {
      const text = `${COMPLETED}\n${found.files.map((file) => quoted(file.text)).join("\n")}\n`;
      const diagnosis = diagnoseEvidence(
        await evidenceOf({ files: [{ name: "jobmanager.log", text }] }),
        RULES,
      );
      expect([diagnosis.verdict, names(diagnosis, found.truth)]).toEqual(["healthy", false]);
    },
  );
});
