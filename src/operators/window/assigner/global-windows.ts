import { MAX_TIMESTAMP } from "../../../base/index.ts";
import { GLOBAL_WINDOW, type GlobalWindow } from "../global-window.ts";
import type { Trigger, TriggerContext, TriggerResult } from "../trigger/trigger.ts";
import { GLOBAL_WINDOWS, type WindowAssigner, type WindowKind } from "./window-assigner.ts";

/** One window for everything. It fires only by a trigger of one's own, or at the end of the stream. */
export class GlobalWindows implements WindowAssigner<unknown, GlobalWindow> {
  readonly name = "GlobalWindows()";
  readonly isEventTime = false;
  readonly windowKind: WindowKind<GlobalWindow> = GLOBAL_WINDOWS;
  private readonly defaultTrigger: Trigger<unknown, GlobalWindow>;

  private constructor(defaultTrigger: Trigger<unknown, GlobalWindow>) {
    this.defaultTrigger = defaultTrigger;
  }

  static create(): GlobalWindows {
    return new GlobalWindows(NEVER_TRIGGER);
  }

  /** Fires once, when all of a bounded stream has come. */
  static createWithEndOfStreamTrigger(): GlobalWindows {
    return new GlobalWindows(END_OF_STREAM_TRIGGER);
  }

  assignWindows(): readonly GlobalWindow[] {
    return ONLY;
  }

  getDefaultTrigger(): Trigger<unknown, GlobalWindow> {
    return this.defaultTrigger;
  }
}

const ONLY: readonly GlobalWindow[] = [GLOBAL_WINDOW];

/** Never fires. */
export const NEVER_TRIGGER: Trigger<unknown, GlobalWindow> = {
  name: "NeverTrigger",
  onElement: () => "CONTINUE",
  onEventTime: () => "CONTINUE",
  onProcessingTime: () => "CONTINUE",
  onMerge() {},
  clear() {},
};

const END_OF_STREAM_TRIGGER: Trigger<unknown, GlobalWindow> = {
  name: "EndOfStreamTrigger",
  onElement(_element, _timestamp, _window, context: TriggerContext): TriggerResult {
    context.registerEventTimeTimer(MAX_TIMESTAMP);
    return "CONTINUE";
  },
  onEventTime: (time) => (time === MAX_TIMESTAMP ? "FIRE_AND_PURGE" : "CONTINUE"),
  onProcessingTime: () => "CONTINUE",
  onMerge(_window, context) {
    context.registerEventTimeTimer(MAX_TIMESTAMP);
  },
  clear() {},
};
