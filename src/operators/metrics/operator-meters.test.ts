import { describe, expect, test } from "vitest";

import { OperatorMeters } from "./operator-meters.ts";

describe("OperatorMeters", () => {
  test("shows metrics of all four kinds, those of groups under the groups' names", () => {
    const metrics = new OperatorMeters();
    const shop = metrics.addGroup("shop");
    metrics.counter("calls").inc();
    metrics.counter("calls").count += 2;
    shop.meter("orders").markEvent(5);
    shop.gauge("latest", () => "none");
    shop.histogram("amounts", 2).update(7);
    shop.counter("open").dec(3);
    expect(metrics.registered()).toMatchObject({
      counters: { calls: 3, "shop.open": -3 },
      meters: { "shop.orders": 5 },
      gauges: { "shop.latest": "none" },
      histograms: { "shop.amounts": { count: 1, mean: 7 } },
      places: {},
    });
  });

  test("keeps the values of variables apart from the name", () => {
    const metrics = new OperatorMeters();
    const group = (tier: string) => metrics.addGroup("shop").addGroup("tier", tier);
    group("gold").counter("hits").inc();
    group("silver").addGroup("inner").counter("hits").inc(2);
    expect(metrics.registered()).toMatchObject({
      counters: { "shop.tier.gold.hits": 1, "shop.tier.silver.inner.hits": 2 },
      places: {
        "shop.tier.gold.hits": { name: "shop.tier.hits", variables: { tier: "gold" } },
        "shop.tier.silver.inner.hits": {
          name: "shop.tier.inner.hits",
          variables: { tier: "silver" },
        },
      },
    });
  });

  test("warns of a name that two kinds want, and shows the first", () => {
    const warnings: string[] = [];
    const metrics = new OperatorMeters((text) => void warnings.push(text));
    metrics.counter("calls").inc();
    metrics.histogram("calls").update(1);
    expect(warnings).toEqual([
      "The histogram calls is not shown: there is a counter of that name.",
    ]);
    expect(metrics.registered()).toMatchObject({ counters: { calls: 1 }, histograms: {} });
  });

  test("leaves out a gauge that throws or shows nothing", () => {
    const metrics = new OperatorMeters();
    metrics.gauge("broken", () => {
      throw new Error("broken");
    });
    metrics.gauge("nothing", () => undefined as never);
    metrics.gauge("long", () => 5n as never);
    expect(metrics.registered().gauges).toEqual({ long: 5 });
  });
});
