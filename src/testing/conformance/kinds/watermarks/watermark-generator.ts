import { WatermarkStrategy, type WatermarkOutput } from "../../../../operators/index.ts";
import { compareExactly } from "../../comparison.ts";
import type { Fields } from "../../fields.ts";
import { ScenarioFault } from "../../scenario.ts";
import type { ScenarioKind } from "../../scenario-kind.ts";

export const watermarkGeneratorKind: ScenarioKind = {
  kind: "watermark-generator",
  start(config) {
    let nowMs = 0;
    let emitted: unknown[] = [];
    const output: WatermarkOutput = {
      emitWatermark: (watermark) => emitted.push({ watermark }),
      markIdle: () => emitted.push({ status: "idle" }),
      markActive: () => emitted.push({ status: "active" }),
    };
    const generator = scenarioStrategy(config).createGenerator({ nowMs: () => nowMs });
    return {
      act(step) {
        if (step.has("event")) {
          const time = step.time("event");
          generator.onEvent(time, time, output);
        } else if (step.has("advanceMs")) {
          nowMs += step.number("advanceMs");
        } else if (step.boolean("periodicEmit")) {
          generator.onPeriodicEmit(output);
        }
      },
      check(_name, expected) {
        const actual = emitted;
        emitted = [];
        return compareExactly(expected, actual);
      },
      leftOver: () => compareExactly([], emitted),
    };
  },
};

/** The watermark strategy that a config with `type`, `delayMs` and `idlenessMs` describes, for records that are their time. */
export function scenarioStrategy(config: Fields): WatermarkStrategy<number> {
  const strategy = strategyOf(config);
  return config.has("idlenessMs") ? strategy.withIdleness(config.number("idlenessMs")) : strategy;
}

function strategyOf(config: Fields): WatermarkStrategy<number> {
  const type = config.text("type");
  switch (type) {
    case "boundedOutOfOrderness":
      return WatermarkStrategy.forBoundedOutOfOrderness<number>(config.number("delayMs"));
    case "monotonous":
      return WatermarkStrategy.forMonotonousTimestamps<number>();
    case "none":
      return WatermarkStrategy.noWatermarks<number>();
    case "punctuated":
      return WatermarkStrategy.forGenerator<number>(() => ({
        onEvent: (_event, timestamp, output) => output.emitWatermark(timestamp),
        onPeriodicEmit() {},
      }));
    default:
      throw new ScenarioFault(`The generator \`${type}\` is not known to this runner`);
  }
}
