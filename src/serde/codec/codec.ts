import type { ByteReader, ByteWriter } from "../../base/index.ts";

/** The two directions between values of one shape and bytes. */
export interface Codec {
  /** Appends the value, or throws {@link UnfitValue} and leaves an unfinished part behind. */
  readonly write: (value: unknown, out: ByteWriter) => void;
  readonly read: (input: ByteReader) => unknown;
}

/** Thrown by a codec for a value that does not fit; where and why is found out afterwards, off the fast path. */
export class UnfitValue extends Error {
  override readonly name = "UnfitValue";
}

export function refuse(): never {
  throw new UnfitValue("The value does not fit its type");
}
