import { describe, expect, test } from "vitest";

import { CHINESE } from "./chinese.ts";
import { ENGLISH } from "./english.ts";
import { bytes, count, duration, durationChange, factor, percent, subtaskName } from "./format.ts";
import { groupName } from "./verdict-sentence.ts";

/** Every text of a catalogue with its path; functions are called with their parameters' places. */
function textsOf(catalogue: object, path = ""): readonly (readonly [string, string])[] {
  return Object.entries(catalogue).flatMap(([key, value]: [string, unknown]) => {
    const place = `${path}${key}`;
    if (typeof value === "string") return [[place, value] as const];
    if (typeof value !== "function") return textsOf(value as object, `${place}.`);
    const speak = value as (...given: unknown[]) => string;
    return [
      [`${place}(…)`, speak("7", "7", "7", "7")] as const,
      [`${place}(0)`, speak(0, 0, 0, "7")] as const,
    ];
  });
}

describe("languages", () => {
  test("the Chinese catalogue is Chinese", () => {
    const withoutHan = textsOf(CHINESE).filter(([, text]) => !/[\u4e00-\u9fff]/.test(text));
    expect(withoutHan.map(([place]) => place)).toEqual([
      "tag",
      "listSeparator",
      "lastSeparator",
      "sentenceSeparator",
      "perSecond(…)",
      "perSecond(0)",
      "acknowledgedOf(…)",
      "acknowledgedOf(0)",
      "checkpointLabel(…)",
      "checkpointLabel(0)",
    ]);
  });

  test("no English word is left in it but names and what is typed", () => {
    const allowed =
      /\b(?:cutwater|run|job|npx|doctor|REST|JSON|rest|history|execution|checkpointing|interval)\b/g;
    const left = textsOf(CHINESE).filter(([, text]) =>
      /[A-Za-z]{3,}/.test(text.replaceAll(allowed, "").replaceAll(".ts", "")),
    );
    expect(left).toEqual([]);
  });

  test("Chinese sentences have Chinese punctuation", () => {
    const narrow = textsOf(CHINESE).filter(([, text]) => /[\u4e00-\u9fff][,:;()]/.test(text));
    expect(narrow).toEqual([]);
  });

  test("both have texts at the same places", () => {
    const places = (catalogue: object): readonly string[] =>
      textsOf(catalogue)
        .map(([place]) => place)
        .toSorted();
    expect(places(CHINESE)).toEqual(places(ENGLISH));
  });
});

describe("numbers", () => {
  test.each([
    [undefined, "–"],
    [0, "0 ms"],
    [0.4, "<1 ms"],
    [326, "326 ms"],
    [8_049, "8.05 s"],
    [9_000, "9 s"],
    [59_940, "59.9 s"],
    [125_000, "2 min 5 s"],
    [3_600_000, "1 h"],
    [12_000_000, "3 h 20 min"],
    [180_000_000, "2 d 2 h"],
    [-46, "−46 ms"],
  ])("the duration %s reads %s", (ms, text) => {
    expect(duration(ms)).toBe(text);
  });

  test("a change has its sign", () => {
    expect(durationChange(6_770)).toBe("+6.77 s");
    expect(durationChange(-45)).toBe("−45 ms");
    expect(durationChange(0)).toBe("0 ms");
  });

  test("sizes and counts have three digits that matter", () => {
    expect([0, 706, 20_987, 18_680_297, 5_368_709_120].map(bytes)).toEqual([
      "0 B",
      "706 B",
      "20.5 KB",
      "17.8 MB",
      "5 GB",
    ]);
    expect([0, 3, 640, 11_240, 4_500_000].map(count)).toEqual(["0", "3", "640", "11.2 k", "4.5 M"]);
    expect(percent(0.993)).toBe("99 %");
    expect(factor(3.66)).toBe("3.7×");
  });

  test("subtasks are counted from one, as Flink does", () => {
    expect(subtaskName("totals", 0, 4)).toBe("totals (1/4)");
  });
});

describe("groups of subtasks", () => {
  const group = { vertexId: "v", name: "totals", parallelism: 8 };

  test.each([
    [[2], "totals (3/8)"],
    [[0, 1, 2, 3, 4, 5, 6, 7], "All 8 subtasks of totals"],
    [[0, 2], "Subtasks 1 and 3 of 8 of totals"],
    [[0, 1, 2, 3, 4, 5], "Subtasks 1, 2, 3, 4 and 2 more of 8 of totals"],
  ])("%j reads %s", (subtaskIndexes, text) => {
    expect(groupName(ENGLISH, { ...group, subtaskIndexes })).toBe(text);
  });
});
