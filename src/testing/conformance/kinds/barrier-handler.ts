import {
  type BarrierAction,
  type BarrierHandler,
  type BarrierHandlerMode,
  type CheckpointBarrier,
  CheckpointBarrierTracker,
  SingleCheckpointBarrierHandler,
} from "../../../checkpoint/index.ts";
import type { ConformanceScenario, ConformanceStep } from "./checkpoint-scenario.ts";
import { compareSteps } from "./checkpoint-scenario.ts";

/** Runs a `barrier-handler` scenario: the actions of each step, exactly in order, and the blocked channels. */
export function runBarrierHandlerScenario(scenario: ConformanceScenario): void {
  const {
    mode,
    channels,
    checkpointsAfterTasksFinish,
    nowMs = 0,
  } = scenario.config as unknown as {
    readonly mode: BarrierHandlerMode | "tracker";
    readonly channels: number;
    readonly checkpointsAfterTasksFinish: boolean;
    readonly nowMs?: number;
  };
  const options = { checkpointsAfterTasksFinish };
  const handler =
    mode === "tracker"
      ? new CheckpointBarrierTracker(channels, options)
      : new SingleCheckpointBarrierHandler(mode, channels, options);
  const clock = { nowMs };
  compareSteps(scenario, {
    perform: (step) => perform(handler, step, clock).map((action) => actionAsData(action, mode)),
    expectations: { expectBlocked: () => handler.blockedChannels() },
  });
}

function perform(
  handler: BarrierHandler,
  step: ConformanceStep,
  clock: { nowMs: number },
): readonly BarrierAction[] {
  const channel = Number(step["channel"]);
  if ("barrier" in step) {
    return handler.onBarrier(channel, barrierOf(step, Number(step["barrier"])), clock.nowMs);
  }
  if ("announcement" in step) {
    return handler.onAnnouncement(
      channel,
      barrierOf(step, Number(step["announcement"])),
      clock.nowMs,
    );
  }
  if ("cancel" in step) return handler.onCancellation(channel, Number(step["cancel"]), clock.nowMs);
  if ("endOfPartition" in step) {
    return handler.onEndOfPartition(Number(step["endOfPartition"]), clock.nowMs);
  }
  clock.nowMs += Number(step["advanceMs"]);
  return handler.tick(clock.nowMs);
}

function barrierOf(step: ConformanceStep, checkpointId: number): CheckpointBarrier {
  const isSavepoint = step["savepoint"] === true;
  const alignedTimeoutMs = step["alignedTimeoutMs"];
  return {
    checkpointId,
    triggeredAtMs: Number(step["triggeredAtMs"] ?? 0),
    options: {
      snapshot: isSavepoint
        ? { kind: "SAVEPOINT", format: "CANONICAL", postAction: "NONE" }
        : { kind: "CHECKPOINT" },
      alignment: step["unaligned"] === true ? "UNALIGNED" : "ALIGNED",
      alignedTimeoutMs: alignedTimeoutMs === undefined ? undefined : Number(alignedTimeoutMs),
      targetDirectory: "",
    },
  };
}

function actionAsData(action: BarrierAction, mode: BarrierHandlerMode | "tracker"): unknown {
  const mayBeUnaligned = mode === "unaligned" || mode === "alternating";
  switch (action.kind) {
    case "trigger":
      return {
        trigger: action.barrier.checkpointId,
        ...(mayBeUnaligned ? { unaligned: action.isUnaligned } : {}),
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
