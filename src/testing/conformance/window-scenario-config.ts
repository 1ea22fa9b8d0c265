import {
  ContinuousEventTimeTrigger,
  ContinuousProcessingTimeTrigger,
  countEvictor,
  CountTrigger,
  deltaEvictor,
  DeltaTrigger,
  EventTimeSessionWindows,
  EventTimeTrigger,
  type Evictor,
  GlobalWindows,
  mergeTimeWindows,
  ProcessingTimeoutTrigger,
  ProcessingTimeSessionWindows,
  ProcessingTimeTrigger,
  PurgingTrigger,
  SlidingEventTimeWindows,
  SlidingProcessingTimeWindows,
  TIME_WINDOWS,
  timeEvictor,
  TimeWindow,
  type Trigger,
  TumblingEventTimeWindows,
  TumblingProcessingTimeWindows,
  type Window,
  type WindowAssigner,
} from "../../operators/index.ts";
import { Types, type TypeSerializer } from "../../serde/index.ts";
import type { Fields } from "./fields.ts";
import { ScenarioFault } from "./scenario.ts";

/** The records of window scenarios: key and value. */
export type KeyedValue = readonly [key: string, value: number];

export const keyedValueType: TypeSerializer<KeyedValue> = Types.any<KeyedValue>();

type Assigner = WindowAssigner<KeyedValue, Window>;
type AnyTrigger = Trigger<KeyedValue, Window>;

/** The assigner that `config.assigner` describes. */
export function scenarioAssigner(config: Fields): Assigner {
  const type = config.text("type");
  const assigner = ASSIGNERS[type];
  if (assigner === undefined)
    throw new ScenarioFault(`The assigner \`${type}\` is not known to this runner`);
  const made = assigner(config);
  config.done();
  return made;
}

const size = (config: Fields): number => config.number("sizeMs");
const slide = (config: Fields): number => config.number("slideMs");
const gap = (config: Fields): number => config.number("gapMs");
const offset = (config: Fields): number => config.number("offsetMs", 0);

const ASSIGNERS: Readonly<Record<string, (config: Fields) => Assigner>> = {
  tumblingEventTime: (config) => timed(TumblingEventTimeWindows.of(size(config), offset(config))),
  tumblingProcessingTime: (config) =>
    timed(TumblingProcessingTimeWindows.of(size(config), offset(config))),
  slidingEventTime: (config) =>
    timed(SlidingEventTimeWindows.of(size(config), slide(config), offset(config))),
  slidingProcessingTime: (config) =>
    timed(SlidingProcessingTimeWindows.of(size(config), slide(config), offset(config))),
  eventTimeSession: (config) => timed(EventTimeSessionWindows.withGap(gap(config))),
  processingTimeSession: (config) => timed(ProcessingTimeSessionWindows.withGap(gap(config))),
  dynamicEventTimeSession: (config) =>
    timed(EventTimeSessionWindows.withDynamicGap(gapRules(config))),
  dynamicProcessingTimeSession: (config) =>
    timed(ProcessingTimeSessionWindows.withDynamicGap(gapRules(config))),
  global: () => GlobalWindows.create() as unknown as Assigner,
  globalEndOfStream: () => GlobalWindows.createWithEndOfStreamTrigger() as unknown as Assigner,
  pointSession: (config) => timed(pointSession(gap(config))),
};

function timed(assigner: WindowAssigner<KeyedValue, TimeWindow>): Assigner {
  return assigner as unknown as Assigner;
}

function gapRules(config: Fields): (element: KeyedValue) => number {
  const rules = config.objects("gapRules").map((rule) => {
    const made = { key: rule.any("key"), value: rule.any("value"), gapMs: rule.number("gapMs") };
    rule.done();
    return made;
  });
  return ([key, value]) => {
    const rule = rules.find(
      (candidate) =>
        (candidate.key === undefined || candidate.key === key) &&
        (candidate.value === undefined || Number(candidate.value) === value),
    );
    if (rule === undefined) throw new ScenarioFault(`No gap rule is for ${key}, ${value}`);
    return rule.gapMs;
  };
}

/** Sessions, where the value 33 gets an empty window. */
function pointSession(gapMs: number): WindowAssigner<KeyedValue, TimeWindow> {
  return {
    name: "PointSession()",
    isEventTime: true,
    windowKind: TIME_WINDOWS,
    assignWindows: ([, value], timestamp) => [
      new TimeWindow(timestamp, value === 33 ? timestamp : timestamp + gapMs),
    ],
    getDefaultTrigger: () => EventTimeTrigger.create(),
    mergeWindows: (windows: readonly TimeWindow[]) => mergeTimeWindows(windows),
  } as WindowAssigner<KeyedValue, TimeWindow>;
}

/** The trigger that `config.trigger` describes; undefined for the assigner's. */
export function scenarioTrigger(config: Fields | undefined): AnyTrigger | undefined {
  if (config === undefined) return undefined;
  const type = config.text("type");
  if (type === "default") {
    config.done();
    return undefined;
  }
  const trigger = TRIGGERS[type];
  if (trigger === undefined)
    throw new ScenarioFault(`The trigger \`${type}\` is not known to this runner`);
  const made = trigger(config);
  config.done();
  return made;
}

function inner(config: Fields): AnyTrigger {
  const trigger = scenarioTrigger(config.object("of"));
  if (trigger === undefined) throw config.fault("of", "a trigger");
  return trigger;
}

const TRIGGERS: Readonly<Record<string, (config: Fields) => AnyTrigger>> = {
  eventTime: () => EventTimeTrigger.create(),
  processingTime: () => ProcessingTimeTrigger.create(),
  count: (config) => CountTrigger.of(config.number("maxCount")),
  continuousEventTime: (config) => ContinuousEventTimeTrigger.of(config.number("intervalMs")),
  continuousProcessingTime: (config) =>
    ContinuousProcessingTimeTrigger.of(config.number("intervalMs")),
  purging: (config) => PurgingTrigger.of(inner(config)),
  delta: (config) =>
    DeltaTrigger.of(
      config.number("threshold"),
      (older, newer) => newer[1] - older[1],
      keyedValueType,
    ),
  processingTimeout: (config) =>
    ProcessingTimeoutTrigger.of(inner(config), config.number("timeoutMs"), {
      resetTimerOnNewRecord: config.boolean("resetTimerOnNewRecord", false),
      shouldClearOnTimeout: config.boolean("shouldClearOnTimeout", true),
    }),
  always: () => ({
    name: "Always",
    onElement: () => "FIRE",
    onEventTime: () => "FIRE",
    onProcessingTime: () => "FIRE",
    onMerge() {},
    clear() {},
  }),
  firePurgeAtEndAndCleanup: (config) => firePurgeAtEndAndCleanup(config.number("cleanupAfterMs")),
};

/** Like the event-time trigger, but purges, and fires once more when the window is cleaned up. */
function firePurgeAtEndAndCleanup(cleanupAfterMs: number): AnyTrigger {
  const eventTime = EventTimeTrigger.create();
  return {
    name: "FirePurgeAtEndAndCleanup",
    onElement: (element, timestamp, window, context) =>
      eventTime.onElement(element, timestamp, window, context),
    onEventTime: (time, window) =>
      time === window.maxTimestamp() || time === window.maxTimestamp() + cleanupAfterMs
        ? "FIRE_AND_PURGE"
        : "CONTINUE",
    onProcessingTime: () => "CONTINUE",
    onMerge: (window, context) => context.registerEventTimeTimer(window.maxTimestamp()),
    clear: (window, context) => context.deleteEventTimeTimer(window.maxTimestamp()),
  };
}

/** The evictor that `config.evictor` describes. */
export function scenarioEvictor(
  config: Fields | undefined,
): Evictor<KeyedValue, Window> | undefined {
  if (config === undefined) return undefined;
  const type = config.text("type");
  const after = config.boolean("after", false);
  const made = evictorOf(type, config, after);
  config.done();
  return made;
}

function evictorOf(type: string, config: Fields, after: boolean): Evictor<KeyedValue, Window> {
  switch (type) {
    case "count":
      return countEvictor<KeyedValue>(config.number("maxCount"), after);
    case "time":
      return timeEvictor<KeyedValue>(config.number("keepMs"), after);
    case "delta":
      return deltaEvictor<KeyedValue>(
        config.number("threshold"),
        (element, last) => last[1] - element[1],
        after,
      );
    default:
      throw new ScenarioFault(`The evictor \`${type}\` is not known to this runner`);
  }
}

/** The lengths in the config by whose multiples times may be moved. */
export function windowLengthsMs(config: Readonly<Record<string, unknown>>): readonly number[] {
  return Object.entries(config).flatMap(([name, value]) => {
    if (typeof value === "object" && value !== null) {
      return windowLengthsMs(value as Record<string, unknown>);
    }
    const isLength = name === "sizeMs" || name === "slideMs" || name === "intervalMs";
    return isLength && typeof value === "number" && value > 0 ? [value] : [];
  });
}
