import fc from "fast-check";
import { describe, test } from "vitest";
import {
  EventTimeSessionWindows,
  EventTimeTrigger,
  outputTag,
  SlidingEventTimeWindows,
  type TimeWindow,
  type Trigger,
  TumblingEventTimeWindows,
  type Window,
  type WindowAssigner,
  windowOperator,
} from "../operators/index.ts";
import { Types } from "../serde/index.ts";
import { OperatorHarness, type HarnessSetup } from "./operator-harness.ts";

type Element = readonly [key: string, value: number];
type Step =
  | {
      readonly kind: "element";
      readonly key: string;
      readonly value: number;
      readonly time: number;
    }
  | { readonly kind: "watermark"; readonly time: number }
  | { readonly kind: "restore"; readonly parallelism: number };

const elementStep = fc.record({
  kind: fc.constant("element" as const),
  key: fc.constantFrom("a", "b", "c"),
  value: fc.integer({ min: 1, max: 9 }),
  time: fc.integer({ min: -15, max: 60 }),
});
const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: elementStep },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant("watermark" as const),
        time: fc.integer({ min: -20, max: 75 }),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant("restore" as const),
        parallelism: fc.integer({ min: 1, max: 3 }),
      }),
    },
  ),
  { maxLength: 40 },
);

/** A window of one key, as the oracle remembers it. */
interface Held {
  readonly key: string;
  start: number;
  end: number;
  sum: number;
  /** Will fire when the watermark reaches its end. */
  isPending: boolean;
}

/** What windows do, said in the plainest way: lists are searched from end to end. */
class WindowOracle {
  held: Held[] = [];
  watermark: number = Number.NEGATIVE_INFINITY;
  readonly latenessMs: number;
  readonly windowsOf: (time: number) => readonly (readonly [start: number, end: number])[];
  readonly merges: boolean;

  constructor(
    latenessMs: number,
    windowsOf: (time: number) => readonly (readonly [start: number, end: number])[],
    merges: boolean,
  ) {
    this.latenessMs = latenessMs;
    this.windowsOf = windowsOf;
    this.merges = merges;
  }

  take(step: Step): readonly string[] {
    if (step.kind === "element") return this.element(step.key, step.value, step.time);
    if (step.kind === "watermark") return this.advance(step.time);
    this.watermark = Number.NEGATIVE_INFINITY;
    return [];
  }

  private element(key: string, value: number, time: number): readonly string[] {
    const results: string[] = [];
    let isTaken = false;
    for (const [start, end] of this.windowsOf(time)) {
      const window = this.windowFor(key, start, end);
      if (window.end - 1 + this.latenessMs <= this.watermark) {
        this.held = this.held.filter((held) => held !== window);
        continue;
      }
      isTaken = true;
      window.sum += value;
      window.isPending = window.end - 1 > this.watermark;
      if (!window.isPending) results.push(text(window));
    }
    const isLate = time + this.latenessMs <= this.watermark;
    return isTaken || !isLate ? results : [`late ${key} ${value} @ ${time}`];
  }

  private windowFor(key: string, start: number, end: number): Held {
    const same = (held: Held): boolean =>
      held.key === key &&
      (this.merges
        ? held.start <= end && held.end >= start
        : held.start === start && held.end === end);
    const parts = this.held.filter(same);
    const window: Held = {
      key,
      start: Math.min(start, ...parts.map((part) => part.start)),
      end: Math.max(end, ...parts.map((part) => part.end)),
      sum: parts.reduce((sum, part) => sum + part.sum, 0),
      isPending: false,
    };
    this.held = [...this.held.filter((held) => !parts.includes(held)), window];
    return window;
  }

  private advance(watermark: number): readonly string[] {
    if (watermark <= this.watermark) return [];
    this.watermark = watermark;
    const due = this.held.filter((held) => held.isPending && held.end - 1 <= watermark);
    for (const held of due) held.isPending = false;
    this.held = this.held.filter((held) => held.end - 1 + this.latenessMs > watermark);
    return due.map(text);
  }
}

function text({ key, start, end, sum }: Held): string {
  return `${key} [${start}, ${end}) ${sum} @ ${end - 1}`;
}

type Path = "fast" | "general" | "list";

function setupOf(
  assigner: WindowAssigner<Element, Window>,
  latenessMs: number,
  path: Path,
): HarnessSetup<unknown> {
  // The same trigger, which the operator does not recognise: it takes the general path.
  const eventTime = EventTimeTrigger.create();
  const unknown: Trigger<Element, Window> = {
    name: "EventTimeTrigger()",
    onElement: (element, time, window, context) =>
      eventTime.onElement(element, time, window, context),
    onEventTime: (time, window) => eventTime.onEventTime(time, window),
    onProcessingTime: () => "CONTINUE",
    onMerge: (window, context) => eventTime.onMerge(window, context),
    clear: (window, context) => eventTime.clear(window, context),
  };
  const type = Types.any<Element>();
  const factory = windowOperator<Element, Element, Element, string, string, Window>({
    assigner,
    trigger: path === "general" ? unknown : undefined,
    evictor: undefined,
    allowedLatenessMs: latenessMs,
    lateOutput: outputTag<Element>("late"),
    aggregation:
      path === "list"
        ? { kind: "list" }
        : { kind: "reduce", reduce: (a, b) => [b[0], a[1] + b[1]] },
    makeFunction: () => ({
      process(key, context, elements, out) {
        const { start, end } = context.window as unknown as TimeWindow;
        let sum = 0;
        for (const [, value] of elements) sum += value;
        out.collect(`${key} [${start}, ${end}) ${sum}`);
      },
    }),
    recordType: type,
    accumulatorType: type,
  });
  return { factory, keyType: Types.string() };
}

async function agree(
  setup: HarnessSetup<unknown>,
  oracle: WindowOracle,
  script: readonly Step[],
): Promise<void> {
  let harness = await OperatorHarness.open(setup);
  for (const [index, step] of script.entries()) {
    const isStale = step.kind === "watermark" && step.time <= oracle.watermark;
    if (step.kind === "element") {
      harness.processElement([step.key, step.value], step.time, { key: step.key });
    } else if (step.kind === "watermark") {
      if (!isStale) harness.processWatermark(step.time);
    } else {
      const snapshot = await harness.snapshot(index);
      harness = await OperatorHarness.open({ ...setup, parallelism: step.parallelism }, snapshot);
    }
    const expected = oracle.take(step).toSorted();
    const actual = harness.takeOutput().flatMap((output): readonly string[] => {
      if (output.kind === "record") return [`${String(output.value)} @ ${output.timestamp}`];
      if (output.kind !== "side") return [];
      const [key, value] = output.value as Element;
      return [`late ${key} ${value} @ ${output.timestamp}`];
    });
    if (JSON.stringify(expected) !== JSON.stringify(actual.toSorted())) {
      throw new Error(`step ${index}: expected ${expected.join("; ")}, got ${actual.join("; ")}`);
    }
  }
}

/** Every window of this length and slide that holds the time, found by trying all starts. */
function slidingWindows(
  time: number,
  sizeMs: number,
  slideMs: number,
  offsetMs: number,
): [number, number][] {
  const windows: [number, number][] = [];
  for (let start = time - sizeMs; start <= time; start++) {
    const isStart = (((start - offsetMs) % slideMs) + slideMs) % slideMs === 0;
    if (isStart && start <= time && time < start + sizeMs) windows.push([start, start + sizeMs]);
  }
  return windows;
}

const lateness = fc.constantFrom(0, 0, 4, 13);

describe.each<Path>(["fast", "general", "list"])(
  "windows agree with a plain oracle, path: %s",
  (path) => {
    test("tumbling", async () => {
      await fc.assert(
        fc.asyncProperty(
          steps,
          fc.integer({ min: 1, max: 20 }),
          fc.integer({ min: -30, max: 30 }),
          lateness,
          async (script, sizeMs, offset, latenessMs) => {
            const offsetMs = offset % sizeMs;
            const assigner = TumblingEventTimeWindows.of(sizeMs, offsetMs);
            const windowsOf = (time: number): [number, number][] =>
              slidingWindows(time, sizeMs, sizeMs, offsetMs);
            await agree(
              setupOf(assigner as never, latenessMs, path),
              new WindowOracle(latenessMs, windowsOf, false),
              script,
            );
          },
        ),
        { numRuns: 150 },
      );
    });

    test("sliding, also with gaps between the windows", async () => {
      await fc.assert(
        fc.asyncProperty(
          steps,
          fc.integer({ min: 1, max: 20 }),
          fc.integer({ min: 1, max: 12 }),
          lateness,
          async (script, sizeMs, slideMs, latenessMs) => {
            const assigner = SlidingEventTimeWindows.of(sizeMs, slideMs);
            const windowsOf = (time: number): [number, number][] =>
              slidingWindows(time, sizeMs, slideMs, 0);
            await agree(
              setupOf(assigner as never, latenessMs, path),
              new WindowOracle(latenessMs, windowsOf, false),
              script,
            );
          },
        ),
        { numRuns: 150 },
      );
    });

    test("sessions", async () => {
      await fc.assert(
        fc.asyncProperty(
          steps,
          fc.integer({ min: 1, max: 15 }),
          lateness,
          async (script, gapMs, latenessMs) => {
            const assigner = EventTimeSessionWindows.withGap(gapMs);
            await agree(
              setupOf(assigner as never, latenessMs, path),
              new WindowOracle(latenessMs, (time) => [[time, time + gapMs]], true),
              script,
            );
          },
        ),
        { numRuns: 200 },
      );
    });
  },
);
