import { MIN_TIMESTAMP, present } from "../base/index.ts";
import type { TypeSerializer } from "../serde/index.ts";
import { throughBytes } from "../state/index.ts";
import type { HarnessSnapshot } from "./harness-snapshot.ts";
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
  /** What the values of each input are, for executions in which they travel as bytes. */
  readonly inputTypes: readonly TypeSerializer<unknown>[];
  /** The same for side outputs, by tag. Values of the main output describe themselves. */
  readonly sideTypes: Readonly<Record<string, TypeSerializer<unknown>>>;
}

/** All subtasks of an operator in one execution: embedded, portable, or behind a process border. */
export interface DrivenOperator {
  /** While true, the operator gets no turn to go on with work it has left over. */
  setOutputFull(isFull: boolean): void;
  give(item: OperatorItem): void;
  /** Lets it work off what it was given, until nothing is left. */
  goOn(): Promise<void>;
  /** What was emitted since the last call, in order. */
  takeOutput(): readonly HarnessOutput<unknown>[];
  /** Something that the same execution opens again. */
  snapshot(checkpointId: number): Promise<unknown>;
  close(): Promise<void>;
}

/** Starts an operator in one execution. @param snapshot - Of the same execution, at any parallelism. */
export type OpenOperator = (
  operatorCase: OperatorCase,
  parallelism: number,
  snapshot?: unknown,
) => Promise<DrivenOperator>;

/** How the items of a case are given to the operator. Results must be the same. */
export interface OperatorLaw {
  readonly name: string;
  /** The results of the case, per item and without watermarks, in an order that does not depend on the law. */
  readonly run: (
    operatorCase: OperatorCase,
    open?: OpenOperator,
  ) => Promise<readonly (readonly string[])[]>;
}

/** The results that the laws are compared with: item by item, undisturbed, on one subtask. */
export function undisturbed(
  operatorCase: OperatorCase,
  open: OpenOperator = openEmbedded,
): ReturnType<OperatorLaw["run"]> {
  return runItems(operatorCase, open, 1, {});
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
    run: (operatorCase, open = openEmbedded) =>
      runItems(operatorCase, open, 1, { restoresAt: () => 1 }),
  },
  {
    name: "neither does another parallelism",
    run: (operatorCase, open = openEmbedded) => runItems(operatorCase, open, 3, {}),
  },
  {
    name: "nor a restore at another parallelism after each item",
    run: (operatorCase, open = openEmbedded) =>
      runItems(operatorCase, open, 2, { restoresAt: (item) => 1 + ((item + 1) % 3) }),
  },
  {
    name: "nor an output that is full after each item",
    run: (operatorCase, open = openEmbedded) =>
      runItems(operatorCase, open, 1, { isOutputFull: true }),
  },
  {
    name: "nor giving all items in one batch to an output that is full",
    run: async (operatorCase, open = openEmbedded) => [await runInOneBatch(operatorCase, open)],
  },
];

/** The operator in this process, by reference. */
export const openEmbedded: OpenOperator = async ({ setup }, parallelism, snapshot) => {
  const harness = await OperatorHarness.open(
    { ...setup, parallelism },
    snapshot as HarnessSnapshot | undefined,
  );
  return {
    setOutputFull: (isFull) => (harness.isOutputFull = isFull),
    give: (item) => giveToHarness(harness, item),
    goOn: async () => {
      while (harness.goOnOneSlice());
    },
    takeOutput: () => harness.takeOutput(),
    snapshot: (checkpointId) => harness.snapshot(checkpointId),
    close: () => harness.close(),
  };
};

/** The operator in this process, in portable mode: its inputs are copies that went through their types. */
export const openPortable: OpenOperator = async (operatorCase, parallelism, snapshot) => {
  const { setup, inputTypes } = operatorCase;
  const driven = await openEmbedded(
    { ...operatorCase, setup: { ...setup, portable: true } },
    parallelism,
    snapshot,
  );
  const copied = <I extends { readonly value: unknown }>(item: I, port: number): I => {
    const type = present(inputTypes[port], "each input has its type");
    return { ...item, value: throughBytes(type, item.value) };
  };
  return {
    ...driven,
    give(item) {
      if (item.kind === "element") driven.give(copied(item, (item.input ?? 1) - 1));
      else driven.give(item.kind === "broadcast" ? copied(item, 1) : item);
    },
  };
};

interface Disturbance {
  /** Restores after the item, at this parallelism. */
  readonly restoresAt?: (item: number) => number;
  readonly isOutputFull?: boolean;
}

async function runItems(
  operatorCase: OperatorCase,
  open: OpenOperator,
  parallelism: number,
  { restoresAt, isOutputFull }: Disturbance,
): Promise<readonly (readonly string[])[]> {
  let driven = await open(operatorCase, parallelism);
  const results: (readonly string[])[] = [];
  const watermarks = new Map<1 | 2 | undefined, OperatorItem>();
  let nowMs = 0;
  for (const [index, item] of operatorCase.items.entries()) {
    driven.setOutputFull(isOutputFull ?? false);
    driven.give(item);
    await driven.goOn();
    if (item.kind === "watermark") watermarks.set(item.input, item);
    if (item.kind === "processing-time") nowMs = item.nowMs;
    results.push(inFreeOrder(driven.takeOutput()));
    if (restoresAt === undefined) continue;
    const snapshot = await driven.snapshot(index + 1);
    await driven.close();
    driven = await open(operatorCase, restoresAt(index), snapshot);
    driven.give({ kind: "processing-time", nowMs });
    for (const watermark of watermarks.values()) driven.give(watermark);
    await driven.goOn();
    // What a restore itself makes the operator emit belongs to the item before it.
    const emitted = inFreeOrder(driven.takeOutput());
    results[index] = [...(results[index] ?? []), ...emitted].toSorted();
  }
  await driven.close();
  return results;
}

async function runInOneBatch(
  operatorCase: OperatorCase,
  open: OpenOperator,
): Promise<readonly string[]> {
  const driven = await open(operatorCase, 1);
  driven.setOutputFull(true);
  for (const item of operatorCase.items) driven.give(item);
  await driven.goOn();
  const results = inFreeOrder(driven.takeOutput());
  await driven.close();
  return results;
}

/** What an item does to an operator in this process. */
export function giveToHarness(harness: OperatorHarness<unknown>, item: OperatorItem): void {
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
