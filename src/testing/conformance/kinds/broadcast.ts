import { MIN_TIMESTAMP } from "../../../base/index.ts";
import {
  type BroadcastContext,
  type BroadcastProcessFunction,
  broadcastProcessOperator,
  type Collector,
  type KeyedBroadcastContext,
  type KeyedBroadcastOnTimerContext,
  type KeyedBroadcastProcessFunction,
  keyedBroadcastProcessOperator,
  type KeyedReadOnlyContext,
  type ReadOnlyContext,
  type RuntimeContext,
} from "../../../operators/index.ts";
import { Types } from "../../../serde/index.ts";
import type { ValueState } from "../../../state/index.ts";
import type { HarnessSetup, OperatorHarness } from "../../operator-harness.ts";
import type { Fields } from "../fields.ts";
import { OperatorScenario } from "../operator-scenario.ts";
import {
  clocksOf,
  type Program,
  PROGRAM_BROADCAST,
  PROGRAM_STATE,
  type ProgramCall,
  runProgram,
  toProgram,
} from "../process-program.ts";
import type { ScenarioKind } from "../scenario-kind.ts";
import { parallelismOf } from "./keyed-process.ts";

interface Programs {
  readonly onElement: Program;
  readonly onBroadcast: Program;
  readonly onTimer: Program;
}

function programsOf(config: Fields): Programs {
  const programs = config.object("program");
  const made = {
    onElement: toProgram(programs.any("onElement")),
    onBroadcast: toProgram(programs.any("onBroadcast")),
    onTimer: toProgram(programs.any("onTimer")),
  };
  programs.done();
  return made;
}

export const keyedBroadcastKind: ScenarioKind = {
  kind: "keyed-broadcast",
  start(config) {
    const programs = programsOf(config);
    const factory = keyedBroadcastProcessOperator(
      () => new KeyedProgram(programs),
      [PROGRAM_BROADCAST as never],
    );
    const setup = { factory, keyType: Types.string(), ...parallelismOf(config) };
    return start(setup, (step, harness, timestamp) =>
      harness.processElement(step.text("element"), timestamp, { key: step.text("key"), input: 1 }),
    );
  },
};

export const broadcastKind: ScenarioKind = {
  kind: "broadcast",
  start(config) {
    const programs = programsOf(config);
    const factory = broadcastProcessOperator(
      () => new PlainProgram(programs),
      [PROGRAM_BROADCAST as never],
    );
    return start({ factory, ...parallelismOf(config) }, (step, harness, timestamp) => {
      step.any("key");
      const subtask = step.number("subtask", 0);
      harness.processElement(step.text("element"), timestamp, { subtask, input: 1 });
    });
  },
};

function start(
  setup: HarnessSetup<string>,
  takeElement: (step: Fields, harness: OperatorHarness<string>, timestamp: number) => void,
): Promise<OperatorScenario<string>> {
  return OperatorScenario.start<string>({
    setup: { ...setup, inputCount: 2 },
    act(step, harness) {
      const timestamp = step.time("timestamp", MIN_TIMESTAMP);
      if (step.has("broadcast")) harness.broadcast(step.text("broadcast"), timestamp);
      else takeElement(step, harness, timestamp);
    },
  });
}

class KeyedProgram implements KeyedBroadcastProcessFunction<string, string, string, string> {
  readonly #programs: Programs;
  #state: ValueState<string> | undefined;

  constructor(programs: Programs) {
    this.#programs = programs;
  }

  open(context: RuntimeContext): void {
    this.#state = context.getState(PROGRAM_STATE);
  }

  processElement(
    value: string,
    context: KeyedReadOnlyContext<string>,
    out: Collector<string>,
  ): void {
    runProgram(this.#programs.onElement, this.#keyedCall(context, out, value));
  }

  processBroadcastElement(
    value: string,
    context: KeyedBroadcastContext<string>,
    out: Collector<string>,
  ): void {
    const states = context.getBroadcastState(PROGRAM_BROADCAST);
    runProgram(this.#programs.onBroadcast, {
      ...clocksOf(context),
      value,
      key: undefined,
      timer: undefined,
      state: () => this.#keyedState(),
      timers: undefined,
      out,
      output: (tag, text) => context.output(tag, text),
      broadcast: states,
      writableBroadcast: states,
      keyedStates: () => {
        const all: (readonly [string, string])[] = [];
        context.applyToKeyedState(PROGRAM_STATE, (key, state) => {
          all.push([key, state.value() ?? "null"]);
        });
        return all;
      },
    });
  }

  onTimer(
    timestamp: number,
    context: KeyedBroadcastOnTimerContext<string>,
    out: Collector<string>,
  ): void {
    const domain = context.timeDomain() === "EVENT_TIME" ? "event" : "processing";
    const call = this.#keyedCall(context, out, undefined);
    runProgram(this.#programs.onTimer, { ...call, timer: { timestamp, domain } });
  }

  #keyedCall(
    context: KeyedReadOnlyContext<string>,
    out: Collector<string>,
    value: string | undefined,
  ): ProgramCall {
    return {
      ...clocksOf(context),
      value,
      key: context.getCurrentKey(),
      timer: undefined,
      state: () => this.#keyedState(),
      timers: context.timerService(),
      out,
      output: (tag, text) => context.output(tag, text),
      broadcast: context.getBroadcastState(PROGRAM_BROADCAST),
      writableBroadcast: undefined,
      keyedStates: undefined,
    };
  }

  #keyedState(): ValueState<string> {
    if (this.#state === undefined) throw new Error("The function was not opened");
    return this.#state;
  }
}

class PlainProgram implements BroadcastProcessFunction<string, string, string> {
  readonly #programs: Programs;
  #runtime: RuntimeContext | undefined;

  constructor(programs: Programs) {
    this.#programs = programs;
  }

  open(context: RuntimeContext): void {
    this.#runtime = context;
  }

  processElement(value: string, context: ReadOnlyContext, out: Collector<string>): void {
    runProgram(this.#programs.onElement, {
      ...this.#call(context, out, value),
      broadcast: context.getBroadcastState(PROGRAM_BROADCAST),
      writableBroadcast: undefined,
    });
  }

  processBroadcastElement(value: string, context: BroadcastContext, out: Collector<string>): void {
    const states = context.getBroadcastState(PROGRAM_BROADCAST);
    runProgram(this.#programs.onBroadcast, {
      ...this.#call(context, out, value),
      broadcast: states,
      writableBroadcast: states,
    });
  }

  #call(
    context: ReadOnlyContext | BroadcastContext,
    out: Collector<string>,
    value: string,
  ): Omit<ProgramCall, "broadcast" | "writableBroadcast"> {
    return {
      ...clocksOf(context),
      value,
      key: undefined,
      timer: undefined,
      state: () => {
        if (this.#runtime === undefined) throw new Error("The function was not opened");
        return this.#runtime.getState(PROGRAM_STATE);
      },
      timers: undefined,
      out,
      output: (tag, text) => context.output(tag, text),
      keyedStates: undefined,
    };
  }
}
