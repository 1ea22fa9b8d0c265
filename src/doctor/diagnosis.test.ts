import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

import { nodePlatform } from "../base/index.ts";
import { CAUSES } from "./cause-codes.ts";
import { diagnoseEvidence } from "./diagnosis.ts";
import { readEvidence } from "./evidence/input-reader.ts";
import { RULES } from "./rules/index.ts";

interface Case {
  readonly name: string;
  readonly truth: string;
  readonly also: readonly string[];
  readonly keys: readonly string[];
  readonly files: readonly { readonly name: string; readonly text: string }[];
}

const FOLDER = "test/golden/doctor";

/** Cases in one file: `=== name`, headers, then `--- file` and its text. */
function parseCases(text: string): readonly Case[] {
  const parts = text.split(/^=== (\S+)\n/mu).slice(1);
  const cases: Case[] = [];
  for (let index = 0; index + 1 < parts.length; index += 2) {
    const [head, ...files] = (parts[index + 1] ?? "").split(/^--- (\S+)\n/mu);
    const header = (name: string): readonly string[] =>
      new RegExp(`^${name}: (.*)$`, "mu").exec(head ?? "")?.[1]?.split(" ") ?? [];
    const named = [];
    for (let at = 0; at + 1 < files.length; at += 2)
      named.push({ name: files[at] ?? "", text: files[at + 1] ?? "" });
    cases.push({
      name: parts[index] ?? "",
      truth: header("truth")[0] ?? "",
      also: header("also"),
      keys: header("key"),
      files: named,
    });
  }
  return cases;
}

const CASES = readdirSync(FOLDER)
  .filter((name) => name.endsWith(".cases"))
  .flatMap((name) => parseCases(readFileSync(join(FOLDER, name), "utf8")));

async function evidenceOf(found: Case): ReturnType<typeof readEvidence> {
  const inputs = found.files.map((file) => ({
    kind: "bytes" as const,
    name: file.name,
    bytes: new TextEncoder().encode(file.text),
  }));
  return readEvidence(inputs, nodePlatform());
}

const VERDICTS = new Set(["healthy", "undetermined"]);

describe("each case", () => {
  test.each(CASES.map((found) => [found.name, found] as const))(
    "%s is diagnosed",
    async (_name, found) => {
      const diagnosis = diagnoseEvidence(await evidenceOf(found), RULES);
      const first = diagnosis.findings[0]?.code;
      const answer = diagnosis.verdict === "cause" ? first : diagnosis.verdict;
      expect([found.truth, ...found.also]).toContain(answer);
      const proposed = diagnosis.findings[0]?.remedies.map((remedy) => remedy.key) ?? [];
      for (const key of found.keys) expect(proposed).toContain(key);
    },
  );
});

describe("without the rule for its cause", () => {
  const causes = CASES.filter((found) => !VERDICTS.has(found.truth));
  test.each(causes.map((found) => [found.name, found] as const))(
    "%s is not called anything else for sure",
    async (_name, found) => {
      const others = RULES.filter(
        (rule) => rule.code !== found.truth && !found.also.includes(rule.code),
      );
      const diagnosis = diagnoseEvidence(await evidenceOf(found), others);
      const first = diagnosis.findings[0];
      const sure = diagnosis.verdict !== "undetermined" && (first?.confidence ?? 0) >= 0.8;
      expect(sure ? first?.code : undefined).toBeUndefined();
    },
  );
});

describe("the table of rules", () => {
  test("has one rule for every cause that is concluded by a rule", () => {
    const codes = RULES.map((rule) => rule.code).toSorted();
    const concluded = Object.keys(CAUSES).filter(
      (code) => !["healthy", "undetermined", "benign-log-noise"].includes(code),
    );
    expect(codes).toEqual(concluded.toSorted());
  });

  test("has a case for every rule", () => {
    const shown = new Set(CASES.flatMap((found) => [found.truth, ...found.also]));
    // These show themselves only beside another cause, or in a run that is healthy.
    const besides = [
      "rocksdb-many-small-files",
      "restart-strategy-not-configured",
      "min-pause-limits-frequency",
      "checkpoint-interval-shorter-than-duration",
    ];
    expect(
      RULES.map((rule) => rule.code).filter((code) => !shown.has(code) && !besides.includes(code)),
    ).toEqual([]);
  });
});

test("the order of inputs does not change the answer", async () => {
  for (const found of CASES.filter((candidate) => candidate.files.length > 1)) {
    const forward = diagnoseEvidence(await evidenceOf(found), RULES);
    const backward = diagnoseEvidence(
      await evidenceOf({ ...found, files: found.files.toReversed() }),
      RULES,
    );
    expect([found.name, backward.findings[0]?.code]).toEqual([
      found.name,
      forward.findings[0]?.code,
    ]);
  }
});
