import { WatermarkValve } from "../../../../operators/index.ts";
import { compareExactly } from "../../comparison.ts";
import type { Fields } from "../../fields.ts";
import type { ScenarioInstance, ScenarioKind } from "../../scenario-kind.ts";
import { toWatermarkStatus } from "../../watermark-entries.ts";

export const watermarkValveKind: ScenarioKind = {
  kind: "watermark-valve",
  start(config: Fields): ScenarioInstance {
    let emitted: unknown[] = [];
    const valve = new WatermarkValve(config.number("channels"), {
      processWatermark: (watermark) => emitted.push({ watermark }),
      processWatermarkStatus: (status) => emitted.push({ status: status.toLowerCase() }),
    });
    return {
      act(step) {
        const channel = step.number("channel");
        if (step.has("watermark")) valve.onWatermark(channel, step.time("watermark"));
        else valve.onStatus(channel, toWatermarkStatus(step));
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
