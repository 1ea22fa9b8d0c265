import { assert, present } from "../../base/index.ts";
import type { BarrierHandler } from "../../checkpoint/index.ts";
import type { ChannelReader } from "../exchange/channel.ts";
import type { RecordBatch } from "../exchange/record-batch.ts";
import type { ControlElement, StreamElement } from "../exchange/stream-element.ts";

/** One channel of a task's input. Channels are numbered over all logical inputs, from 0. */
export interface InputChannel {
  readonly reader: ChannelReader;
  /** Logical input of the head operator: 0 or 1. */
  readonly inputIndex: number;
  /** Number of the channel within its logical input. */
  readonly indexInInput: number;
}

/** Something that was in flight when the checkpoint was taken from which the task starts. */
export interface RestoredElement {
  readonly channelIndex: number;
  readonly element: StreamElement;
}

/** What lies in front of a task. */
export type Incoming =
  | { readonly kind: "records"; readonly channelIndex: number; readonly batch: RecordBatch }
  | { readonly kind: "control"; readonly channelIndex: number; readonly element: ControlElement }
  /** Nothing is there, or nothing that may be taken now. */
  | { readonly kind: "nothing" };

const NOTHING: Incoming = { kind: "nothing" };

/**
 * Chooses the channel from which a task takes its next element: in turn, past those that are blocked or empty.
 *
 * Invariants:
 *
 * - T1. A batch that is begun is finished before anything else is taken.
 * - T2. Nothing is taken from a channel that the barrier handler blocks.
 * - T3. What is restored is taken first, from all channels, in its order.
 */
export class TaskInput {
  readonly channels: readonly InputChannel[];
  readonly #handler: BarrierHandler;
  #next = 0;
  #current: number | undefined;
  #openData: number;
  #openChannels: number;
  readonly #endedData: boolean[];
  readonly #ended: boolean[];
  /** The next one last. */
  readonly #restored: RestoredElement[];

  constructor(
    channels: readonly InputChannel[],
    handler: BarrierHandler,
    restored: readonly RestoredElement[] = [],
  ) {
    this.#restored = restored.toReversed();
    this.channels = channels;
    this.#handler = handler;
    this.#openData = channels.length;
    this.#openChannels = channels.length;
    this.#endedData = channels.map(() => false);
    this.#ended = channels.map(() => false);
  }

  /** True once end of data came from every channel. */
  get isDataEnded(): boolean {
    return this.#openData === 0;
  }

  /** True once every channel has ended for good. */
  get isEnded(): boolean {
    return this.#openChannels === 0;
  }

  /** True while something restored waits. */
  get isRestoring(): boolean {
    return this.#restored.length > 0;
  }

  /** The channel of the element that is begun, if one is. */
  get begunChannel(): number | undefined {
    return this.#current;
  }

  /** Looks at what comes next and leaves it there; {@link taken} removes it. */
  next(): Incoming {
    const { channels } = this;
    const restored = this.#restored.at(-1);
    if (restored !== undefined) {
      this.#current = restored.channelIndex;
      return incoming(restored.channelIndex, restored.element);
    }
    if (this.#current !== undefined) return this.#look(this.#current);
    const count = channels.length;
    for (let offset = 0; offset < count; offset++) {
      let index = this.#next + offset;
      if (index >= count) index -= count;
      if (this.#handler.isBlocked(index)) continue;
      const found = this.#look(index);
      if (found.kind === "nothing") continue;
      this.#next = index + 1 === count ? 0 : index + 1;
      this.#current = index;
      return found;
    }
    return NOTHING;
  }

  /** The element that `next` showed is processed. */
  taken(): void {
    if (this.#restored.pop() !== undefined) {
      this.#current = undefined;
      return;
    }
    const channel = this.#channel(present(this.#current, "an element was begun"));
    const element = channel.reader.peek();
    channel.reader.drop();
    this.#current = undefined;
    if (element?.kind === "records") channel.reader.recycle(element);
  }

  /** Takes a barrier out of its place. @returns What lies in front of it, which stays. */
  overtake(channelIndex: number, checkpointId: number): readonly StreamElement[] {
    const restored = this.#restored
      .filter((element) => element.channelIndex === channelIndex)
      .toReversed();
    const { reader } = this.#channel(channelIndex);
    const waiting = present(reader.overtake?.(checkpointId), "the channel knows its barriers");
    return [...restored.map(({ element }) => element), ...waiting];
  }

  endOfData(channelIndex: number): void {
    assert(this.#endedData[channelIndex] === false, "a channel's data ends once");
    this.#endedData[channelIndex] = true;
    this.#openData--;
  }

  endOfPartition(channelIndex: number): void {
    assert(this.#ended[channelIndex] === false, "a channel ends once");
    if (this.#endedData[channelIndex] === false) this.endOfData(channelIndex);
    this.#ended[channelIndex] = true;
    this.#openChannels--;
  }

  /** Records that wait in all channels. */
  queuedRecords(): number {
    return this.channels.reduce((sum, { reader }) => sum + reader.queuedRecords(), 0);
  }

  #look(index: number): Incoming {
    const element = this.#channel(index).reader.peek();
    return element === undefined ? NOTHING : incoming(index, element);
  }

  #channel(index: number): InputChannel {
    return present(this.channels[index], "the channel exists");
  }
}

function incoming(channelIndex: number, element: StreamElement): Incoming {
  return element.kind === "records"
    ? { kind: "records", channelIndex, batch: element }
    : { kind: "control", channelIndex, element };
}
