import { ByteReader, ByteWriter } from "../../../base/index.ts";

/**
 * Text in a channel goes over once and is a number after that; the receiver hands out the same string, so that nothing is allocated.
 *
 * @remarks
 * Each string has a number, before the text or among other numbers: 0 (the text follows), 1 (the text follows and becomes the next entry),
 * or 2 + the number of its entry. Both ends begin anew at each barrier, so that no frame depends on what was sent before the last one.
 */

const RAW = 0;
const NEW_ENTRY = 1;
const FIRST_ENTRY = 2;

/** Entries that one channel may have: bounds its memory. */
const MAX_ENTRIES = 16_384;
/** Longer text is seldom sent again. */
const MAX_LENGTH = 256;
/** After so many new entries it is looked whether they were of any use. */
const TRIAL_ENTRIES = 1024;

/** Writes values, with text through the dictionary. */
export class DictionaryWriter extends ByteWriter {
  readonly #numbers = new Map<string, number>();
  #hits = 0;
  #isUseful = true;

  /** Begins a new dictionary. */
  forget(): void {
    this.#numbers.clear();
    this.#hits = 0;
    this.#isUseful = true;
  }

  override writeString(text: string): void {
    const number = this.#numberOf(text);
    this.writeVarint(number);
    if (number < FIRST_ENTRY) super.writeString(text);
  }

  override writeText(text: string): number {
    const number = this.#numberOf(text);
    if (number < FIRST_ENTRY) super.writeString(text);
    return number;
  }

  #numberOf(text: string): number {
    if (!this.#isUseful || text.length > MAX_LENGTH) return RAW;
    const number = this.#numbers.get(text);
    if (number === undefined) return this.#enter(text);
    this.#hits++;
    return number;
  }

  #enter(text: string): number {
    const { size } = this.#numbers;
    if (size === TRIAL_ENTRIES && this.#hits < size >> 2) this.#isUseful = false;
    if (!this.#isUseful || size >= MAX_ENTRIES) return RAW;
    this.#numbers.set(text, size + FIRST_ENTRY);
    return NEW_ENTRY;
  }
}

/** Reads what {@link DictionaryWriter} wrote. */
export class DictionaryReader extends ByteReader {
  readonly #entries: string[];

  /** @param entries - Lives as long as the channel; emptied where the writer forgets. */
  constructor(bytes: Uint8Array, end: number, entries: string[]) {
    super(bytes, 0, end);
    this.#entries = entries;
  }

  override readString(): string {
    return this.readText(this.readVarint());
  }

  override readText(number: number): string {
    if (number >= FIRST_ENTRY) return this.#entries[number - FIRST_ENTRY] as string;
    const text = super.readString();
    if (number === NEW_ENTRY) this.#entries.push(text);
    return text;
  }

  /** A copy, for the memory below is used again. */
  override readBytes(count: number): Uint8Array {
    return super.readBytes(count).slice();
  }
}
