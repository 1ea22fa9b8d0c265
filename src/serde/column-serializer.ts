import type { ByteReader, ByteWriter } from "../base/index.ts";
import { type ColumnCodec, columnCodec } from "./codec/column-codec.ts";
import { misfitError, shapeOf } from "./shape-serializer.ts";
import type { TypeShape } from "./type-shape.ts";
import type { TypeSerializer } from "./type-serializer.ts";

/**
 * Writes and reads many values of one type at once, several times faster than one by one; for bytes that stay in the process.
 *
 * @remarks
 * Each instance has code of its own, so that its type feedback is that of its values. Whatever is made for an equal type can read the bytes.
 */
export class ColumnSerializer {
  readonly #shape: TypeShape;
  readonly #codec: ColumnCodec;

  constructor(type: TypeSerializer<unknown>) {
    this.#shape = shapeOf(type);
    this.#codec = columnCodec(this.#shape);
  }

  /**
   * Appends the first `count` values.
   *
   * @throws StreamError VALUE_NOT_SERIALIZABLE with the path to the part that does not fit; what was appended is then of no use.
   */
  write(values: readonly unknown[], count: number, out: ByteWriter): void {
    try {
      this.#codec.write(values, count, out);
    } catch (error) {
      throw this.#located(values.slice(0, count), error);
    }
  }

  /** Fills the first `count` places. */
  read(values: unknown[], count: number, input: ByteReader): void {
    this.#codec.read(values, count, input);
  }

  #located(values: readonly unknown[], error: unknown): unknown {
    for (const value of values) {
      const located = misfitError(this.#shape, value, error);
      if (located !== error) return located;
    }
    return error;
  }
}
