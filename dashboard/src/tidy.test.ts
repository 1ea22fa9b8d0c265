import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const MAX_LINES = 400;

const folder = import.meta.dirname;
const sources = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .filter((path) => /\.tsx?$/.test(path) && !path.endsWith(".test.ts"))
  .map((path) => ({ path, text: readFileSync(join(folder, path), "utf8") }));

function offenders(pattern: RegExp): readonly string[] {
  return sources.filter(({ text }) => pattern.test(text)).map(({ path }) => path);
}

test("files stay short", () => {
  expect(
    sources.filter(({ text }) => text.split("\n").length > MAX_LINES).map(({ path }) => path),
  ).toEqual([]);
});

test("nothing is written into the page as HTML, and no code is made of text", () => {
  expect(
    offenders(
      /dangerouslySetInnerHTML|innerHTML|outerHTML|insertAdjacentHTML|\beval\(|new Function/,
    ),
  ).toEqual([]);
});

test("style attributes are objects, which a strict policy allows", () => {
  expect(offenders(/style="|style=\{`/)).toEqual([]);
});

test("no address of another server stands in the page", () => {
  expect(offenders(/https?:\/\/(?!www\.w3\.org)/)).toEqual([]);
});
