/** Bytes of a file from a position on that were read but not yet taken. Grows to the longest record. */
export class RecordBuffer {
  #bytes: Uint8Array<ArrayBuffer>;
  #start = 0;
  #end = 0;

  constructor(capacityBytes: number) {
    this.#bytes = new Uint8Array(capacityBytes);
  }

  get bytes(): Uint8Array<ArrayBuffer> {
    return this.#bytes;
  }

  /** First byte that was not taken. */
  get start(): number {
    return this.#start;
  }

  get end(): number {
    return this.#end;
  }

  get length(): number {
    return this.#end - this.#start;
  }

  take(count: number): void {
    this.#start += count;
  }

  clear(): void {
    this.#start = 0;
    this.#end = 0;
  }

  /** Room for at least `count` more bytes, to be filled from the front; see {@link filled}. */
  room(count: number): Uint8Array {
    if (this.#bytes.length - this.#end < count) {
      const needed = this.length + count;
      const target =
        needed > this.#bytes.length
          ? new Uint8Array(Math.max(needed, this.#bytes.length * 2))
          : this.#bytes;
      target.set(this.#bytes.subarray(this.#start, this.#end));
      this.#end = this.length;
      this.#start = 0;
      this.#bytes = target;
    }
    return this.#bytes.subarray(this.#end);
  }

  filled(count: number): void {
    this.#end += count;
  }
}
