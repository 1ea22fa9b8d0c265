import { assert, isStreamError, StreamError, unreachable } from "../../../base/index.ts";
import type { CheckpointOptions } from "../../../checkpoint/index.ts";
import type { TypeSerializer } from "../../../serde/index.ts";
import { RecordBatch } from "../record-batch.ts";
import type { ControlElement, StreamElement } from "../stream-element.ts";
import { DictionaryReader, DictionaryWriter } from "./string-dictionary.ts";

/**
 * Elements as frames of bytes: length (4 bytes), kind, content. Records of a frame share one length; timestamps and hashes stand as whole
 * columns in the machine's own byte order, since both ends are of one process.
 */

/** How the records of a channel become bytes. */
export interface ChannelCodec {
  readonly type: TypeSerializer<unknown>;
  /** Of the key that travels along; undefined if the edge is not keyed. */
  readonly keyType: TypeSerializer<unknown> | undefined;
  /** For errors: `Source: words -> Split (1/2)`. */
  readonly edgeName: string;
}

export const FRAME_HEADER_BYTES = 4;

const KINDS = [
  "records",
  "watermark",
  "status",
  "barrier",
  "cancel",
  "end-of-data",
  "end-of-partition",
] as const satisfies readonly StreamElement["kind"][];

/** Encodes the elements of one channel, in order. */
export class ElementEncoder {
  readonly #codec: ChannelCodec;
  readonly #out = new DictionaryWriter(4096);
  /** Set once a record did not fit: the dictionaries of the two ends may differ from then on. */
  #failure: { readonly error: unknown } | undefined;

  constructor(codec: ChannelCodec) {
    this.#codec = codec;
  }

  /**
   * @returns The frame; valid until the next call.
   * @throws StreamError VALUE_NOT_SERIALIZABLE naming the edge, and from then on at every call.
   */
  records(batch: RecordBatch): Uint8Array {
    const out = this.#begin("records");
    const { length, timestamps, values } = batch;
    out.writeVarint(length);
    out.writeBytes(bytesOf(timestamps, length));
    try {
      if (batch.keys !== undefined) this.#keys(batch, out);
      const { type } = this.#codec;
      for (let index = 0; index < length; index++) type.write(values[index], out);
    } catch (error) {
      this.#failure = { error: this.#located(error) };
      throw this.#failure.error;
    }
    return this.#end();
  }

  /** @returns The frame; valid until the next call. */
  control(element: ControlElement): Uint8Array {
    const out = this.#begin(element.kind);
    switch (element.kind) {
      case "watermark":
        out.writeDouble(element.timestamp);
        break;
      case "status":
        out.writeBoolean(element.status === "ACTIVE");
        break;
      case "barrier":
        out.forget();
        out.writeVarint(element.barrier.checkpointId);
        out.writeDouble(element.barrier.triggeredAtMs);
        out.writeString(JSON.stringify(element.barrier.options));
        break;
      case "cancel":
        out.writeVarint(element.checkpointId);
        break;
      case "end-of-data":
        out.writeBoolean(element.drain);
        break;
      case "end-of-partition":
        break;
      default:
        return unreachable(element);
    }
    return this.#end();
  }

  #keys({ keys, hashes, length }: RecordBatch, out: DictionaryWriter): void {
    const { keyType } = this.#codec;
    assert(
      keyType !== undefined && keys !== undefined && hashes !== undefined,
      "a batch has keys if its edge has",
    );
    out.writeBytes(bytesOf(hashes, length));
    for (let index = 0; index < length; index++) keyType.write(keys[index], out);
  }

  #begin(kind: StreamElement["kind"]): DictionaryWriter {
    if (this.#failure !== undefined) throw this.#failure.error;
    const out = this.#out;
    out.reset();
    out.writeInt(0);
    out.writeByte(KINDS.indexOf(kind));
    return out;
  }

  #end(): Uint8Array {
    this.#out.setInt(0, this.#out.length - FRAME_HEADER_BYTES);
    return this.#out.view();
  }

  #located(error: unknown): unknown {
    if (!isStreamError(error, "VALUE_NOT_SERIALIZABLE")) return error;
    const where = error.details.where ?? `the edge from ${this.#codec.edgeName}`;
    return new StreamError("VALUE_NOT_SERIALIZABLE", { ...error.details, where }, error.cause);
  }
}

/** Decodes the frames of one channel, in order. */
export class ElementDecoder {
  readonly #codec: ChannelCodec;
  readonly #entries: string[] = [];
  readonly #batchSize: number;
  readonly #pool: RecordBatch[] = [];

  /** @param batchSize - Records of a full batch, as the sender has it. */
  constructor(codec: ChannelCodec, batchSize: number) {
    this.#codec = codec;
    this.#batchSize = batchSize;
  }

  /** @param frame - Without its length; used no more after the call. */
  decode(frame: Uint8Array, length: number): StreamElement {
    const input = new DictionaryReader(frame, length, this.#entries);
    const kind = KINDS[input.readByte()];
    assert(kind !== undefined, "a frame is of a known kind");
    switch (kind) {
      case "records":
        return this.#records(input);
      case "watermark":
        return { kind, timestamp: input.readDouble() };
      case "status":
        return { kind, status: input.readBoolean() ? "ACTIVE" : "IDLE" };
      case "barrier": {
        this.#entries.length = 0;
        const checkpointId = input.readVarint();
        const triggeredAtMs = input.readDouble();
        const options = JSON.parse(input.readString()) as CheckpointOptions;
        return { kind, barrier: { checkpointId, triggeredAtMs, options } };
      }
      case "cancel":
        return { kind, checkpointId: input.readVarint() };
      case "end-of-data":
        return { kind, drain: input.readBoolean() };
      case "end-of-partition":
        return { kind };
    }
  }

  recycle(batch: RecordBatch): void {
    batch.length = 0;
    this.#pool.push(batch);
  }

  #records(input: DictionaryReader): RecordBatch {
    const { type, keyType } = this.#codec;
    const length = input.readVarint();
    const batch = this.#newBatch(length);
    bytesOf(batch.timestamps, length).set(input.viewBytes(length * 8));
    if (keyType !== undefined) {
      const keys = batch.keys as unknown[];
      bytesOf(batch.hashes as Int32Array, length).set(input.viewBytes(length * 4));
      for (let index = 0; index < length; index++) keys[index] = keyType.read(input);
    }
    const { values } = batch;
    for (let index = 0; index < length; index++) values[index] = type.read(input);
    batch.length = length;
    return batch;
  }

  #newBatch(length: number): RecordBatch {
    const pooled = this.#pool.pop();
    if (pooled !== undefined && pooled.capacity >= length) return pooled;
    return new RecordBatch(Math.max(length, this.#batchSize), this.#codec.keyType !== undefined);
  }
}

function bytesOf(column: Float64Array | Int32Array, length: number): Uint8Array {
  return new Uint8Array(column.buffer, column.byteOffset, length * column.BYTES_PER_ELEMENT);
}
