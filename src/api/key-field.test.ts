import { describe, expect, test } from "vitest";
import { Types } from "../serde/index.ts";
import { declaredFieldType, fieldSelector } from "./key-field.ts";

describe("fieldSelector", () => {
  test.each([
    "origin",
    "with space",
    'quote"',
    "line\nbreak",
    "a].b[",
    "__proto__x",
    "constructor",
  ])("reads the field %j", (field) => {
    expect(fieldSelector<Record<string, number>, string>(field)({ [field]: 7 })).toBe(7);
  });
});

describe("declaredFieldType", () => {
  const record = Types.struct({
    id: Types.long(),
    state: Types.enumeration("on", "off"),
    tags: Types.array(Types.string()),
  });

  test("a scalar field has its declared type", () => {
    expect(declaredFieldType(record, "id")?.keyKind).toBe("long");
    expect(declaredFieldType(record, "state")?.keyKind).toBe("string");
  });

  test("other fields, and those of undeclared records, speak for themselves", () => {
    expect(declaredFieldType(record, "tags")).toBeUndefined();
    expect(declaredFieldType(record, "missing")).toBeUndefined();
    expect(declaredFieldType(Types.any(), "id")).toBeUndefined();
    expect(declaredFieldType(undefined, "id")).toBeUndefined();
  });
});
