import { MAX_TIMESTAMP, MIN_TIMESTAMP } from "../../base/index.ts";
import {
  type BroadcastContext,
  type Collector,
  outputTag,
  type OutputTag,
  type ReadOnlyBroadcastState,
  type TimerService,
} from "../../operators/index.ts";
import { Types } from "../../serde/index.ts";
import type {
  BroadcastState,
  MapStateDescriptor,
  ValueState,
  ValueStateDescriptor,
} from "../../state/index.ts";
import { toTime } from "./fields.ts";
import { isObject, ScenarioFault } from "./scenario.ts";

/** The keyed state that all programs have. */
export const PROGRAM_STATE: ValueStateDescriptor<string> = {
  kind: "value",
  name: "state",
  ttl: undefined,
  type: Types.string(),
};

/** The broadcast state that all programs have. */
export const PROGRAM_BROADCAST: MapStateDescriptor<string, string> = {
  kind: "map",
  name: "broadcast",
  ttl: undefined,
  keyType: Types.string(),
  valueType: Types.string(),
};

/** What the actions of a program can reach in one call. What is undefined is refused. */
export interface ProgramCall {
  readonly value: string | undefined;
  readonly key: string | undefined;
  readonly timestamp: number | undefined;
  readonly watermark: number;
  readonly processingTime: number;
  readonly timer:
    | { readonly timestamp: number; readonly domain: "event" | "processing" }
    | undefined;
  /** @throws Anything if there is no keyed state here. */
  readonly state: () => ValueState<string>;
  readonly timers: TimerService | undefined;
  readonly out: Collector<string>;
  readonly output: (tag: OutputTag<string>, value: string) => void;
  readonly broadcast: ReadOnlyBroadcastState<string, string> | undefined;
  readonly writableBroadcast: BroadcastState<string, string> | undefined;
  /** All keys of the subtask with their state. */
  readonly keyedStates: (() => readonly (readonly [string, string])[]) | undefined;
}

type Action = Readonly<Record<string, unknown>>;

/** A list of actions, as `config.program.onElement` gives it. */
export type Program = readonly Action[];

/** @throws ScenarioFault if it is no list of actions. */
export function toProgram(value: unknown): Program {
  if (value === undefined) return [];
  if (!Array.isArray(value) || !value.every(isObject))
    throw new ScenarioFault("A program is no list of actions");
  return value;
}

/** Carries out the actions in order. */
export function runProgram(program: Program, call: ProgramCall): void {
  for (const action of program) runAction(action, call);
}

function runAction(action: Action, call: ProgramCall): void {
  const names = Object.keys(action).filter((name) => name !== "then" && name !== "else");
  if (names.includes("sideOutput")) {
    requireOnly(action, names, ["sideOutput", "emit"]);
    call.output(outputTag<string>(textOf(action["sideOutput"])), filled(action["emit"], call));
    return;
  }
  const [name] = names;
  if (name === undefined || names.length > 1) {
    throw new ScenarioFault(`An action has the fields ${names.join(", ")}`);
  }
  const run = ACTIONS[name];
  if (run === undefined)
    throw new ScenarioFault(`The action \`${name}\` is not known to this runner`);
  run(action[name], call, action);
}

const ACTIONS: Readonly<
  Record<string, (argument: unknown, call: ProgramCall, action: Action) => void>
> = {
  emit: (text, call) => call.out.collect(filled(text, call)),
  registerEventTimer: (when, call) => timersOf(call).registerEventTimeTimer(timeOf(when, call)),
  registerProcessingTimer: (when, call) =>
    timersOf(call).registerProcessingTimeTimer(timeOf(when, call)),
  deleteEventTimer: (when, call) => timersOf(call).deleteEventTimeTimer(timeOf(when, call)),
  deleteProcessingTimer: (when, call) =>
    timersOf(call).deleteProcessingTimeTimer(timeOf(when, call)),
  setState: (text, call) => call.state().update(filled(text, call)),
  clearState: (_, call) => call.state().clear(),
  if: (condition, call, action) =>
    runProgram(toProgram(holds(condition, call) ? action["then"] : action["else"]), call),
  broadcastPut(pair, call) {
    if (!Array.isArray(pair)) throw new ScenarioFault("`broadcastPut` has no pair");
    writable(call).put(filled(pair[0], call), filled(pair[1], call));
  },
  broadcastRemove: (key, call) => writable(call).remove(filled(key, call)),
  emitBroadcastEntries: (prefix, call) =>
    call.out.collect(filled(prefix, call) + joined([...readable(call).entries()])),
  emitBroadcastValue: (key, call) =>
    call.out.collect(readable(call).get(filled(key, call)) ?? "null"),
  emitKeyedStates(prefix, call) {
    if (call.keyedStates === undefined) throw new Error("There is no keyed state here");
    call.out.collect(filled(prefix, call) + joined(call.keyedStates()));
  },
};

function joined(entries: readonly (readonly [string, string])[]): string {
  return entries
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}=${value}`)
    .join(" ");
}

function timersOf(call: ProgramCall): TimerService {
  if (call.timers === undefined) throw new Error("There are no timers here");
  return call.timers;
}

function readable(call: ProgramCall): ReadOnlyBroadcastState<string, string> {
  if (call.broadcast === undefined) throw new Error("There is no broadcast state here");
  return call.broadcast;
}

function writable(call: ProgramCall): BroadcastState<string, string> {
  if (call.writableBroadcast === undefined)
    throw new Error("Broadcast state cannot be written here");
  return call.writableBroadcast;
}

function holds(condition: unknown, call: ProgramCall): boolean {
  if (!isObject(condition)) throw new ScenarioFault("A condition is no object");
  return Object.entries(condition).every(([name, wanted]) => {
    switch (name) {
      case "domain":
        return call.timer?.domain === wanted;
      case "stateIsNull":
        return (call.state().value() === undefined) === wanted;
      case "value":
        return call.value === wanted;
      default:
        throw new ScenarioFault(`The condition \`${name}\` is not known to this runner`);
    }
  });
}

function timeOf(when: unknown, call: ProgramCall): number {
  if (!isObject(when)) {
    const time = toTime(when);
    if (time === undefined) throw new ScenarioFault(`${JSON.stringify(when)} is no time`);
    return time;
  }
  const bases: Readonly<Record<string, number | undefined>> = {
    timestampPlus: call.timestamp,
    watermarkPlus: call.watermark,
    processingTimePlus: call.processingTime,
    timerPlus: call.timer?.timestamp,
  };
  const [name, ...others] = Object.keys(when);
  const base = name === undefined ? undefined : bases[name];
  const added = name === undefined ? undefined : toTime(when[name]);
  if (base === undefined || added === undefined || others.length > 0) {
    throw new ScenarioFault(`${JSON.stringify(when)} is no time here`);
  }
  return base + added;
}

function filled(text: unknown, call: ProgramCall): string {
  return textOf(text).replaceAll(/\{(\w+)\}/g, (whole, name: string) => {
    switch (name) {
      case "value":
        return call.value ?? "null";
      case "key":
        return call.key ?? "null";
      case "timestamp":
        return timeText(call.timestamp);
      case "watermark":
        return timeText(call.watermark);
      case "processingTime":
        return timeText(call.processingTime);
      case "state":
        return call.state().value() ?? "null";
      case "timerTimestamp":
        return timeText(call.timer?.timestamp);
      case "domain":
        return call.timer?.domain ?? "null";
      default:
        throw new ScenarioFault(`${whole} is not known to this runner`);
    }
  });
}

function timeText(time: number | undefined): string {
  if (time === undefined) return "null";
  if (time === MIN_TIMESTAMP) return "-9223372036854775808";
  return time === MAX_TIMESTAMP ? "9223372036854775807" : String(time);
}

function textOf(value: unknown): string {
  if (typeof value !== "string") throw new ScenarioFault(`${JSON.stringify(value)} is no text`);
  return value;
}

function requireOnly(action: Action, names: readonly string[], known: readonly string[]): void {
  if (names.length === known.length && known.every((name) => names.includes(name))) return;
  throw new ScenarioFault(`The action ${JSON.stringify(action)} is not known to this runner`);
}

/** The broadcast context's part of a call. */
export function clocksOf(
  context: Pick<BroadcastContext, "timestamp" | "currentWatermark" | "currentProcessingTime">,
): Pick<ProgramCall, "timestamp" | "watermark" | "processingTime"> {
  return {
    timestamp: context.timestamp(),
    watermark: context.currentWatermark(),
    processingTime: context.currentProcessingTime(),
  };
}
