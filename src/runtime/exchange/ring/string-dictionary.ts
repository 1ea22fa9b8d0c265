import { ByteReader, ByteWriter } from "../../../base/index.ts";

/**
 * Text in a channel goes over once and is a number after that; the receiver hands out the same string, so that nothing is allocated.
 *
 * @remarks
 * Before each string stands 0 (the text follows), 1 (the text follows and becomes the next entry), or 2 + the number of its entry. Both
 * ends begin anew at each barrier, so that no frame depends on what was sent before the last one.
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
    if (!this.#isUseful || text.length > MAX_LENGTH) {
      this.writeByte(RAW);
      return super.writeString(text);
    }
    const number = this.#numbers.get(text);
    if (number !== undefined) {
      this.#hits++;
      return this.writeVarint(number + FIRST_ENTRY);
    }
    const size = this.#numbers.size;
    if (size === TRIAL_ENTRIES && this.#hits < size >> 2) this.#isUseful = false;
    const isEntered = this.#isUseful && size < MAX_ENTRIES;
    if (isEntered) this.#numbers.set(text, size);
    this.writeByte(isEntered ? NEW_ENTRY : RAW);
    super.writeString(text);
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
    const mark = this.readVarint();
    if (mark >= FIRST_ENTRY) return this.#entries[mark - FIRST_ENTRY] as string;
    const text = super.readString();
    if (mark === NEW_ENTRY) this.#entries.push(text);
    return text;
  }

  /** A copy, for the memory below is used again. */
  override readBytes(count: number): Uint8Array {
    return super.readBytes(count).slice();
  }

  /** As {@link readBytes}, without the copy. */
  viewBytes(count: number): Uint8Array {
    return super.readBytes(count);
  }
}
