import { expect, test } from "vitest";

import { OPTION_GROUPS } from "../../api/index.ts";
import { optionsReference } from "./options-reference.ts";

const definitions = OPTION_GROUPS.flatMap(({ table }) => Object.entries(table));

test("the reference of options is fresh", async () => {
  await expect(optionsReference(OPTION_GROUPS)).toMatchFileSnapshot(
    "../../../docs/reference/options.md",
  );
});

test("no key stands twice, as a present or an older name", () => {
  const keys = definitions.flatMap(([, { key, deprecatedKeys }]) => [key, ...deprecatedKeys]);
  expect(keys).toEqual([...new Set(keys)]);
});

test("what is a time or a size says so in its field's name", () => {
  const unnamed = definitions.filter(
    ([field, { type }]) =>
      (type.expected.includes('"10 s"') && !field.endsWith("Ms")) ||
      (type.expected.includes('"64 mb"') && !field.endsWith("Bytes")),
  );
  expect(unnamed).toEqual([]);
});

test("every initial value is one that its own text would give", () => {
  const given = definitions.filter(([, { initial }]) => initial !== undefined);
  const parsed = given.map(([field, { initial, type }]) => {
    const unit = field.endsWith("Ms") ? " ms" : field.endsWith("Bytes") ? " b" : "";
    return [field, type.parse(`${JSON.stringify(initial).replaceAll('"', "")}${unit}`)];
  });
  expect(parsed).toEqual(given.map(([field, { initial }]) => [field, initial]));
});
