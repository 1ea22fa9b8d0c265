/** A running hash of everything that happens in a simulation: two runs with one hash took the same steps. Source: FNV-1a. */
export class TraceHash {
  #hash = 0x811c9dc5;
  #count = 0;

  add(text: string): void {
    let hash = this.#hash;
    for (let index = 0; index < text.length; index++) {
      hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
    }
    this.#hash = Math.imul(hash ^ 0x0a, 0x01000193);
    this.#count++;
  }

  addNumber(value: number): void {
    const micros = Math.round(value * 1000);
    this.#hash = Math.imul(this.#hash ^ (micros | 0), 0x01000193);
    this.#count++;
  }

  toString(): string {
    return `${(this.#hash >>> 0).toString(16).padStart(8, "0")}/${this.#count}`;
  }
}
