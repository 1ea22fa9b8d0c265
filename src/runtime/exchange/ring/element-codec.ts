import { assert, isStreamError, StreamError, unreachable } from "../../../base/index.ts";
import type { CheckpointOptions } from "../../../checkpoint/index.ts";
import { ColumnSerializer, type TypeSerializer } from "../../../serde/index.ts";
import { RecordBatch } from "../record-batch.ts";
import type { ControlElement, StreamElement } from "../stream-element.ts";
import { DictionaryReader, DictionaryWriter } from "./string-dictionary.ts";

/**
 * Elements as frames of bytes: length of the content, 4 bytes that say nothing, kind, content, and what fills up to 8 bytes. Records of a
 * frame share one length; timestamps, hashes and numbers stand as whole columns in the machine's own byte order, since both ends are of one
 * process.
 *
 * Shared memory is copied word by word if both sides are aligned, and byte by byte otherwise, eight times as slow: so every frame is a
 * whole number of words.
 */

/** How the records of a channel become bytes. */
export interface ChannelCodec {
  readonly type: TypeSerializer<unknown>;
  /** Of the key that travels along; undefined if the edge is not keyed. */
  readonly keyType: TypeSerializer<unknown> | undefined;
  /** For errors: `Source: words -> Split (1/2)`. */
  readonly edgeName: string;
}

export const FRAME_HEADER_BYTES = 8;

/** The length of the content, from the frame's header. */
export function contentBytesOf(frame: Uint8Array): number {
  const byteAt = (index: number): number => frame[index] ?? 0;
  return (byteAt(0) << 24) | (byteAt(1) << 16) | (byteAt(2) << 8) | byteAt(3);
}

/** Bytes that this much content takes up with what fills its last word. */
export function filledBytes(contentBytes: number): number {
  return (contentBytes + 7) & ~7;
}

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
  readonly #edgeName: string;
  readonly #values: ColumnSerializer;
  readonly #keys: KeyColumns | undefined;
  readonly #out = new DictionaryWriter(4096);
  /** Set once a record did not fit: the dictionaries of the two ends may differ from then on. */
  #failure: { readonly error: unknown } | undefined;

  constructor({ edgeName, type, keyType }: ChannelCodec) {
    this.#edgeName = edgeName;
    this.#values = new ColumnSerializer(type);
    this.#keys = keyType && new KeyColumns(keyType);
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
      this.#keys?.write(batch, out);
      this.#values.write(values, length, out);
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

  #begin(kind: StreamElement["kind"]): DictionaryWriter {
    if (this.#failure !== undefined) throw this.#failure.error;
    const out = this.#out;
    out.reset();
    out.skip(FRAME_HEADER_BYTES);
    out.writeByte(KINDS.indexOf(kind));
    return out;
  }

  #end(): Uint8Array {
    const out = this.#out;
    const contentBytes = out.length - FRAME_HEADER_BYTES;
    out.setInt(0, contentBytes);
    out.skip(filledBytes(contentBytes) - contentBytes);
    return out.view();
  }

  #located(error: unknown): unknown {
    if (!isStreamError(error, "VALUE_NOT_SERIALIZABLE")) return error;
    const where = error.details.where ?? `the edge from ${this.#edgeName}`;
    return new StreamError("VALUE_NOT_SERIALIZABLE", { ...error.details, where }, error.cause);
  }
}

/** Decodes the frames of one channel, in order. */
export class ElementDecoder {
  readonly #values: ColumnSerializer;
  readonly #keys: KeyColumns | undefined;
  readonly #entries: string[] = [];
  /** Where the last frame lay: mostly the next lies there, too. */
  #frame: Uint8Array = new Uint8Array(0);
  #input: DictionaryReader = new DictionaryReader(this.#frame, 0, this.#entries);
  readonly #batchSize: number;
  readonly #pool: RecordBatch[] = [];

  /** @param batchSize - Records of a full batch, as the sender has it. */
  constructor({ type, keyType }: ChannelCodec, batchSize: number) {
    this.#values = new ColumnSerializer(type);
    this.#keys = keyType && new KeyColumns(keyType);
    this.#batchSize = batchSize;
  }

  /** @param frame - Without its length; used no more after the call. */
  decode(frame: Uint8Array, length: number): StreamElement {
    if (frame !== this.#frame) {
      this.#frame = frame;
      this.#input = new DictionaryReader(frame, length, this.#entries);
    }
    const input = this.#input;
    input.restart(length);
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
    const length = input.readVarint();
    const batch = this.#newBatch(length);
    input.readInto(bytesOf(batch.timestamps, length));
    this.#keys?.read(batch, length, input);
    this.#values.read(batch.values, length, input);
    batch.length = length;
    return batch;
  }

  #newBatch(length: number): RecordBatch {
    const pooled = this.#pool.pop();
    if (pooled !== undefined && pooled.capacity >= length) return pooled;
    return new RecordBatch(Math.max(length, this.#batchSize), this.#keys !== undefined);
  }
}

/** The keys of a batch and their hashes. The hash of an int is the int itself, and does not travel. */
class KeyColumns {
  readonly #keys: ColumnSerializer;
  readonly #isInt: boolean;

  constructor(keyType: TypeSerializer<unknown>) {
    this.#keys = new ColumnSerializer(keyType);
    this.#isInt = keyType.keyKind === "int";
  }

  write({ keys, hashes, length }: RecordBatch, out: DictionaryWriter): void {
    assert(keys !== undefined && hashes !== undefined, "a batch has keys if its edge has");
    if (!this.#isInt) out.writeBytes(bytesOf(hashes, length));
    this.#keys.write(keys, length, out);
  }

  read({ keys, hashes }: RecordBatch, length: number, input: DictionaryReader): void {
    assert(keys !== undefined && hashes !== undefined, "a batch has keys if its edge has");
    if (!this.#isInt) input.readInto(bytesOf(hashes, length));
    this.#keys.read(keys, length, input);
    if (this.#isInt)
      for (let index = 0; index < length; index++) hashes[index] = keys[index] as number;
  }
}

function bytesOf(column: Float64Array | Int32Array, length: number): Uint8Array {
  return new Uint8Array(column.buffer, column.byteOffset, length * column.BYTES_PER_ELEMENT);
}
