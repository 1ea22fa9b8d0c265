import { describe, expect, test } from "vitest";
import { OPERATOR_CASES } from "./operator-cases.ts";
import { openPortable, OPERATOR_LAWS, undisturbed } from "./operator-laws.ts";

describe.each(OPERATOR_CASES)("$name", (operatorCase) => {
  test("the case makes results", async () => {
    const results = await undisturbed(operatorCase);
    expect(results.flat().length).toBeGreaterThan(5);
  });

  test.each(OPERATOR_LAWS)("$name", async (law) => {
    const expected = await undisturbed(operatorCase);
    const actual = await law.run(operatorCase);
    // In portable mode, too: values as bytes, nothing changed in place.
    expect(await law.run(operatorCase, openPortable)).toEqual(actual);
    // All items in one batch: what came of which is not told apart.
    const wanted = actual.length === 1 ? [expected.flat().toSorted()] : expected;
    expect(actual).toEqual(wanted);
  });
});
