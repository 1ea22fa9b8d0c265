import { StreamError } from "../../base/index.ts";
import { keyIdentity, type KeyKind } from "../../serde/index.ts";

/** Stands for NaN, which is one key although it does not equal itself. */
export const NAN_IDENTITY = "\udc4bNaN";

/** The current key of one backend, and what its tables have to know at each access. */
export class KeyContext {
  key: unknown = undefined;
  hash = 0;
  /** A primitive that equals another key's exactly if the keys are equal. */
  identity: unknown = undefined;
  /** Grows with each snapshot: an entry of an older epoch may still be owed to a snapshot. */
  epoch = 1;
  /** Whether changes are recorded. */
  tracking = false;
  readonly keyKind: KeyKind;
  /** An int is its own hash, so that tables need not hold it. */
  readonly hashIsKey: boolean;
  /** All keys are strings, so that each can stand for itself. */
  readonly #textIsKey: boolean;
  /** The opposite of `hashIsKey`. */
  readonly #isHashed: boolean;

  constructor(keyKind: KeyKind) {
    this.keyKind = keyKind;
    this.hashIsKey = keyKind === "int";
    this.#textIsKey = keyKind === "string";
    this.#isHashed = !this.hashIsKey;
  }

  set(key: unknown, hash: number): void {
    this.key = key;
    this.hash = hash;
    // Whether a key is a string is checked when it is added: until then nothing equals it.
    this.identity =
      this.#textIsKey || (!this.#isHashed && key === hash) ? key : this.identityOf(key);
  }

  /** Sets a key whose identity is known. */
  setKnown(key: unknown, hash: number, identity: unknown): void {
    this.key = key;
    this.hash = hash;
    this.identity = identity;
  }

  /** Before an entry of the current key is added. */
  checkNew(): void {
    if (this.#textIsKey && typeof this.key !== "string") this.#refuse(this.key);
  }

  identityOf(key: unknown): unknown {
    if (this.hashIsKey || this.#textIsKey)
      return typeof key === "string" && this.#textIsKey ? key : this.#refuse(key);
    if (typeof key === "number") return Number.isNaN(key) ? NAN_IDENTITY : key === 0 ? 0 : key;
    if (typeof key === "bigint" && this.keyKind === "long") {
      const number = Number(key);
      return Number.isSafeInteger(number) ? number : key;
    }
    if (key === undefined || key === null) return this.#refuse(key);
    return keyIdentity(key, this.keyKind);
  }

  #refuse(key: unknown): never {
    throw new StreamError("KEY_NOT_USABLE", {
      path: "",
      problem: `${String(key)} is not a key of the declared kind`,
    });
  }
}
