import { describe, expect, test } from "vitest";

import { CAUSES } from "./cause-codes.ts";
import { diagnoseEvidence } from "./diagnosis.ts";
import { CASES, evidenceOf } from "../../test/golden/doctor/golden-cases.ts";
import { RULES } from "./rules/index.ts";

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
