import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { formatRoute, parseRoute, type Route } from "../route.ts";
import { resolveAddress } from "./base-address.ts";
import { callOf, operationStateOf } from "./job-actions.ts";
import { nextCallAfterMs } from "./retry.ts";
import { eventsIn } from "./server-events.ts";

const PAGE = "http://localhost:8081/ui/index.html?rest=x#/jobs";

describe("the address given with the page", () => {
  test("a path of the same server is taken, as a folder", () => {
    expect(resolveAddress("/proxy/flink", PAGE, true)).toEqual({
      kind: "accepted",
      href: "http://localhost:8081/proxy/flink/",
    });
    expect(resolveAddress("saved/history.jsonl", PAGE, false)).toEqual({
      kind: "accepted",
      href: "http://localhost:8081/ui/saved/history.jsonl",
    });
    expect(resolveAddress(null, PAGE, true)).toEqual({
      kind: "accepted",
      href: "http://localhost:8081/ui/",
    });
  });

  test.each([
    "//elsewhere.example/",
    "https://elsewhere.example",
    "http://localhost:9999/",
    "data:text/plain,x",
    "javascript:alert(1)",
    "\\\\elsewhere.example\\",
  ])("%s is refused", (given) => {
    expect(resolveAddress(given, PAGE, true)).toMatchObject({ kind: "refused" });
  });
});

describe("calls", () => {
  test("after failures the next one comes later each time, but within half a minute", () => {
    expect([0, 1, 2, 3, 4].map((failed) => nextCallAfterMs(3_000, failed))).toEqual([
      3_000, 1_000, 2_000, 4_000, 8_000,
    ]);
    expect(nextCallAfterMs(3_000, 50)).toBe(30_000);
  });

  test("an empty directory is left out, so that the configured one is used", () => {
    const call = callOf("j", { kind: "stop", targetDirectory: "", format: "NATIVE", drain: false });
    expect(call).toEqual({
      method: "POST",
      path: "jobs/j/stop",
      body: { drain: false, formatType: "NATIVE" },
      statusFolder: "jobs/j/savepoints",
    });
  });

  test("the state of an operation is read in Flink's forms", () => {
    expect(operationStateOf({ status: { id: "IN_PROGRESS" }, operation: null })).toEqual({
      kind: "running",
    });
    expect(
      operationStateOf({ status: { id: "COMPLETED" }, operation: { location: "file:/s" } }),
    ).toEqual({
      kind: "done",
      location: "file:/s",
    });
    const failure = { class: "X", "stack-trace": "java.io.IOException: disk full\n\tat ..." };
    expect(
      operationStateOf({ status: { id: "COMPLETED" }, operation: { "failure-cause": failure } }),
    ).toEqual({
      kind: "failed",
      reason: "disk full",
    });
  });
});

describe("events", () => {
  test("events are read whole, however the stream is cut", () => {
    const stream =
      ": hello\n\nevent: checkpoint\ndata: {}\n\ndata: 1\r\n\r\nevent: job\ndata: {}\n\n";
    fc.assert(
      fc.property(fc.array(fc.nat({ max: stream.length })), (cuts) => {
        const places = [0, ...cuts.toSorted((left, right) => left - right), stream.length];
        const names: string[] = [];
        let rest = "";
        for (const [index, place] of places.entries()) {
          const found = eventsIn(rest + stream.slice(places[index - 1] ?? 0, place));
          names.push(...found.names);
          rest = found.rest;
        }
        expect(names).toEqual(["checkpoint", "message", "job"]);
      }),
    );
  });
});

describe("routes", () => {
  const id = fc.option(fc.nat(), { nil: undefined });
  const jobId = fc.stringMatching(/^[0-9a-f]{32}$/);
  const route: fc.Arbitrary<Route> = fc.oneof(
    fc.constant<Route>({ view: "jobs" }),
    fc.record({ view: fc.constant("history" as const), checkpointId: id, compareId: id }),
    fc.record({
      view: fc.constant("job" as const),
      jobId,
      tab: fc.constant("checkpoints" as const),
      checkpointId: id,
      compareId: id,
      vertexId: fc.constant(undefined),
    }),
    fc.record({
      view: fc.constant("job" as const),
      jobId,
      tab: fc.constant("graph" as const),
      checkpointId: fc.constant(undefined),
      compareId: fc.constant(undefined),
      vertexId: fc.option(jobId, { nil: undefined }),
    }),
  );

  test("an address leads back to where it was made", () => {
    fc.assert(
      fc.property(route, (given) => {
        expect(parseRoute(formatRoute(given))).toEqual(given);
      }),
    );
  });

  test.each(["", "#", "#/nonsense", "#/jobs", "#//"])("%s leads to the jobs", (hash) => {
    expect(parseRoute(hash)).toEqual({ view: "jobs" });
  });
});
