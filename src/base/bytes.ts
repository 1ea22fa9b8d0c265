import { asciiText, NATIVE_TEXT } from "./ascii-text.ts";

/**
 * Big-endian bytes, as Java's `DataOutputStream` and `DataInputStream` write and read them.
 *
 * @remarks
 * 64-bit integers are `bigint` (`writeLong`) or, where the value is a safe integer, `number` (`writeLongNumber`).
 */

/** From this length on a native call writes text faster than a loop. */
const LONG_TEXT_LENGTH = 24;

/** A growing buffer that is written from front to back. */
export class ByteWriter {
  #bytes: Uint8Array;
  #view: DataView;
  #length = 0;

  constructor(initialCapacityBytes = 256) {
    this.#bytes = new Uint8Array(initialCapacityBytes);
    this.#view = new DataView(this.#bytes.buffer);
  }

  /** Bytes written so far. */
  get length(): number {
    return this.#length;
  }

  /** Forgets everything written; keeps the memory. */
  reset(): void {
    this.#length = 0;
  }

  /** Forgets what was written after the first `length` bytes. */
  truncate(length: number): void {
    this.#length = length;
  }

  writeByte(value: number): void {
    const at = this.#reserve(1);
    this.#bytes[at] = value;
  }

  writeBoolean(value: boolean): void {
    this.writeByte(value ? 1 : 0);
  }

  writeShort(value: number): void {
    const at = this.#reserve(2);
    this.#view.setInt16(at, value);
  }

  writeInt(value: number): void {
    const at = this.#reserve(4);
    this.#view.setInt32(at, value);
  }

  writeLong(value: bigint): void {
    const at = this.#reserve(8);
    this.#view.setBigInt64(at, value);
  }

  /** A whole number within ±2^53 as 64 bits. */
  writeLongNumber(value: number): void {
    const at = this.#reserve(8);
    const high = Math.floor(value / 0x1_0000_0000);
    this.#view.setInt32(at, high);
    this.#view.setUint32(at + 4, value - high * 0x1_0000_0000);
  }

  /** There is one NaN, as with `DataOutputStream.writeDouble`. */
  writeDouble(value: number): void {
    const at = this.#reserve(8);
    this.#view.setFloat64(at, value === value ? value : Number.NaN);
  }

  /**
   * Text as Flink's `StringValue` has it: length + 1, then each UTF-16 code unit, as variable-length integers.
   *
   * @remarks
   * ASCII takes one byte for a character; unpaired surrogates survive.
   */
  writeString(text: string): void {
    const length = text.length;
    this.writeVarint(length + 1);
    if (length >= LONG_TEXT_LENGTH && this.#writeLongAscii(text)) return;
    let at = this.#reserve(length);
    let bytes = this.#bytes;
    for (let index = 0; index < length; index++) {
      const unit = text.charCodeAt(index);
      if (unit < 0x80) {
        bytes[at++] = unit;
        continue;
      }
      // Rare: room for the longest form of this and all further units, once.
      if (bytes.length < at + (length - index) * 3) {
        this.#length = at;
        this.#grow(at + (length - index) * 3);
        bytes = this.#bytes;
      }
      if (unit < 0x4000) {
        bytes[at++] = unit | 0x80;
        bytes[at++] = unit >> 7;
      } else {
        bytes[at++] = unit | 0x80;
        bytes[at++] = (unit >> 7) | 0x80;
        bytes[at++] = unit >> 14;
      }
    }
    this.#length = at;
  }

  /**
   * Writes text that may have been written before. @returns A number to be given to {@link ByteReader.readText}; 0 if the text itself was
   * written, as it always is unless a kind of writer remembers.
   */
  writeText(text: string): number {
    this.writeString(text);
    return 0;
  }

  /** Appends the text by one native call if it is ASCII throughout; otherwise nothing counts as written. */
  #writeLongAscii(text: string): boolean {
    const length = text.length;
    // With room for one more character of any size, only ASCII takes exactly as many bytes as it has units.
    const at = this.#reserve(length + 4);
    const isAscii = NATIVE_TEXT.utf8Write.call(this.#bytes, text, at, length + 4) === length;
    this.#length = isAscii ? at + length : at;
    return isAscii;
  }

  writeBytes(data: Uint8Array): void {
    const at = this.#reserve(data.length);
    this.#bytes.set(data, at);
  }

  /** Leaves room for bytes that {@link setBytes} gives later. @returns Where they go. */
  skip(count: number): number {
    return this.#reserve(count);
  }

  /** An unsigned integer below 2^53 in groups of 7 bits, low group first. */
  writeVarint(value: number): void {
    if (value < 0x80) return this.writeByte(value);
    if (value < 0x4000) {
      const at = this.#reserve(2);
      this.#bytes[at] = (value & 0x7f) | 0x80;
      this.#bytes[at + 1] = value >> 7;
      return;
    }
    let rest = value;
    while (rest >= 0x80) {
      this.writeByte((rest % 0x80) | 0x80);
      rest = Math.floor(rest / 0x80);
    }
    this.writeByte(rest);
  }

  /** Overwrites four bytes at an earlier position. */
  setInt(position: number, value: number): void {
    this.#view.setInt32(position, value);
  }

  /** Overwrites bytes at an earlier position. */
  setBytes(position: number, data: Uint8Array): void {
    this.#bytes.set(data, position);
  }

  /** A copy of what was written. */
  toBytes(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  /** What was written, without a copy: valid until the next write. */
  view(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  #reserve(count: number): number {
    const at = this.#length;
    const needed = at + count;
    if (needed > this.#bytes.length) this.#grow(needed);
    this.#length = needed;
    return at;
  }

  #grow(needed: number): void {
    const larger = new Uint8Array(Math.max(needed, this.#bytes.length * 2));
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
    this.#view = new DataView(larger.buffer);
  }
}

/** Thrown by a reader whose input ends too early or is not what it must be. */
export class MalformedBytesError extends Error {
  override readonly name = "MalformedBytesError";
  /** Where in the input, in bytes from its start. */
  readonly positionBytes: number;

  constructor(problem: string, positionBytes: number) {
    super(`${problem} at byte ${positionBytes}`);
    this.positionBytes = positionBytes;
  }
}

/**
 * Reads what {@link ByteWriter} wrote.
 *
 * @throws MalformedBytesError from every `read…` if the input ends before the value does.
 */
export class ByteReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #end: number;
  #position: number;

  constructor(bytes: Uint8Array, position = 0, end: number = bytes.length) {
    // A `Buffer` is seen as what it is beneath: its `slice` makes no copy, and one class keeps the readers' code fast.
    const isPlain = Object.getPrototypeOf(bytes) === Uint8Array.prototype;
    this.#bytes = isPlain
      ? bytes
      : new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#position = position;
    this.#end = end;
  }

  get position(): number {
    return this.#position;
  }

  /** Bytes that are left. */
  get remaining(): number {
    return this.#end - this.#position;
  }

  /** Begins again at the first byte, up to `end`: for memory that is filled anew. */
  restart(end: number): void {
    this.#position = 0;
    this.#end = end;
  }

  seek(position: number): void {
    if (position < 0 || position > this.#end)
      throw new MalformedBytesError("Seek outside the input", position);
    this.#position = position;
  }

  readByte(): number {
    return this.#view.getInt8(this.#take(1));
  }

  readUnsignedByte(): number {
    return this.#view.getUint8(this.#take(1));
  }

  readBoolean(): boolean {
    return this.readUnsignedByte() !== 0;
  }

  readShort(): number {
    return this.#view.getInt16(this.#take(2));
  }

  readUnsignedShort(): number {
    return this.#view.getUint16(this.#take(2));
  }

  readInt(): number {
    return this.#view.getInt32(this.#take(4));
  }

  readLong(): bigint {
    return this.#view.getBigInt64(this.#take(8));
  }

  /** A 64-bit integer as a number; loses precision outside ±2^53. */
  readLongNumber(): number {
    const at = this.#take(8);
    return this.#view.getInt32(at) * 0x1_0000_0000 + this.#view.getUint32(at + 4);
  }

  readDouble(): number {
    return this.#view.getFloat64(this.#take(8));
  }

  /** The next `count` bytes, as a view into the input. */
  readBytes(count: number): Uint8Array {
    const at = this.#take(count);
    return this.#bytes.subarray(at, at + count);
  }

  /** Copies the next bytes, as many as the target has. */
  readInto(target: Uint8Array): void {
    const at = this.#take(target.length);
    target.set(this.#bytes.subarray(at, at + target.length));
  }

  /**
   * Reads what {@link ByteWriter.writeString} wrote.
   *
   * @throws MalformedBytesError also for Flink's `null`.
   */
  readString(): string {
    const length = this.readVarint() - 1;
    if (length < 0) throw new MalformedBytesError("A null where text is expected", this.#position);
    const start = this.#position;
    if (start + length > this.#end) {
      throw new MalformedBytesError(
        `${length} characters expected, ${this.#end - start} bytes left`,
        start,
      );
    }
    if (this.#isAscii(start, length)) {
      this.#position = start + length;
      return asciiText(this.#bytes, start, length);
    }
    return this.#readUnits(length);
  }

  /** The text that {@link ByteWriter.writeText} gave this number. */
  readText(_number: number): string {
    return this.readString();
  }

  #isAscii(start: number, length: number): boolean {
    const view = this.#view;
    const end = start + length;
    let at = start;
    let union = 0;
    for (; at + 4 <= end; at += 4) union |= view.getInt32(at);
    for (; at < end; at++) union |= view.getInt8(at);
    return (union & 0x8080_8080) === 0;
  }

  #readUnits(length: number): string {
    const units = new Uint16Array(length);
    let at = this.#position;
    for (let index = 0; index < length; index++) {
      let unit = this.#byteAt(at++);
      if (unit >= 0x80) {
        const second = this.#byteAt(at++);
        unit = (unit & 0x7f) | ((second & 0x7f) << 7);
        if (second >= 0x80) unit |= this.#byteAt(at++) << 14;
      }
      units[index] = unit;
    }
    this.#position = at;
    let text = "";
    for (let index = 0; index < length; index += 4096) {
      text += String.fromCharCode(...units.subarray(index, index + 4096));
    }
    return text;
  }

  #byteAt(position: number): number {
    if (position >= this.#end) throw new MalformedBytesError("Text ends too early", position);
    return this.#bytes[position] ?? 0;
  }

  readVarint(): number {
    const at = this.#position;
    const first = at < this.#end ? (this.#bytes[at] ?? 0) : 0x80;
    if (first < 0x80) {
      this.#position = at + 1;
      return first;
    }
    const second = at + 1 < this.#end ? (this.#bytes[at + 1] ?? 0) : 0x80;
    if (second < 0x80) {
      this.#position = at + 2;
      return (first & 0x7f) | (second << 7);
    }
    let value = 0;
    let scale = 1;
    for (let count = 0; count < 8; count++) {
      const next = this.readUnsignedByte();
      value += (next & 0x7f) * scale;
      if (next < 0x80) return value;
      scale *= 0x80;
    }
    throw new MalformedBytesError("A variable-length integer of more than 8 bytes", this.#position);
  }

  #take(count: number): number {
    const at = this.#position;
    if (count < 0 || at + count > this.#end) {
      throw new MalformedBytesError(`${count} bytes expected, ${this.#end - at} left`, at);
    }
    this.#position = at + count;
    return at;
  }
}
