import {
  type ByteReader,
  type ByteWriter,
  longToTimestamp,
  MalformedBytesError,
  MIN_TIMESTAMP,
  timestampToLong,
} from "../base/index.ts";

/**
 * What goes through a stage in one order: entries of DATA on the way in, of OUT and FLUSHED on the way out.
 *
 * @remarks
 * An entry is the unit of work: when it is counted, all that it caused has been written. `port` is the number of the input, or of the
 * output (0 is the main one, the others are side outputs).
 */
export type StageEntry =
  | StageRecord
  | { readonly kind: "watermark"; readonly watermark: number }
  | { readonly kind: "idle" }
  | { readonly kind: "active" }
  /** The clock of processing time has moved on: timers that are due fire. Only on the way in. */
  | { readonly kind: "tick"; readonly nowMs: number }
  /** An input has ended. After the last one operators finish. Only on the way in. */
  | { readonly kind: "end"; readonly port: number };

export interface StageRecord {
  readonly kind: "record";
  readonly port: number;
  /** Event time, or `MIN_TIMESTAMP` if it has none. */
  readonly timestamp: number;
  /** Undefined where the port is not keyed. */
  readonly key: StageKey | undefined;
  readonly value: Uint8Array;
}

/** A key by its canonical bytes, with the hash that decides its key group. */
export interface StageKey {
  readonly hash: number;
  readonly bytes: Uint8Array;
}

/** Entries as bytes, one after the other. */
export interface EncodedEntries {
  readonly count: number;
  readonly bytes: Uint8Array;
}

const RECORD = 0x52; // R
const WATERMARK = 0x57; // W
const IDLE = 0x49; // I
const ACTIVE = 0x41; // A
const TICK = 0x54; // T
const END = 0x45; // E

const HAS_KEY = 1;
const HAS_TIMESTAMP = 2;

/** Starts a record; its value is written next. @returns What `endRecord` needs. */
export function beginRecord(
  out: ByteWriter,
  port: number,
  timestamp: number,
  key: StageKey | undefined,
): number {
  out.writeByte(RECORD);
  out.writeShort(port);
  const hasTimestamp = timestamp !== MIN_TIMESTAMP;
  out.writeByte((key === undefined ? 0 : HAS_KEY) | (hasTimestamp ? HAS_TIMESTAMP : 0));
  if (hasTimestamp) writeTime(timestamp, out);
  if (key !== undefined) {
    out.writeInt(key.hash);
    writeCounted(key.bytes, out);
  }
  out.writeInt(0);
  return out.length;
}

export function endRecord(out: ByteWriter, at: number): void {
  out.setInt(at - 4, out.length - at);
}

export function writeEntry(entry: StageEntry, out: ByteWriter): void {
  switch (entry.kind) {
    case "record": {
      const at = beginRecord(out, entry.port, entry.timestamp, entry.key);
      out.writeBytes(entry.value);
      endRecord(out, at);
      break;
    }
    case "watermark":
      out.writeByte(WATERMARK);
      writeTime(entry.watermark, out);
      break;
    case "idle":
      out.writeByte(IDLE);
      break;
    case "active":
      out.writeByte(ACTIVE);
      break;
    case "tick":
      out.writeByte(TICK);
      writeTime(entry.nowMs, out);
      break;
    case "end":
      out.writeByte(END);
      out.writeShort(entry.port);
      break;
  }
}

/** @throws MalformedBytesError if the bytes are no entry. The value and the key are views into the input. */
export function readEntry(input: ByteReader): StageEntry {
  const at = input.position;
  const kind = input.readUnsignedByte();
  switch (kind) {
    case RECORD:
      return readRecord(input);
    case WATERMARK:
      return { kind: "watermark", watermark: readTime(input) };
    case IDLE:
      return { kind: "idle" };
    case ACTIVE:
      return { kind: "active" };
    case TICK:
      return { kind: "tick", nowMs: readTime(input) };
    case END:
      return { kind: "end", port: input.readUnsignedShort() };
    default:
      throw new MalformedBytesError(`An entry of unknown kind ${kind}`, at);
  }
}

function readRecord(input: ByteReader): StageRecord {
  const port = input.readUnsignedShort();
  const flags = input.readUnsignedByte();
  const timestamp = (flags & HAS_TIMESTAMP) === 0 ? MIN_TIMESTAMP : readTime(input);
  const key =
    (flags & HAS_KEY) === 0 ? undefined : { hash: input.readInt(), bytes: readCounted(input) };
  return { kind: "record", port, timestamp, key, value: readCounted(input) };
}

/** Event time, or processing time: 64 bits; the lowest and the highest stand for the infinities. */
export function writeTime(time: number, out: ByteWriter): void {
  if (Number.isSafeInteger(time)) out.writeLongNumber(time);
  else out.writeLong(timestampToLong(time));
}

export function readTime(input: ByteReader): number {
  return longToTimestamp(input.readLong());
}

/** Bytes with their number before them. */
export function writeCounted(bytes: Uint8Array, out: ByteWriter): void {
  out.writeInt(bytes.length);
  out.writeBytes(bytes);
}

export function readCounted(input: ByteReader): Uint8Array {
  const at = input.position;
  const length = input.readInt();
  if (length < 0 || length > input.remaining)
    throw new MalformedBytesError(`${length} bytes announced, ${input.remaining} left`, at);
  return input.readBytes(length);
}
