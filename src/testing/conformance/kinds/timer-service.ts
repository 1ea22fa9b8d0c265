import { present } from "../../../base/index.ts";
import type {
  OneInputOperator,
  OperatorFactory,
  OperatorParameters,
  WatermarkStatus,
} from "../../../operators/index.ts";
import { Types } from "../../../serde/index.ts";
import type { InternalTimerService, NamespaceOptions, Triggerable } from "../../../state/index.ts";
import type { OperatorHarness } from "../../operator-harness.ts";
import { compareExactly } from "../comparison.ts";
import { Fields } from "../fields.ts";
import { OperatorScenario } from "../operator-scenario.ts";
import { isObject } from "../scenario.ts";
import type { ScenarioKind } from "../scenario-kind.ts";

export const timerServiceKind: ScenarioKind = {
  kind: "timer-service",
  start(config) {
    const rules = config.has("onFire") ? config.objects("onFire") : [];
    const factory: OperatorFactory<TimerOperator, Fired> = {
      kind: "Timers",
      moduleUrl: import.meta.url,
      create: (_own, parameters) =>
        new TimerOperator(
          rules.map(({ raw }) => raw),
          parameters,
        ),
    };
    return OperatorScenario.start<Fired>({
      setup: {
        factory,
        keyType: Types.string(),
        parallelism: config.number("parallelism", 1),
        maxParallelism: config.number("maxParallelism", 128),
      },
      toEntry: (value) => value as Fired,
      act(step, harness) {
        const key = step.text("key");
        step.readAll();
        harness.processElement(step.raw, 0, { key });
      },
      check: (name, expected, harness) =>
        name === "expectTimers" ? checkTimers(expected, harness) : `${name} is not known`,
    });
  },
};

type Fired = Readonly<Record<string, unknown>>;

function checkTimers(expected: unknown, harness: OperatorHarness<Fired>): string | undefined {
  if (!isObject(expected)) return "`expectTimers` is no object";
  const services = harness.operators.map((operator) => (operator as TimerOperator).service());
  const sum = (count: (service: InternalTimerService<string>) => number): number =>
    services.reduce((total, service) => total + count(service), 0);
  return compareExactly(expected, {
    event: sum((service) => service.eventTimerCount()),
    processing: sum((service) => service.processingTimerCount()),
  });
}

const NAMESPACE: NamespaceOptions<string> = {
  type: Types.string(),
  identity: (name) => name,
  layout: "key-major",
};

const MATCHERS = ["domain", "time", "key", "namespace"];

/** Takes steps that register and delete timers, and emits what fires. */
class TimerOperator
  implements OneInputOperator<Readonly<Record<string, unknown>>>, Triggerable<string>
{
  readonly #rules: readonly Readonly<Record<string, unknown>>[];
  readonly #parameters: OperatorParameters<Fired>;
  #service: InternalTimerService<string> | undefined;

  constructor(
    rules: readonly Readonly<Record<string, unknown>>[],
    parameters: OperatorParameters<Fired>,
  ) {
    this.#rules = rules;
    this.#parameters = parameters;
  }

  initializeState(): void {
    const keyed = present(this.#parameters.context.keyed, "the harness is keyed");
    this.#service = keyed.timerService("timers", NAMESPACE, this);
  }

  service(): InternalTimerService<string> {
    return present(this.#service, "the operator was opened");
  }

  processElement(step: Readonly<Record<string, unknown>>): void {
    const fields = new Fields(step, "step");
    fields.text("key");
    this.#act(fields, fields.text("namespace"));
  }

  processWatermark(watermark: number): void {
    this.service().advanceWatermark(watermark);
    this.#parameters.output.processWatermark(watermark);
  }

  processWatermarkStatus(status: WatermarkStatus): void {
    this.#parameters.output.processWatermarkStatus(status);
  }

  onEventTime(time: number, namespace: string): void {
    this.#fired("event", time, namespace);
  }

  onProcessingTime(time: number, namespace: string): void {
    this.#fired("processing", time, namespace);
  }

  #fired(domain: string, time: number, namespace: string): void {
    const key = this.#parameters.context.keyed?.currentKey;
    this.#parameters.output.processElement({ domain, key, namespace, time }, time);
    for (const rule of this.#rules) {
      const fields = new Fields(rule, "config.onFire");
      const applies =
        (!fields.has("domain") || fields.text("domain") === domain) &&
        (!fields.has("time") || fields.time("time") === time) &&
        (!fields.has("key") || fields.text("key") === key);
      if (applies)
        this.#act(fields, fields.has("namespace") ? fields.text("namespace") : namespace);
    }
  }

  #act(fields: Fields, namespace: string): void {
    const service = this.service();
    const names = Object.keys(fields.raw).filter((name) => !MATCHERS.includes(name));
    for (const name of names) {
      switch (name) {
        case "registerEventTimer":
          service.registerEventTimeTimer(namespace, fields.time(name));
          break;
        case "registerProcessingTimer":
          service.registerProcessingTimeTimer(namespace, fields.time(name));
          break;
        case "deleteEventTimer":
          service.deleteEventTimeTimer(namespace, fields.time(name));
          break;
        case "deleteProcessingTimer":
          service.deleteProcessingTimeTimer(namespace, fields.time(name));
          break;
        default:
          throw fields.fault(name, "known to this runner");
      }
    }
  }
}
