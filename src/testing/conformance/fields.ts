import { MAX_TIMESTAMP, MIN_TIMESTAMP } from "../../base/index.ts";
import { isObject, ScenarioFault } from "./scenario.ts";

const LONG_MIN = -(2n ** 63n);
const LONG_MAX = 2n ** 63n - 1n;

/**
 * Reads the fields of a config or step and remembers which were read, so that one that the runner does not know is a failure
 * and never passed over.
 */
export class Fields {
  readonly raw: Readonly<Record<string, unknown>>;
  readonly place: string;
  readonly #unread: Set<string>;

  constructor(raw: Readonly<Record<string, unknown>>, place: string) {
    this.raw = raw;
    this.place = place;
    this.#unread = new Set(Object.keys(raw));
  }

  has(name: string): boolean {
    return this.raw[name] !== undefined;
  }

  /** The field as it stands; undefined if it is not there. */
  any(name: string): unknown {
    this.#unread.delete(name);
    return this.raw[name];
  }

  text(name: string, initial?: string): string {
    const value = this.any(name) ?? initial;
    if (typeof value !== "string") throw this.fault(name, "a text");
    return value;
  }

  boolean(name: string, initial?: boolean): boolean {
    const value = this.any(name) ?? initial;
    if (typeof value !== "boolean") throw this.fault(name, "true or false");
    return value;
  }

  /** A number, or a text of digits that stands for one within ±2^53. */
  number(name: string, initial?: number): number {
    const value = this.any(name) ?? initial;
    const number = typeof value === "string" && value !== "" ? Number(value) : value;
    if (typeof number !== "number" || !Number.isFinite(number)) throw this.fault(name, "a number");
    return number;
  }

  /** A time in ms, where the least and the greatest 64-bit number are the two infinities. */
  time(name: string, initial?: number): number {
    const value = this.any(name) ?? initial;
    const time = toTime(value);
    if (time === undefined) throw this.fault(name, "a time");
    return time;
  }

  list(name: string): readonly unknown[] {
    const value = this.any(name);
    if (!Array.isArray(value)) throw this.fault(name, "a list");
    return value;
  }

  object(name: string): Fields {
    const value = this.any(name);
    if (!isObject(value)) throw this.fault(name, "an object");
    return new Fields(value, `${this.place}.${name}`);
  }

  objectIfAny(name: string): Fields | undefined {
    return this.has(name) ? this.object(name) : undefined;
  }

  objects(name: string): readonly Fields[] {
    return this.list(name).map((value, index) => {
      if (!isObject(value)) throw this.fault(name, "a list of objects");
      return new Fields(value, `${this.place}.${name}[${index}]`);
    });
  }

  /** Takes all fields as read: somebody else reads a copy. */
  readAll(): void {
    this.#unread.clear();
  }

  /** @throws ScenarioFault if a field has not been read: the runner does not know it. */
  done(): void {
    const [unknown] = this.#unread;
    if (unknown !== undefined) {
      throw new ScenarioFault(
        `${this.place} has the field \`${unknown}\`, which this runner does not know`,
      );
    }
  }

  fault(name: string, expected: string): ScenarioFault {
    const value = this.raw[name];
    return new ScenarioFault(
      `${this.place}: \`${name}\` is ${value === undefined ? "missing" : JSON.stringify(value)}, not ${expected}`,
    );
  }
}

/** A time of a scenario in ms; undefined if it is none. */
export function toTime(value: unknown): number | undefined {
  if (typeof value === "number") return value;
  if (typeof value !== "string" || !/^-?\d+$/.test(value)) return undefined;
  const long = BigInt(value);
  if (long === LONG_MAX) return MAX_TIMESTAMP;
  if (long === LONG_MIN) return MIN_TIMESTAMP;
  return Number(long);
}
