import { expect, test } from "vitest";

import { RecordBudget } from "./record-budget.ts";

test("a slow operator gets as many records as it does in two milliseconds, a quick one all", () => {
  const budget = new RecordBudget(256);
  expect(budget.limit).toBe(256);
  budget.took(256, 256);
  expect(budget.limit).toBe(2);
  budget.took(2, 2);
  budget.took(4, 1);
  expect(budget.limit).toBe(8);
  for (let call = 0; call < 10; call++) budget.took(budget.limit, 0.1);
  expect(budget.limit).toBe(256);
  budget.took(1, 1_000);
  expect(budget.limit).toBe(1);
});
