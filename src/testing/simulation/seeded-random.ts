/** Chance from a seed: the same seed gives the same numbers, everywhere. Source: sfc32 of PractRand (public domain). */
export class SeededRandom {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  /** @param seed - A 32-bit whole number. */
  constructor(seed: number) {
    this.#a = seed | 0;
    this.#b = Math.imul(seed, 0x9e3779b9) | 0;
    this.#c = ~seed | 0;
    for (let round = 0; round < 16; round++) this.next();
  }

  /** A number in [0, 1). */
  next(): number {
    const sum = (((this.#a + this.#b) | 0) + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (this.#c << 21) | (this.#c >>> 11);
    this.#c = (this.#c + sum) | 0;
    return (sum >>> 0) / 0x1_0000_0000;
  }

  /** A whole number from 0 up to, not including, `end`. */
  below(end: number): number {
    return Math.floor(this.next() * end);
  }

  /** True with the given probability. */
  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** A copy in another order. */
  shuffled<T>(items: readonly T[]): readonly T[] {
    const result = [...items];
    for (let last = result.length - 1; last > 0; last--) {
      const other = this.below(last + 1);
      const held = result[last] as T;
      result[last] = result[other] as T;
      result[other] = held;
    }
    return result;
  }
}
