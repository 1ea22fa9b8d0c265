import * as v from "valibot";
import { expect, expectTypeOf, test } from "vitest";

import { issuesText, type StandardSchema, validate } from "./standard-schema.ts";

const order = v.object({ id: v.number(), lines: v.array(v.object({ "unit price": v.number() })) });

test("a value that fits is returned, with the schema's type and transformations", () => {
  const trimmed = v.pipe(v.string(), v.trim());
  const result = validate(trimmed, " a ");
  expect(result).toEqual({ kind: "valid", value: "a" });
  const typed = validate(order, { id: 1, lines: [] });
  if (typed.kind === "valid") expectTypeOf(typed.value.id).toEqualTypeOf<number>();
  expect(typed.kind).toBe("valid");
});

test("a value that does not fit is answered with each issue and its path", () => {
  const result = validate(order, { id: "x", lines: [{ "unit price": 1 }, { "unit price": null }] });
  if (result.kind !== "invalid") throw new Error(result.kind);
  expect(result.issues.map((issue) => issue.path)).toEqual(["id", 'lines[1]["unit price"]']);
  expect(issuesText(result.issues)).toMatch(/^id: .*; lines\[1\]\["unit price"\]: /u);
});

function schemaOf(answer: (value: unknown) => never | Promise<never>): StandardSchema {
  return { "~standard": { version: 1, vendor: "test", validate: answer } };
}

test("a schema that answers later, or throws, makes the value invalid", () => {
  const later = schemaOf(() => Promise.reject(new Error("unwanted")));
  expect(validate(later, 1)).toEqual({
    kind: "invalid",
    issues: [
      { path: "", message: "the schema is asynchronous; records are validated synchronously" },
    ],
  });
  const broken = schemaOf(() => {
    throw new Error("no such table");
  });
  expect(validate(broken, 1)).toEqual({
    kind: "invalid",
    issues: [{ path: "", message: "the schema failed: no such table" }],
  });
});
