import { describe, expect, test } from "vitest";

import { parseFlatYaml } from "./flat-yaml.ts";
import {
  Configuration,
  type ConfigurationEntry,
  optionKeys,
  type OptionTable,
  OptionTypes,
  refuseUnknownKeys,
  resolveOptions,
} from "./option.ts";

interface Options {
  readonly timeoutMs: number;
  readonly mode: "EXACTLY_ONCE" | "AT_LEAST_ONCE";
}

const TABLE: OptionTable<Options> = {
  timeoutMs: {
    key: "a.timeout",
    deprecatedKeys: ["old.timeout"],
    type: OptionTypes.duration({ minMs: 10 }),
    initial: 600_000,
    description: "",
  },
  mode: {
    key: "a.mode",
    deprecatedKeys: [],
    type: OptionTypes.oneOf(["EXACTLY_ONCE", "AT_LEAST_ONCE"]),
    initial: "EXACTLY_ONCE",
    description: "",
  },
};

const entry = (
  key: string,
  value: string,
  origin: ConfigurationEntry["origin"] = "flag",
): ConfigurationEntry => ({
  key,
  value,
  origin,
  place: "-D",
});

describe("resolveOptions", () => {
  test("what is not set has its initial value", () => {
    const { values, origins } = resolveOptions(TABLE, new Configuration());
    expect(values).toEqual({ timeoutMs: 600_000, mode: "EXACTLY_ONCE" });
    expect(origins.timeoutMs).toBe("initial");
  });

  test("a flag beats a file beats the code, in whatever order they come", () => {
    const configuration = new Configuration([
      entry("a.timeout", "1 s", "flag"),
      entry("a.timeout", "2 s", "file"),
      entry("a.timeout", "3 s", "code"),
    ]);
    expect(resolveOptions(TABLE, configuration)).toMatchObject({
      values: { timeoutMs: 1_000 },
      origins: { timeoutMs: "flag" },
    });
  });

  test("a deprecated key is read, named, and gives way to the new one", () => {
    const old = resolveOptions(TABLE, new Configuration([entry("old.timeout", "5 s")]));
    expect(old.values.timeoutMs).toBe(5_000);
    expect(old.deprecated).toEqual([{ used: "old.timeout", instead: "a.timeout", place: "-D" }]);
    const both = resolveOptions(
      TABLE,
      new Configuration([entry("old.timeout", "5 s"), entry("a.timeout", "6 s")]),
    );
    expect(both.values.timeoutMs).toBe(6_000);
  });

  test("a value that does not fit is refused with key, value and place", () => {
    const configuration = new Configuration([entry("a.timeout", "soon")]);
    expect(() => resolveOptions(TABLE, configuration)).toThrow(
      'Option a.timeout has the value "soon" (-D).',
    );
  });
});

test("an unknown key is refused with the nearest known one", () => {
  const check = (key: string) => () =>
    refuseUnknownKeys(new Configuration([entry(key, "x")]), optionKeys(TABLE));
  expect(check("a.mode")).not.toThrow();
  expect(check("a.timeot")).toThrowError(
    expect.objectContaining({
      code: "OPTION_UNKNOWN",
      remedy: 'Write "a.timeout", or leave it out.',
    }),
  );
  expect(check("entirely.different")).toThrowError(
    expect.objectContaining({ details: expect.objectContaining({ nearest: undefined }) }),
  );
});

test("the flat form is read as Flink reads it", () => {
  const { entries, dropped } = parseFlatYaml(
    "# note\r\nk: v # comment\n  l:   a#b\nno:blank\nm: \n: x\nk: w",
  );
  expect(entries).toEqual([
    { key: "k", value: "v", line: 2 },
    { key: "l", value: "a#b", line: 3 },
    { key: "k", value: "w", line: 7 },
  ]);
  expect(dropped.map(({ line }) => line)).toEqual([4, 5, 6]);
});
