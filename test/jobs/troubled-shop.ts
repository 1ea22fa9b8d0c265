import { existsSync } from "node:fs";
import files from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";

import {
  type Collector,
  defineJob,
  generatorSource,
  type KeyedProcessContext,
  type KeyedProcessFunction,
  type Of,
  type RuntimeContext,
  type Sink,
  type SinkWriter,
  Types,
  type ValueState,
  valueState,
  WatermarkStrategy,
} from "cutwater";

/**
 * Totals of orders by customer, with the troubles that a page must show: a customer who orders almost everything, a sink that is slow, a failure.
 *
 * Arguments: folder for what the job is told while it runs, kind of trouble. As long as a file `fail` is in the folder, subtasks of `totals` throw; as long as a
 * file `disk-full` is there, nothing can be written into the directory of a checkpoint.
 */

type Trouble = "none" | "skew" | "slow-sink";

const Order = Types.struct({ customer: Types.string(), amount: Types.double() });
type Order = Of<typeof Order>;

const TOTAL = valueState("total", Types.double());

const ORDERS_PER_SECOND = 2_000;
const CUSTOMERS = 40;
/** Of ten orders so many are the one customer's, if there is skew. */
const HOT_OF_TEN = 9;
/** How long a call to the price list blocks `totals`, once for so many orders. */
const CALL_MS = 20;
const ORDERS_PER_CALL = 20;
/** How long a request to a slow warehouse takes, and for how many orders; no others are taken meanwhile. */
const REQUEST_MS = 40;
const ORDERS_PER_REQUEST = 10;

function customerOf(number: number, trouble: Trouble): string {
  return trouble === "skew" && number % 10 < HOT_OF_TEN
    ? "wholesale"
    : `customer-${Math.floor(number / 10) % CUSTOMERS}`;
}

/** As a call that blocks does: the processor is free meanwhile, so that the trouble is the same on a busy machine. */
function block(durationMs: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, durationMs);
}

/** Makes the disk seem full to the whole process. */
function fillDisk(folder: string): void {
  const { open } = files;
  files.open = async (path, flags, mode) => {
    if (
      flags !== "r" &&
      /\bchk-\d+\//.test(String(path)) &&
      existsSync(join(folder, "disk-full"))
    ) {
      const message = `ENOSPC: no space left on device, open '${String(path)}'`;
      throw Object.assign(new Error(message), { code: "ENOSPC" });
    }
    return open(path, flags, mode);
  };
  syncBuiltinESMExports();
}

class Totals implements KeyedProcessFunction<string, Order, Order> {
  private total: ValueState<number> | undefined = undefined;
  private seen = 0;

  private readonly blocks: boolean;
  private readonly failFile: string;

  constructor(blocks: boolean, failFile: string) {
    this.blocks = blocks;
    this.failFile = failFile;
  }

  open(context: RuntimeContext): void {
    this.total = context.getState(TOTAL);
  }

  processElement(order: Order, _: KeyedProcessContext<string>, out: Collector<Order>): void {
    if (this.seen++ % 200 === 0 && existsSync(this.failFile))
      throw new Error(`no price for the order of ${order.customer}`);
    const amount = (this.total?.value() ?? 0) + order.amount;
    this.total?.update(amount);
    if (this.blocks && this.seen % ORDERS_PER_CALL === 0) block(CALL_MS);
    out.collect({ customer: order.customer, amount });
  }
}

function warehouse(isSlow: boolean): Sink<Order> {
  return {
    name: "warehouse",
    writerStateSerializer: undefined,
    committableSerializer: undefined,
    createWriter(context): SinkWriter<Order, never, never> {
      let waiting = 0;
      const request = (): void => {
        waiting = Math.max(0, waiting - ORDERS_PER_REQUEST);
        if (waiting > 0) context.platform.after(REQUEST_MS, request);
        context.available();
      };
      return {
        isAvailable: () => waiting < ORDERS_PER_REQUEST,
        write() {
          if (isSlow && ++waiting === 1) context.platform.after(REQUEST_MS, request);
        },
        prepareCommit: () => ({ committables: [], durable: undefined }),
        close() {},
      };
    },
  };
}

export default defineJob("troubled-shop", (env, [folder = ".", given = "none"]) => {
  fillDisk(folder);
  const trouble: Trouble = given === "skew" || given === "slow-sink" ? given : "none";
  env
    .fromSource(
      generatorSource(
        (index): Order => ({ customer: customerOf(index, trouble), amount: (index % 90) + 10 }),
        { recordsPerSecond: ORDERS_PER_SECOND, type: Order },
      ),
      WatermarkStrategy.forMonotonousTimestamps<Order>().withTimestampAssigner(() => Date.now()),
      "orders",
    )
    .uid("orders")
    .keyBy("customer")
    .process(() => new Totals(trouble === "skew", join(folder, "fail")), {
      returns: Order,
    })
    .name("totals")
    .uid("totals")
    .rebalance()
    .sinkTo(warehouse(trouble === "slow-sink"))
    .name("warehouse")
    .uid("warehouse");
});
