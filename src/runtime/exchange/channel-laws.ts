import type { CheckpointBarrier } from "../../checkpoint/index.ts";
import type { ChannelReader, ChannelWriter } from "./channel.ts";
import type { ControlElement } from "./stream-element.ts";

/** Both ends of a channel under test. */
export interface ChannelEnds {
  readonly writer: ChannelWriter;
  readonly reader: ChannelReader;
}

/** One step of a test: what is sent, or that one element is taken. */
export type ChannelStep =
  | { readonly kind: "records"; readonly values: readonly unknown[] }
  | { readonly kind: "control"; readonly element: ControlElement }
  | { readonly kind: "take" };

/** What a channel gave, as text that can be compared. Records of one batch may come in several, so each stands alone. */
export type TakenElement = { readonly value: unknown } | { readonly control: ControlElement };

/** Sends one batch; `timestamp` and key of a record are made of its place. */
export function sendRecords(writer: ChannelWriter, values: readonly unknown[]): void {
  let batch = writer.newBatch();
  for (const value of values) {
    const at = batch.length;
    batch.values[at] = value;
    batch.timestamps[at] = timestampOf(value);
    if (batch.keys !== undefined && batch.hashes !== undefined) {
      batch.keys[at] = String(value);
      batch.hashes[at] = String(value).length - 7;
    }
    batch.length = at + 1;
    if (batch.length < batch.capacity) continue;
    writer.sendBatch(batch);
    batch = writer.newBatch();
  }
  if (batch.length > 0) writer.sendBatch(batch);
}

function timestampOf(value: unknown): number {
  return typeof value === "number" ? value * 1000 : Number.NEGATIVE_INFINITY;
}

/** Takes the element in front, if any, and checks that all that belongs to a record has come along. */
export function takeElement(reader: ChannelReader): readonly TakenElement[] | undefined {
  const element = reader.peek();
  if (element === undefined) return undefined;
  reader.drop();
  if (element.kind !== "records") return [{ control: element }];
  const taken = element.values.slice(0, element.length).map((value, at): TakenElement => {
    const hasKey = element.keys === undefined || element.keys[at] === String(value);
    const hasHash = element.hashes === undefined || element.hashes[at] === String(value).length - 7;
    if (element.timestamps[at] !== timestampOf(value) || !hasKey || !hasHash) {
      throw new Error(`Timestamp, key or hash of ${String(value)} is not that which was sent`);
    }
    return { value };
  });
  reader.recycle(element);
  return taken;
}

/** What must hold of every kind of channel, as data: each law throws if it does not. */
export interface ChannelLaw {
  readonly name: string;
  readonly check: (create: () => ChannelEnds, steps: readonly ChannelStep[]) => void;
}

const BARRIER: CheckpointBarrier = {
  checkpointId: 4,
  triggeredAtMs: 1,
  options: {
    snapshot: { kind: "CHECKPOINT" },
    alignment: "UNALIGNED",
    alignedTimeoutMs: undefined,
    targetDirectory: "/chk-4",
  },
};

export const CHANNEL_LAWS: readonly ChannelLaw[] = [
  {
    name: "gives back in order what was sent, whatever was sent and taken in between",
    check(create, steps) {
      const { writer, reader } = create();
      const sent: TakenElement[] = [];
      const taken: TakenElement[] = [];
      for (const step of steps) {
        if (step.kind === "records") {
          sendRecords(writer, step.values);
          sent.push(...step.values.map((value) => ({ value })));
        } else if (step.kind === "control") {
          writer.sendControl(step.element);
          sent.push({ control: step.element });
        } else taken.push(...(takeElement(reader) ?? []));
      }
      for (
        let next = takeAny({ writer, reader });
        next !== undefined;
        next = takeAny({ writer, reader })
      )
        taken.push(...next);
      requireEqual(taken, sent);
    },
  },
  {
    name: "counts the records that wait",
    check(create, steps) {
      const { writer, reader } = create();
      let waiting = 0;
      for (const step of steps) {
        if (step.kind === "records") {
          sendRecords(writer, step.values);
          waiting += step.values.length;
        } else if (step.kind === "take") {
          waiting -= (takeElement(reader) ?? []).filter((element) => "value" in element).length;
        }
        requireEqual(reader.queuedRecords(), waiting);
      }
    },
  },
  {
    name: "has no room after much was sent and nothing taken, and has room when all is taken",
    check(create) {
      const { writer, reader } = create();
      let count = 0;
      while (writer.hasRoom() && count < 1_000_000) sendRecords(writer, [count++]);
      requireEqual(writer.hasRoom(), false);
      while (takeAny({ writer, reader }) !== undefined);
      requireEqual(writer.hasRoom(), true);
    },
  },
  {
    name: "takes a barrier beyond its bound, behind what was sent before",
    check(create) {
      const { writer, reader } = create();
      while (writer.hasRoom()) sendRecords(writer, [1]);
      writer.sendControl({ kind: "cancel", checkpointId: 7 });
      let last: readonly TakenElement[] | undefined;
      for (
        let next = takeAny({ writer, reader });
        next !== undefined;
        next = takeAny({ writer, reader })
      )
        last = next;
      requireEqual(last, [{ control: { kind: "cancel", checkpointId: 7 } }]);
    },
  },
  {
    name: "lets a barrier overtake all that was sent before it, which stays in order",
    check(create, steps) {
      const { writer, reader } = create();
      const values = steps.flatMap((step) => (step.kind === "records" ? step.values : []));
      for (const value of values) sendRecords(writer, [value]);
      if (values.length > 0) takeAny({ writer, reader });
      writer.sendControl({ kind: "barrier", barrier: BARRIER });
      sendRecords(writer, ["behind"]);
      for (let turn = 0; reader.barriers?.().length === 0; turn++) {
        if (turn > 10_000) throw new Error("The barrier never comes in");
        writer.hasRoom();
      }
      const overtaken = reader.overtake?.(BARRIER.checkpointId) ?? [];
      const found = overtaken.flatMap((element) =>
        element.kind === "records" ? element.values.slice(0, element.length) : [],
      );
      requireEqual(found, values.slice(1));
      const left: TakenElement[] = [];
      for (
        let next = takeAny({ writer, reader });
        next !== undefined;
        next = takeAny({ writer, reader })
      )
        left.push(...next);
      requireEqual(
        left,
        [...values.slice(1), "behind"].map((value) => ({ value })),
      );
    },
  },
  {
    name: "has no room for ever more records however many barriers overtake them",
    check(create) {
      const { writer, reader } = create();
      let sent = 0;
      for (let checkpointId = 1; checkpointId <= 20; checkpointId++) {
        while (writer.hasRoom() && sent < 1_000_000) sendRecords(writer, [sent++]);
        writer.sendControl({ kind: "barrier", barrier: { ...BARRIER, checkpointId } });
        while (reader.barriers?.().length === 0) writer.hasRoom();
        reader.overtake?.(checkpointId);
      }
      const first = create();
      let room = 0;
      while (first.writer.hasRoom()) sendRecords(first.writer, [room++]);
      if (sent > 4 * room) throw new Error(`${sent} records wait where there is room for ${room}`);
    },
  },
  {
    name: "knows when the receiver has taken the end of data, and not before",
    check(create) {
      const { writer, reader } = create();
      sendRecords(writer, [1]);
      writer.sendControl({ kind: "end-of-data", drain: true });
      takeElement(reader);
      reader.peek();
      requireEqual(writer.isEndOfDataTaken(), false);
      takeElement(reader);
      requireEqual(writer.isEndOfDataTaken(), true);
    },
  },
];

/** Takes the next element; the sender gets its chance to send on what waited for room. */
function takeAny({ writer, reader }: ChannelEnds): readonly TakenElement[] | undefined {
  for (;;) {
    const taken = takeElement(reader);
    if (taken !== undefined) return taken;
    // Pieces of a large frame come one after the other.
    const before = reader.size();
    if (writer.hasRoom() && reader.size() === before && reader.peek() === undefined)
      return undefined;
  }
}

function requireEqual(actual: unknown, expected: unknown): void {
  const [left, right] = [actual, expected].map((value) => JSON.stringify(value));
  if (left !== right) throw new Error(`${left} is not ${right}`);
}
