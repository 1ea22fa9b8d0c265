/**
 * Records on their way between two tasks: values and timestamps side by side, and for a keyed edge the key and its hash, which
 * are found once, upstream, and travel along.
 *
 * @remarks
 * A batch goes by reference within a slot and comes back to its channel to be filled again, so that nothing is allocated
 * per record.
 */
export class RecordBatch {
  readonly kind = "records";
  readonly capacity: number;
  readonly values: unknown[];
  readonly timestamps: Float64Array;
  /** Undefined if the edge is not keyed. */
  readonly keys: unknown[] | undefined;
  readonly hashes: Int32Array | undefined;
  /** Records it holds. */
  length = 0;

  constructor(capacity: number, isKeyed: boolean) {
    this.capacity = capacity;
    this.values = Array.from({ length: capacity });
    this.timestamps = new Float64Array(capacity);
    this.keys = isKeyed ? Array.from({ length: capacity }) : undefined;
    this.hashes = isKeyed ? new Int32Array(capacity) : undefined;
  }
}
