import fc from "fast-check";
import { expect, test } from "vitest";

import { LineSplitter } from "./byte-lines.ts";
import { SelectiveSplitter } from "./selective-lines.ts";

const LINES = [
  "2024-06-15 02:17:23,882 INFO  a.b.C [] - order 7",
  "2024-06-15 02:17:23,882 WARN  a.b.C [] - slow",
  "java.io.IOException: No space left on device",
  "\tat a.B.c(B.java:1)",
  "Caused by: java.lang.RuntimeException: deeper",
  "2024-06-15 02:17:23,882 INFO  org.apache.flink.X [] - Triggering checkpoint 3",
  "",
];

function run(
  splitter: LineSplitter | SelectiveSplitter,
  text: string,
  cuts: readonly number[],
): void {
  const bytes = new TextEncoder().encode(text);
  let from = 0;
  for (const cut of [
    ...cuts.map((part) => part % (bytes.length + 1)).toSorted((a, b) => a - b),
    bytes.length,
  ]) {
    splitter.push(bytes.slice(from, cut));
    from = cut;
  }
  splitter.finish();
}

test("gives a part of all lines with their true numbers, and every line that matters", () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...LINES), { maxLength: 60 }),
      fc.array(fc.nat(5000), { maxLength: 5 }),
      (lines, cuts) => {
        const text = lines.map((line) => `${line}\n`).join("");
        const all = new Map<number, string>();
        const some = new Map<number, string>();
        run(new LineSplitter((line, number) => void all.set(number, line)), text, cuts);
        run(new SelectiveSplitter((line, number) => void some.set(number, line)), text, cuts);
        for (const [number, line] of some) expect(all.get(number)).toBe(line);
        const matters = [...all].filter(([, line]) => /WARN|Exception|checkpoint/u.test(line));
        expect(matters.map(([number]) => some.get(number))).toEqual(
          matters.map(([, line]) => line),
        );
      },
    ),
  );
});
