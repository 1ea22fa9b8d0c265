import { describe, expect, test } from "vitest";

import { mapOperator } from "../map.ts";
import { WatermarkStrategy } from "../watermark/watermark-strategy.ts";
import { requireSynchronous } from "./synchronous.ts";

describe("an async function where a value is needed at once", () => {
  test("is refused by its name", () => {
    class Lookup {
      async processElement(): Promise<void> {}
    }
    expect(() => requireSynchronous('"lookup"', new Lookup())).toThrow(
      'processElement of "lookup" was given what it cannot use: it is an async function',
    );
    expect(() => mapOperator(async (value: number) => value)).toThrow("map was given");
    expect(() =>
      WatermarkStrategy.noWatermarks().withTimestampAssigner((async () => 5) as never),
    ).toThrow("withTimestampAssigner was given");
  });

  test("is refused, too, if it is an object with a method", () => {
    class Double {
      map = (value: number): number => 2 * value;
    }
    expect(() => mapOperator(new Double() as never)).toThrow(
      "map was given what it cannot use: it is an object where a function is needed",
    );
  });

  test("is fine where the job waits for it", () => {
    requireSynchronous('"lookup"', { open: async () => {}, close: async () => {}, add: () => 1 });
  });
});
