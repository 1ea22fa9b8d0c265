import { ByteReader, decodeModifiedUtf8, MalformedBytesError } from "../../base/index.ts";

/** Handles may lie in handles: how deep at most. Flink writes two levels. */
const MAX_NESTING = 8;

/**
 * Reads the fields of `_metadata`, each under the name that an error shall give.
 *
 * @remarks
 * A count is compared with the bytes that are left before anything is allocated for it, so that decoding
 * takes memory in proportion to the input, whatever the input says.
 *
 * @throws MalformedBytesError from every method if the input is not as expected there.
 */
export class MetadataInput {
  readonly #reader: ByteReader;
  #nesting = 0;

  constructor(bytes: Uint8Array) {
    // A plain view, so that what is cut out of it is no subclass.
    this.#reader = new ByteReader(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  }

  get position(): number {
    return this.#reader.position;
  }

  get remaining(): number {
    return this.#reader.remaining;
  }

  /** Stops at what was read last, `lengthBytes` long. */
  fail(problem: string, lengthBytes = 0): never {
    throw new MalformedBytesError(problem, this.position - lengthBytes);
  }

  byte(what: string): number {
    this.#need(1, what);
    return this.#reader.readUnsignedByte();
  }

  boolean(what: string): boolean {
    return this.byte(what) !== 0;
  }

  short(what: string): number {
    this.#need(2, what);
    return this.#reader.readUnsignedShort();
  }

  int(what: string): number {
    this.#need(4, what);
    return this.#reader.readInt();
  }

  /** An integer from `min` to `max`. */
  intBetween(min: number, max: number, what: string): number {
    const value = this.int(what);
    if (value < min || value > max)
      this.fail(`expected ${what} from ${min} to ${max}, found ${value}`, 4);
    return value;
  }

  /** A 64-bit integer that a number holds exactly. */
  long(what: string): number {
    this.#need(8, what);
    const value = this.#reader.readLongNumber();
    if (!Number.isSafeInteger(value)) this.fail(`expected ${what} within ±2^53, found ${value}`, 8);
    return value;
  }

  /** A 64-bit integer that is not negative. */
  positiveLong(what: string): number {
    const value = this.long(what);
    if (value < 0) this.fail(`expected ${what} not below 0, found ${value}`, 8);
    return value;
  }

  /** How many elements follow, each at least `elementBytes` long. */
  count(elementBytes: number, what: string): number {
    const count = this.int(what);
    if (count < 0) this.fail(`expected ${what} not below 0, found ${count}`, 4);
    if (count * elementBytes > this.remaining) {
      this.fail(
        `expected ${what} that fits the ${this.remaining} bytes left, found ${count} of at least ${elementBytes} bytes each`,
        4,
      );
    }
    return count;
  }

  /** Text with a 16-bit length before it. */
  utf(what: string): string {
    const length = this.short(`length of ${what}`);
    this.#need(length, what);
    const bytes = this.#reader.readBytes(length);
    return decodeModifiedUtf8(bytes, this.position);
  }

  /** Bytes with a 32-bit length before them, as a view into the input. */
  bytes(what: string): Uint8Array {
    return this.raw(this.count(1, `length of ${what}`), what);
  }

  /** The next `length` bytes, as a view into the input. */
  raw(length: number, what: string): Uint8Array {
    this.#need(length, what);
    return this.#reader.readBytes(length);
  }

  /** As many 64-bit offsets as the count before them says. */
  offsets(what: string): number[] {
    return this.list(8, `number of ${what}`, () => this.long(what));
  }

  /** As many elements as the count before them says. */
  list<T>(elementBytes: number, what: string, read: () => T): T[] {
    const count = this.count(elementBytes, what);
    const elements: T[] = [];
    for (let index = 0; index < count; index++) elements.push(read());
    return elements;
  }

  /** Reads something that may hold its like. */
  nested<T>(what: string, read: () => T): T {
    if (this.#nesting === MAX_NESTING)
      this.fail(`expected ${what} nested at most ${MAX_NESTING} deep`);
    this.#nesting++;
    try {
      return read();
    } finally {
      this.#nesting--;
    }
  }

  #need(length: number, what: string): void {
    if (length > this.remaining) {
      this.fail(`expected ${what} (${length} bytes), found the end after ${this.remaining}`);
    }
  }
}
