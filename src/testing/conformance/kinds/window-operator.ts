import { MIN_TIMESTAMP } from "../../../base/index.ts";
import {
  outputTag,
  type ProcessWindowFunction,
  type TimeWindow,
  type Window,
  type WindowAggregation,
  windowOperator,
} from "../../../operators/index.ts";
import { Types } from "../../../serde/index.ts";
import type { HarnessSetup } from "../../operator-harness.ts";
import type { Fields } from "../fields.ts";
import { EARLIEST_SESSION_START, shiftOfNearMaxTimes } from "../near-max-times.ts";
import { OperatorScenario } from "../operator-scenario.ts";
import { ScenarioFault } from "../scenario.ts";
import type { ScenarioKind } from "../scenario-kind.ts";
import {
  type KeyedValue,
  keyedValueType,
  scenarioAssigner,
  scenarioEvictor,
  scenarioTrigger,
  windowLengthsMs,
} from "../window-scenario-config.ts";

type ValueFunction = ProcessWindowFunction<KeyedValue, unknown, string, Window>;

export const windowOperatorKind: ScenarioKind = {
  kind: "window-operator",
  start(config, steps) {
    const setup = windowSetup(config);
    return OperatorScenario.start({
      setup,
      shift: shiftOfNearMaxTimes(steps, windowLengthsMs(config.raw)),
      act(step, harness) {
        const element = toKeyedValue(step);
        const timestamp = step.time("timestamp", MIN_TIMESTAMP);
        harness.processElement(element, timestamp, { key: element[0] });
      },
    });
  },
};

function windowSetup(config: Fields): HarnessSetup<unknown> {
  const functionName = config.text("function", "none");
  const lateOutput = config.has("lateOutput") ? config.text("lateOutput") : undefined;
  const factory = windowOperator<KeyedValue, KeyedValue, KeyedValue, unknown, string, Window>({
    assigner: scenarioAssigner(config.object("assigner")),
    trigger: scenarioTrigger(config.objectIfAny("trigger")),
    evictor: scenarioEvictor(config.objectIfAny("evictor")),
    allowedLatenessMs: config.number("allowedLatenessMs", 0),
    lateOutput: lateOutput === undefined ? undefined : outputTag<KeyedValue>(lateOutput),
    aggregation: aggregationOf(config.text("contents", "list")),
    makeFunction: () => functionOf(functionName),
    recordType: keyedValueType,
    accumulatorType: keyedValueType,
  });
  return {
    factory,
    keyType: Types.string(),
    parallelism: config.number("parallelism", 1),
    maxParallelism: config.number("maxParallelism", 128),
  };
}

function toKeyedValue(step: Fields): KeyedValue {
  const element = step.list("element");
  const [key, value] = element;
  if (element.length !== 2 || typeof key !== "string") throw step.fault("element", "key and value");
  return [key, Number(value)];
}

function aggregationOf(contents: string): WindowAggregation<KeyedValue, KeyedValue, KeyedValue> {
  if (contents === "list") return { kind: "list" };
  if (contents === "reduceSum") return { kind: "reduce", reduce: (a, b) => [b[0], a[1] + b[1]] };
  throw new ScenarioFault(`The contents \`${contents}\` are not known to this runner`);
}

function functionOf(name: string): ValueFunction {
  switch (name) {
    case "elements":
      return {
        process(_key, _context, elements, out) {
          for (const element of elements) out.collect(element);
        },
      };
    case "sum":
      return { process: (key, _context, elements, out) => out.collect([key, sumOf(elements)]) };
    case "sumWithWindow":
      return {
        process(key, context, elements, out) {
          const { start, end } = context.window as unknown as TimeWindow;
          const shownStart = start === EARLIEST_SESSION_START ? MIN_TIMESTAMP : start;
          out.collect([`${key}-${sumOf(elements)}`, shownStart, end]);
        },
      };
    case "text":
      return {
        process(_key, _context, elements, out) {
          out.collect(`GOT: ${[...elements].map(([key, value]) => `(${key},${value})`).join(",")}`);
        },
      };
    case "none":
      return { process() {} };
    default:
      throw new ScenarioFault(`The function \`${name}\` is not known to this runner`);
  }
}

function sumOf(elements: Iterable<KeyedValue>): number {
  let sum = 0;
  for (const [, value] of elements) sum += value;
  return sum;
}
