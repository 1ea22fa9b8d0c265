import type { ByteReader, ByteWriter } from "../../base/index.ts";
import type { ElementFormat } from "../ttl/ttl-value.ts";

/**
 * How what a table holds for one (key, namespace) becomes bytes: Flink's, of the state's kind.
 *
 * @remarks
 * The held value of a list is an array, of a map a `MapCell`; with time-to-live the value, each element or each entry carries
 * its last access.
 */
export interface StoredValueFormat {
  write(stored: unknown, out: ByteWriter): void;
  read(input: ByteReader): unknown;
  /**
   * Begins to write a value that is too large for one step. It stays as it is now, whatever happens to the state.
   *
   * @returns Undefined if the value is small: then `write` does it.
   */
  begin(stored: unknown, epoch: number): LargeValueWriting | undefined;
}

/** A value that is written in steps. */
export interface LargeValueWriting {
  /** Writes up to about `budget` parts; returns true when the bytes are whole. */
  advance(budget: number): boolean;
  readonly bytes: ByteWriter;
  cancel(): void;
}

/** Lists and maps above this many parts are written in steps. */
export const LARGE_PART_COUNT = 256;

/** One value by its serializer. */
export class PlainFormat implements StoredValueFormat {
  readonly #type: ElementFormat;

  constructor(type: ElementFormat) {
    this.#type = type;
  }

  write(stored: unknown, out: ByteWriter): void {
    this.#type.write(stored as never, out);
  }

  read(input: ByteReader): unknown {
    return this.#type.read(input);
  }

  begin(): undefined {
    return undefined;
  }
}
