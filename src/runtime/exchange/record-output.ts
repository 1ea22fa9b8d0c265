import type { Partitioner } from "../../graph/index.ts";
import type { Output, WatermarkStatus } from "../../operators/index.ts";
import { keyHash, type KeyKind } from "../../serde/index.ts";
import { murmurHash } from "../../state/index.ts";
import type { ChannelWriter } from "./channel.ts";
import { DirectGate, type DirectInput } from "./direct-gate.ts";
import type { FlowControl } from "./flow-control.ts";
import type { RecordBatch } from "./record-batch.ts";
import type { ControlElement } from "./stream-element.ts";

/**
 * The end of a chain: spreads the records of one edge over its channels.
 *
 * @remarks
 * This module is imported once per edge, so that its loops keep the type feedback of that edge's records alone
 * (docs/decisions/0001-own-module-instance-per-operator.md).
 */
export interface RecordOutput extends Output<unknown> {
  /** Sends what is collected so far. @returns True if that was anything. */
  flush(): boolean;
  /** Sends what is collected so far and then the element, to every channel. */
  broadcast(element: ControlElement): void;
  /** Records sent, or on their way into a batch; those of a broadcast count once per channel. */
  readonly recordCount: number;
}

/** What an output is made of. */
export interface RecordOutputParameters {
  readonly channels: readonly ChannelWriter[];
  readonly flow: FlowControl;
  readonly partitioner: Partitioner;
  /** Of the vertex downstream. */
  readonly maxParallelism: number;
  readonly random: () => number;
  /** How many records its operator has emitted to it: what goes into one channel is not counted again. */
  readonly emittedCount: () => number;
  /** Wraps an error of the user's key selector or partitioner. */
  readonly userError: (method: string, record: unknown, error: unknown) => unknown;
}

type KeyedPartitioner = Partitioner & { readonly kind: "hash" };

/** Where this module lies. */
export const moduleUrl: string = import.meta.url;

/** Makes the output for the edge's partitioner. */
export function createRecordOutput(parameters: RecordOutputParameters): RecordOutput {
  const { partitioner, channels, flow, random } = parameters;
  switch (partitioner.kind) {
    case "forward":
    case "global":
      return new SingleOutput(parameters);
    case "rebalance":
      if (channels.length === 1) return new SingleOutput(parameters);
      return new RoundRobinOutput(channels, flow, Math.floor(random() * channels.length));
    case "rescale":
      if (channels.length === 1) return new SingleOutput(parameters);
      return new RoundRobinOutput(channels, flow, channels.length - 1);
    case "shuffle":
      return new ChosenOutput(channels, flow, () => Math.floor(random() * channels.length));
    case "broadcast":
      return channels.length === 1
        ? new SingleOutput(parameters)
        : new CopyingOutput(channels, flow);
    case "custom":
      return new ChosenOutput(channels, flow, chooser(partitioner, parameters));
    case "hash":
      return channels.length === 1
        ? new KeyedSingleOutput(parameters, partitioner)
        : new KeyedOutput(parameters, partitioner);
  }
}

function chooser(
  partitioner: Partitioner & { readonly kind: "custom" },
  { channels, userError }: RecordOutputParameters,
): (value: unknown) => number {
  return (value) => {
    let channel: number;
    try {
      channel = partitioner.partition(partitioner.keySelector(value), channels.length);
    } catch (error) {
      throw userError("partition", value, error);
    }
    if (Number.isInteger(channel) && channel >= 0 && channel < channels.length) return channel;
    throw userError(
      "partition",
      value,
      new RangeError(
        `The partitioner returned ${channel}; a whole number from 0 to ${channels.length - 1} was expected`,
      ),
    );
  };
}

/** Batches that are being filled, one per channel, and what goes to all of them. */
class Batches {
  readonly #channels: readonly ChannelWriter[];
  readonly #flow: FlowControl;
  readonly open: RecordBatch[];
  #sentCount = 0;

  constructor(channels: readonly ChannelWriter[], flow: FlowControl) {
    this.#channels = channels;
    this.#flow = flow;
    this.open = channels.map((channel) => channel.newBatch());
  }

  append(channel: number, value: unknown, timestamp: number): void {
    const batch = this.open[channel] as RecordBatch;
    const at = batch.length;
    batch.values[at] = value;
    batch.timestamps[at] = timestamp;
    batch.length = at + 1;
    if (at + 1 === batch.capacity) this.#send(channel);
  }

  appendKeyed(
    channel: number,
    value: unknown,
    timestamp: number,
    key: unknown,
    hash: number,
  ): void {
    const batch = this.open[channel] as RecordBatch;
    (batch.keys as unknown[])[batch.length] = key;
    (batch.hashes as Int32Array)[batch.length] = hash;
    this.append(channel, value, timestamp);
  }

  /** Records that have gone into batches. */
  get recordCount(): number {
    return this.open.reduce((sum, { length }) => sum + length, this.#sentCount);
  }

  flush(): boolean {
    let sent = false;
    for (let index = 0; index < this.open.length; index++) {
      if ((this.open[index] as RecordBatch).length === 0) continue;
      this.#send(index);
      sent = true;
    }
    return sent;
  }

  processWatermark(timestamp: number): void {
    this.broadcast({ kind: "watermark", timestamp });
  }

  processWatermarkStatus(status: WatermarkStatus): void {
    this.broadcast({ kind: "status", status });
  }

  broadcast(element: ControlElement): void {
    this.flush();
    for (const channel of this.#channels) channel.sendControl(element);
  }

  #send(index: number): void {
    const channel = this.#channels[index] as ChannelWriter;
    const batch = this.open[index] as RecordBatch;
    this.#sentCount += batch.length;
    channel.sendBatch(batch);
    this.open[index] = channel.newBatch();
    if (!channel.hasRoom()) this.#flow.isFull = true;
  }
}

/** Into the one channel there is, or past it while its gate is open. */
class OneChannel extends Batches {
  protected readonly gate: DirectGate;
  readonly #emittedCount: () => number;

  constructor({ channels, flow, emittedCount }: RecordOutputParameters) {
    super(channels, flow);
    this.#emittedCount = emittedCount;
    this.gate = channels[0]?.gate ?? new DirectGate();
    this.gate.openBatch = this;
  }

  override get recordCount(): number {
    return this.#emittedCount();
  }

  get drivenCount(): number {
    return this.#emittedCount() - super.recordCount;
  }

  override processWatermark(timestamp: number): void {
    const input = this.openInput();
    if (input === undefined) return super.processWatermark(timestamp);
    this.drive(input, () => input.watermark(timestamp));
  }

  override processWatermarkStatus(status: WatermarkStatus): void {
    const input = this.openInput();
    if (input === undefined) return super.processWatermarkStatus(status);
    this.drive(input, () => input.status(status));
  }

  hasRecords(): boolean {
    return this.open.some(({ length }) => length > 0);
  }

  private openInput(): DirectInput | undefined {
    const { isClosed, input } = this.gate;
    return !isClosed && input?.flow.isFull === false ? input : undefined;
  }

  private drive(input: DirectInput, action: () => boolean): void {
    try {
      if (!action()) this.gate.isClosed = true;
    } catch (error) {
      this.gate.isClosed = true;
      input.fail(error);
    }
  }
}

/** All records into the first channel. */
class SingleOutput extends OneChannel implements RecordOutput {
  processElement(value: unknown, timestamp: number): void {
    const gate = this.gate;
    const input = gate.input as DirectInput;
    if (gate.isClosed || input.flow.isFull) {
      gate.isClosed = true;
      return this.append(0, value, timestamp);
    }
    try {
      input.target.processElement(value, timestamp);
    } catch (error) {
      gate.isClosed = true;
      input.fail(error);
    }
  }
}

class RoundRobinOutput extends Batches implements RecordOutput {
  #channel: number;

  constructor(channels: readonly ChannelWriter[], flow: FlowControl, last: number) {
    super(channels, flow);
    this.#channel = last;
  }

  processElement(value: unknown, timestamp: number): void {
    const next = this.#channel + 1;
    this.#channel = next === this.open.length ? 0 : next;
    this.append(this.#channel, value, timestamp);
  }
}

class ChosenOutput extends Batches implements RecordOutput {
  readonly #choose: (value: unknown) => number;

  constructor(
    channels: readonly ChannelWriter[],
    flow: FlowControl,
    choose: (value: unknown) => number,
  ) {
    super(channels, flow);
    this.#choose = choose;
  }

  processElement(value: unknown, timestamp: number): void {
    this.append(this.#choose(value), value, timestamp);
  }
}

/** Every record into every channel. */
class CopyingOutput extends Batches implements RecordOutput {
  processElement(value: unknown, timestamp: number): void {
    for (let channel = 0; channel < this.open.length; channel++) {
      this.append(channel, value, timestamp);
    }
  }
}

/** A keyed edge: the key is selected and hashed here, once. */
class KeyedOutput extends Batches implements RecordOutput {
  readonly #maxParallelism: number;
  readonly #select: (value: unknown) => unknown;
  readonly #kind: KeyKind;
  readonly #userError: RecordOutputParameters["userError"];

  constructor(parameters: RecordOutputParameters, keyed: KeyedPartitioner) {
    super(parameters.channels, parameters.flow);
    this.#maxParallelism = parameters.maxParallelism;
    this.#select = keyed.keySelector;
    this.#kind = keyed.keyType.keyKind;
    this.#userError = parameters.userError;
  }

  processElement(value: unknown, timestamp: number): void {
    let key: unknown;
    let hash: number;
    try {
      key = this.#select(value);
      hash = keyHash(key, this.#kind);
    } catch (error) {
      throw this.#userError("keyBy", value, error);
    }
    const keyGroup = murmurHash(hash) % this.#maxParallelism;
    const channel = Math.trunc((keyGroup * this.open.length) / this.#maxParallelism);
    this.appendKeyed(channel, value, timestamp, key, hash);
  }
}

/** A keyed edge to one subtask: no need to find the key group. */
class KeyedSingleOutput extends OneChannel implements RecordOutput {
  readonly #select: (value: unknown) => unknown;
  readonly #kind: KeyKind;
  /** False if a key of the declared kind is its own hash. */
  readonly #isHashed: boolean;
  readonly #userError: RecordOutputParameters["userError"];

  constructor(parameters: RecordOutputParameters, keyed: KeyedPartitioner) {
    super(parameters);
    this.#select = keyed.keySelector;
    this.#kind = keyed.keyType.keyKind;
    this.#isHashed = this.#kind !== "int";
    this.#userError = parameters.userError;
  }

  processElement(value: unknown, timestamp: number): void {
    let key: unknown;
    let hash: number;
    try {
      key = this.#select(value);
      hash =
        !this.#isHashed && typeof key === "number" && (key | 0) === key
          ? key | 0
          : keyHash(key, this.#kind);
    } catch (error) {
      throw this.#userError("keyBy", value, error);
    }
    const gate = this.gate;
    const input = gate.input as DirectInput;
    if (gate.isClosed || input.flow.isFull) {
      gate.isClosed = true;
      return this.appendKeyed(0, value, timestamp, key, hash);
    }
    try {
      input.keyed.setCurrentKey(key, hash);
      input.target.processElement(value, timestamp);
    } catch (error) {
      gate.isClosed = true;
      input.fail(error);
    }
  }
}

/** What this module offers, as an instance of its own has it. */
export interface RecordOutputModule {
  readonly createRecordOutput: typeof createRecordOutput;
}
