import { type ByteReader, type ByteWriter, MalformedBytesError } from "../base/index.ts";

/** Makes an object of known field names from the values that come next. */
export type ObjectMaker = (input: ByteReader, readValue: (input: ByteReader) => unknown) => object;

/** Appends the count of names and the names. */
export function writeObjectShape(names: readonly string[], out: ByteWriter): void {
  out.writeVarint(names.length);
  for (const name of names) out.writeString(name);
}

/** Reads the names; what it returns reads the values behind them. */
export function readObjectShape(input: ByteReader): ObjectMaker {
  const count = input.readVarint();
  if (count > input.remaining)
    throw new MalformedBytesError(`${count} fields expected`, input.position);
  const names: string[] = [];
  for (let index = 0; index < count; index++) names.push(input.readString());
  return (from, readValue) => {
    const made: Record<string, unknown> = {};
    for (const name of names) {
      const value = readValue(from);
      if (name === "__proto__") {
        Object.defineProperty(made, name, {
          value,
          enumerable: true,
          configurable: true,
          writable: true,
        });
      } else {
        made[name] = value;
      }
    }
    return made;
  };
}
