import {
  type Collector,
  type Counter,
  defineJob,
  type FunctionSnapshotContext,
  generatorSource,
  type Histogram,
  type JobDefinition,
  type KeyedProcessContext,
  type KeyedProcessFunction,
  type Meter,
  type ProcessContext,
  type ProcessFunction,
  type RuntimeContext,
  type Sink,
  Types,
  type ValueState,
  valueState,
  WatermarkStrategy,
} from "../../src/index.ts";

const COUNT = valueState("count", Types.long());

/** Fails checkpoint 2, and the whole first attempt a little later. */
class FailingOnce implements ProcessFunction<number, number> {
  private seen = 0;
  private attempt = 0;

  open({ attempt }: RuntimeContext): void {
    this.attempt = attempt;
  }

  processElement(value: number, _context: ProcessContext, out: Collector<number>): void {
    if (this.attempt === 0 && ++this.seen > 500) throw new Error("fails once");
    out.collect(value);
  }

  snapshotState({ checkpointId }: FunctionSnapshotContext): void {
    if (checkpointId === 2) throw new Error("no snapshot");
  }
}

class Counts implements KeyedProcessFunction<number, number, number> {
  private count: ValueState<number> | undefined = undefined;
  private calls: Counter | undefined = undefined;
  private gold: Counter | undefined = undefined;
  private rate: Meter | undefined = undefined;
  private amounts: Histogram | undefined = undefined;
  private latest = 0;

  open(context: RuntimeContext): void {
    this.count = context.getState(COUNT);
    const shop = context.metrics.addGroup("shop");
    this.calls = shop.counter("calls");
    this.rate = shop.meter("rate");
    this.amounts = shop.histogram("amounts");
    shop.gauge("latest", () => this.latest);
    this.gold = shop.addGroup("tier", "gold").counter("hits");
  }

  processElement(
    value: number,
    _context: KeyedProcessContext<number>,
    out: Collector<number>,
  ): void {
    const now = (this.count?.value() ?? 0) + 1;
    this.count?.update(now);
    this.calls?.inc();
    this.gold?.inc();
    this.rate?.markEvent();
    this.amounts?.update(value % 100);
    this.latest = value;
    out.collect(now);
  }
}

/** Throws away what it gets. */
function nowhere(): Sink<number> {
  return {
    name: "nowhere",
    writerStateSerializer: undefined,
    committableSerializer: undefined,
    createWriter: () => ({
      write() {},
      prepareCommit: () => ({ committables: [], durable: undefined }),
      close() {},
    }),
  };
}

/** The same as `test/systems/java/ReferenceJob.java`, whose answers on a real Flink are in `test/golden/rest`. */
export const referenceJob: JobDefinition = defineJob("reference", (env) => {
  env
    .fromSource(
      generatorSource((index) => index, { recordsPerSecond: 200, type: Types.long() }),
      WatermarkStrategy.forBoundedOutOfOrderness<number>("5 ms").withTimestampAssigner(
        (value) => value,
      ),
      "numbers",
    )
    .uid("numbers")
    .process(() => new FailingOnce(), { returns: Types.long() })
    .name("failing-once")
    .uid("failing-once")
    .keyBy((value) => value % 10)
    .process(() => new Counts(), { returns: Types.long() })
    .name("counts")
    .uid("counts")
    .sinkTo(nowhere())
    .name("nowhere")
    .uid("nowhere");
});
