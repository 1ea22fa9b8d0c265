import { WatermarkMultiplexer } from "../../../../operators/index.ts";
import { compareExactly } from "../../comparison.ts";
import type { Fields } from "../../fields.ts";
import type { ScenarioInstance, ScenarioKind } from "../../scenario-kind.ts";

export const watermarkMultiplexerKind: ScenarioKind = {
  kind: "watermark-multiplexer",
  start(): ScenarioInstance {
    let lastWatermark: number | null = null;
    let idle = false;
    const multiplexer = new WatermarkMultiplexer({
      emitWatermark(watermark) {
        lastWatermark = watermark;
        idle = false;
      },
      markIdle() {
        idle = true;
      },
      markActive() {
        idle = false;
      },
    });
    return {
      act: (step) => act(multiplexer, step),
      check: (_name, expected) => compareExactly(expected, { lastWatermark, idle }),
    };
  },
};

function act(multiplexer: WatermarkMultiplexer, step: Fields): void {
  if (step.has("register")) {
    multiplexer.register(step.text("register"));
  } else if (step.has("unregister")) {
    multiplexer.unregister(step.text("unregister"));
  } else if (step.has("periodicEmit")) {
    step.boolean("periodicEmit");
    multiplexer.onPeriodicEmit();
  } else {
    const output = step.has("immediate")
      ? multiplexer.immediateOutput(step.text("immediate"))
      : multiplexer.deferredOutput(step.text("deferred"));
    if (step.has("watermark")) output.emitWatermark(step.time("watermark"));
    else if (step.boolean("idle")) output.markIdle();
    else output.markActive();
  }
}
