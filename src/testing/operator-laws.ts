import { MIN_TIMESTAMP } from "../base/index.ts";
import { type HarnessOutput, OperatorHarness, type HarnessSetup } from "./operator-harness.ts";

/** One thing that happens to an operator. */
export type OperatorItem =
  | {
      readonly kind: "element";
      readonly value: unknown;
      readonly timestamp?: number;
      readonly key?: unknown;
      readonly input?: 1 | 2;
    }
  | { readonly kind: "broadcast"; readonly value: unknown; readonly timestamp?: number }
  | { readonly kind: "watermark"; readonly watermark: number; readonly input?: 1 | 2 }
  | { readonly kind: "processing-time"; readonly nowMs: number };

/** An operator and what happens to it, for which all laws must hold. */
export interface OperatorCase {
  readonly name: string;
  readonly setup: HarnessSetup<unknown>;
  readonly items: readonly OperatorItem[];
}

/** How the items of a case are given to the operator. Results must be the same. */
export interface OperatorLaw {
  readonly name: string;
  /** The results of the case, per item and without watermarks, in an order that does not depend on the law. */
  readonly run: (operatorCase: OperatorCase) => Promise<readonly (readonly string[])[]>;
}

/** The results that the laws are compared with: item by item, undisturbed, on one subtask. */
export function undisturbed(operatorCase: OperatorCase): ReturnType<OperatorLaw["run"]> {
  return runItems(operatorCase, 1, {});
}

/**
 * What holds for every operator whose only memory is state.
 *
 * @remarks
 * After a restore the last watermark is sent again, as the sources would.
 */
export const OPERATOR_LAWS: readonly OperatorLaw[] = [
  {
    name: "a snapshot and a restore after each item change nothing",
    run: (operatorCase) => runItems(operatorCase, 1, { restoresAt: () => 1 }),
  },
  {
    name: "neither does another parallelism",
    run: (operatorCase) => runItems(operatorCase, 3, {}),
  },
  {
    name: "nor a restore at another parallelism after each item",
    run: (operatorCase) =>
      runItems(operatorCase, 2, { restoresAt: (item) => 1 + ((item + 1) % 3) }),
  },
  {
    name: "nor an output that is full after each item",
    run: (operatorCase) => runItems(operatorCase, 1, { isOutputFull: true }),
  },
  {
    name: "nor giving all items in one batch to an output that is full",
    run: async (operatorCase) => [await runInOneBatch(operatorCase)],
  },
];

interface Disturbance {
  /** Restores after the item, at this parallelism. */
  readonly restoresAt?: (item: number) => number;
  readonly isOutputFull?: boolean;
}

async function runItems(
  { setup, items }: OperatorCase,
  parallelism: number,
  { restoresAt, isOutputFull }: Disturbance,
): Promise<readonly (readonly string[])[]> {
  let harness = await OperatorHarness.open({ ...setup, parallelism });
  const results: (readonly string[])[] = [];
  const watermarks = new Map<1 | 2 | undefined, number>();
  let nowMs = 0;
  for (const [index, item] of items.entries()) {
    harness.isOutputFull = isOutputFull ?? false;
    give(harness, item);
    while (harness.goOnOneSlice());
    if (item.kind === "watermark") watermarks.set(item.input, item.watermark);
    if (item.kind === "processing-time") nowMs = item.nowMs;
    results.push(inFreeOrder(harness.takeOutput()));
    if (restoresAt === undefined) continue;
    const snapshot = await harness.snapshot(index + 1);
    await harness.close();
    harness = await OperatorHarness.open({ ...setup, parallelism: restoresAt(index) }, snapshot);
    harness.setProcessingTime(nowMs);
    for (const [input, watermark] of watermarks) harness.processWatermark(watermark, input);
    // What a restore itself makes the operator emit belongs to the item before it.
    const emitted = inFreeOrder(harness.takeOutput());
    results[index] = [...(results[index] ?? []), ...emitted].toSorted();
  }
  await harness.close();
  return results;
}

async function runInOneBatch({ setup, items }: OperatorCase): Promise<readonly string[]> {
  const harness = await OperatorHarness.open(setup);
  harness.isOutputFull = true;
  for (const item of items) give(harness, item);
  harness.goOn();
  const results = inFreeOrder(harness.takeOutput());
  await harness.close();
  return results;
}

function give(harness: OperatorHarness<unknown>, item: OperatorItem): void {
  switch (item.kind) {
    case "element": {
      const { value, timestamp = MIN_TIMESTAMP, key, input = 1 } = item;
      harness.processElement(value, timestamp, key === undefined ? { input } : { key, input });
      break;
    }
    case "broadcast":
      harness.broadcast(item.value, item.timestamp);
      break;
    case "watermark":
      harness.processWatermark(item.watermark, item.input);
      break;
    case "processing-time":
      harness.setProcessingTime(item.nowMs);
      break;
  }
}

/** Records and side outputs as texts, sorted: between two items their order over keys is free. */
function inFreeOrder(output: readonly HarnessOutput<unknown>[]): readonly string[] {
  return output
    .flatMap((entry) => {
      if (entry.kind === "watermark" || entry.kind === "status") return [];
      const tag = entry.kind === "side" ? `${entry.tag}: ` : "";
      return [`${tag}${JSON.stringify(entry.value)} @ ${entry.timestamp}`];
    })
    .toSorted();
}
