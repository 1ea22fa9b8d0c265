import { MIN_TIMESTAMP } from "../../../base/index.ts";
import {
  type Collector,
  type KeyedCoProcessFunction,
  keyedCoProcessOperator,
  type KeyedProcessContext,
  type KeyedProcessFunction,
  keyedProcessOperator,
  type OnTimerContext,
} from "../../../operators/index.ts";
import { Types } from "../../../serde/index.ts";
import type { ValueState } from "../../../state/index.ts";
import type { HarnessSetup } from "../../operator-harness.ts";
import type { Fields } from "../fields.ts";
import { OperatorScenario } from "../operator-scenario.ts";
import {
  type Program,
  PROGRAM_STATE,
  type ProgramCall,
  runProgram,
  toProgram,
} from "../process-program.ts";
import type { ScenarioKind } from "../scenario-kind.ts";

export const keyedProcessKind: ScenarioKind = {
  kind: "keyed-process",
  start(config) {
    const programs = config.object("program");
    const onElement = toProgram(programs.any("onElement"));
    const onTimer = toProgram(programs.any("onTimer"));
    programs.done();
    const factory = keyedProcessOperator(() => new ProgramFunction(onElement, [], onTimer));
    return start({ factory, ...parallelismOf(config) });
  },
};

export const keyedCoProcessKind: ScenarioKind = {
  kind: "keyed-co-process",
  start(config) {
    const programs = config.object("program");
    const onElement1 = toProgram(programs.any("onElement1"));
    const onElement2 = toProgram(programs.any("onElement2"));
    const onTimer = toProgram(programs.any("onTimer"));
    programs.done();
    const make = (): ProgramFunction => new ProgramFunction(onElement1, onElement2, onTimer);
    return start({
      factory: keyedCoProcessOperator(make),
      inputCount: 2,
      ...parallelismOf(config),
    });
  },
};

function start(setup: Omit<HarnessSetup<string>, "keyType">): Promise<OperatorScenario<string>> {
  return OperatorScenario.start<string>({
    setup: { ...setup, keyType: Types.string() },
    act(step, harness) {
      const input = step.number("input", 1) === 2 ? 2 : 1;
      const timestamp = step.time("timestamp", MIN_TIMESTAMP);
      harness.processElement(step.text("element"), timestamp, { key: step.text("key"), input });
    },
  });
}

/** Parallelism, and the names of side outputs, which need no declaration here. */
export function parallelismOf(
  config: Fields,
): Pick<HarnessSetup<unknown>, "parallelism" | "maxParallelism"> {
  config.any("sideOutputs");
  return {
    parallelism: config.number("parallelism", 1),
    maxParallelism: config.number("maxParallelism", 128),
  };
}

class ProgramFunction
  implements
    KeyedProcessFunction<string, string, string>,
    KeyedCoProcessFunction<string, string, string, string>
{
  readonly #onElement1: Program;
  readonly #onElement2: Program;
  readonly #onTimer: Program;
  #state: ValueState<string> | undefined;

  constructor(onElement1: Program, onElement2: Program, onTimer: Program) {
    this.#onElement1 = onElement1;
    this.#onElement2 = onElement2;
    this.#onTimer = onTimer;
  }

  open(context: { getState(descriptor: typeof PROGRAM_STATE): ValueState<string> }): void {
    this.#state = context.getState(PROGRAM_STATE);
  }

  processElement(
    value: string,
    context: KeyedProcessContext<string>,
    out: Collector<string>,
  ): void {
    this.processElement1(value, context, out);
  }

  processElement1(
    value: string,
    context: KeyedProcessContext<string>,
    out: Collector<string>,
  ): void {
    runProgram(this.#onElement1, this.#call(context, out, value));
  }

  processElement2(
    value: string,
    context: KeyedProcessContext<string>,
    out: Collector<string>,
  ): void {
    runProgram(this.#onElement2, this.#call(context, out, value));
  }

  onTimer(timestamp: number, context: OnTimerContext<string>, out: Collector<string>): void {
    const domain = context.timeDomain() === "EVENT_TIME" ? "event" : "processing";
    const call = this.#call(context, out, undefined);
    runProgram(this.#onTimer, { ...call, timer: { timestamp, domain } });
  }

  #call(
    context: KeyedProcessContext<string>,
    out: Collector<string>,
    value: string | undefined,
  ): ProgramCall {
    const timers = context.timerService();
    return {
      value,
      key: context.getCurrentKey(),
      timestamp: context.timestamp(),
      watermark: timers.currentWatermark(),
      processingTime: timers.currentProcessingTime(),
      timer: undefined,
      state: () => {
        if (this.#state === undefined) throw new Error("The function was not opened");
        return this.#state;
      },
      timers,
      out,
      output: (tag, text) => context.output(tag, text),
      broadcast: undefined,
      writableBroadcast: undefined,
      keyedStates: undefined,
    };
  }
}
