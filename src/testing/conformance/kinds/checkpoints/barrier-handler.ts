import {
  type BarrierAction,
  type BarrierHandler,
  type BarrierHandlerMode,
  type CheckpointBarrier,
  CheckpointBarrierTracker,
  SingleCheckpointBarrierHandler,
} from "../../../../checkpoint/index.ts";
import { compareExactly } from "../../comparison.ts";
import type { Fields } from "../../fields.ts";
import type { ScenarioInstance, ScenarioKind } from "../../scenario-kind.ts";

type Mode = BarrierHandlerMode | "tracker";

/** Actions exactly in order, and the channels that are blocked. */
export const barrierHandlerKind: ScenarioKind = {
  kind: "barrier-handler",
  start(config: Fields): ScenarioInstance {
    const mode = config.text("mode") as Mode;
    const channelCount = config.number("channels");
    const options = {
      checkpointsAfterTasksFinish: config.boolean("checkpointsAfterTasksFinish", true),
    };
    const clock = { nowMs: config.number("nowMs", 0) };
    const handler =
      mode === "tracker"
        ? new CheckpointBarrierTracker(channelCount, options)
        : new SingleCheckpointBarrierHandler(mode, channelCount, options);
    let actions: unknown[] = [];
    return {
      act(step) {
        const done = act(handler, step, clock);
        actions.push(...done.map((action) => toEntry(action, mode)));
      },
      check(name, expected) {
        if (name === "expectBlocked") return compareExactly(expected, handler.blockedChannels());
        const actual = actions;
        actions = [];
        return compareExactly(expected, actual);
      },
      leftOver: () => compareExactly([], actions),
    };
  },
};

function act(
  handler: BarrierHandler,
  step: Fields,
  clock: { nowMs: number },
): readonly BarrierAction[] {
  if (step.has("advanceMs")) {
    clock.nowMs += step.number("advanceMs");
    return handler.tick(clock.nowMs);
  }
  if (step.has("endOfPartition")) {
    return handler.onEndOfPartition(step.number("endOfPartition"), clock.nowMs);
  }
  const channel = step.number("channel");
  if (step.has("cancel"))
    return handler.onCancellation(channel, step.number("cancel"), clock.nowMs);
  if (step.has("announcement")) {
    const barrier = toBarrier(step, step.number("announcement"));
    return handler.onAnnouncement(channel, barrier, clock.nowMs);
  }
  return handler.onBarrier(channel, toBarrier(step, step.number("barrier")), clock.nowMs);
}

function toBarrier(step: Fields, checkpointId: number): CheckpointBarrier {
  const isSavepoint = step.boolean("savepoint", false);
  const isUnaligned = step.boolean("unaligned", false);
  return {
    checkpointId,
    triggeredAtMs: step.number("triggeredAtMs", 0),
    options: {
      snapshot: isSavepoint
        ? { kind: "SAVEPOINT", format: "CANONICAL", postAction: "NONE" }
        : { kind: "CHECKPOINT" },
      alignment: isUnaligned ? "UNALIGNED" : "ALIGNED",
      alignedTimeoutMs: step.has("alignedTimeoutMs") ? step.number("alignedTimeoutMs") : undefined,
      targetDirectory: "",
    },
  };
}

function toEntry(action: BarrierAction, mode: Mode): unknown {
  switch (action.kind) {
    case "trigger":
      return {
        trigger: action.barrier.checkpointId,
        unaligned: mode === "unaligned" || mode === "alternating" ? action.isUnaligned : undefined,
      };
    case "abort":
      return { abort: action.checkpointId, reason: action.reason };
    case "init-channel-state":
      return { init: action.checkpointId };
    case "start-spill":
      return { startSpill: action.checkpointId };
    case "stop-spill":
      return { stopSpill: action.checkpointId };
    case "to-priority":
      return { toPriority: action.channelIndex };
  }
}
