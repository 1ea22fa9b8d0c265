import { expect, test } from "vitest";

import { Mailbox } from "./mailbox.ts";

test("wakes its slot for each action", () => {
  let woken = 0;
  const mailbox = new Mailbox(() => woken++);
  mailbox.putControl(() => undefined);
  mailbox.putOperator(() => undefined);
  expect(woken).toBe(2);
});

test("runs the control actions that were there, not those that they put in", () => {
  const done: string[] = [];
  const mailbox = new Mailbox(() => undefined);
  mailbox.putControl(() => {
    done.push("first");
    mailbox.putControl(() => done.push("second"));
  });
  mailbox.runControl();
  expect(done).toEqual(["first"]);
  mailbox.runControl();
  expect(done).toEqual(["first", "second"]);
});

test("runs operator actions in order for as long as it may, and keeps the rest before what comes later", () => {
  const done: number[] = [];
  const mailbox = new Mailbox(() => undefined);
  for (const number of [1, 2, 3]) mailbox.putOperator(() => done.push(number));
  mailbox.runOperator(() => done.length < 1);
  mailbox.putOperator(() => done.push(4));
  expect(done).toEqual([1]);
  mailbox.runOperator(() => true);
  expect(done).toEqual([1, 2, 3, 4]);
  expect(mailbox.hasOperator).toBe(false);
});
