import { ByteReader, ByteWriter, MalformedBytesError } from "../../base/index.ts";
import { compileFunction } from "./compile-function.ts";

/**
 * The field names of undeclared objects: written before the values as one block, and remembered, so that the many
 * objects of one form cost neither their names' encoding nor their decoding.
 *
 * @remarks
 * What is remembered changes no byte and no value. A form that comes often gets a generated function, which reads and
 * makes objects of one hidden class; where code generation is forbidden, and for forms that are rare, loops do the same.
 */

/** Writes one value inside an object that lies `depth` deep. */
export type WriteValue = (value: unknown, out: ByteWriter, depth: number) => void;

/** Reads one value. */
export type ReadValue = (input: ByteReader) => unknown;

type Fields = Readonly<Record<string, unknown>>;
type WriteAll = (value: Fields, out: ByteWriter, write: WriteValue, depth: number) => void;
type ReadAll = (input: ByteReader, read: ReadValue) => object;

/** Uses of a form before code is generated for it. */
const HOT_COUNT = 16;

/** Forms remembered; beyond, all are forgotten, so that objects used as dictionaries do no harm. */
const MAX_FORMS = 512;

/** Objects with more fields are not remembered. */
const MAX_FIELDS = 64;

class ObjectForm {
  readonly names: readonly string[];
  /** The names as they stand in the bytes. */
  readonly block: Uint8Array;
  #uses = 0;
  #write: WriteAll | undefined;
  #read: ReadAll | undefined;

  constructor(names: readonly string[], block: Uint8Array) {
    this.names = names;
    this.block = block;
  }

  writeValues(value: object, out: ByteWriter, write: WriteValue, depth: number): void {
    const fields = value as Fields;
    if (this.#write !== undefined) return this.#write(fields, out, write, depth);
    for (const name of this.names) write(fields[name], out, depth);
    if (++this.#uses === HOT_COUNT) this.#generate();
  }

  readValues(input: ByteReader, read: ReadValue): object {
    if (this.#read !== undefined) return this.#read(input, read);
    const made: Record<string, unknown> = {};
    for (const name of this.names) {
      const value = read(input);
      if (name === "__proto__") defineField(made, name, value);
      else made[name] = value;
    }
    if (++this.#uses === HOT_COUNT) this.#generate();
    return made;
  }

  #generate(): void {
    if (this.names.includes("__proto__")) return;
    const quoted = this.names.map((name) => JSON.stringify(name));
    const writes = quoted.map((name) => `write(value[${name}], out, depth);`).join(" ");
    const reads = quoted.map((name) => `${name}: read(input)`).join(", ");
    try {
      this.#write = compileFunction<WriteAll>(["value", "out", "write", "depth"], writes);
      this.#read = compileFunction<ReadAll>(["input", "read"], `return { ${reads} };`);
    } catch (error) {
      if (!(error instanceof EvalError)) throw error; // forbidden by the process: the loops go on
    }
  }
}

function defineField(target: object, name: string, value: unknown): void {
  Object.defineProperty(target, name, {
    value,
    enumerable: true,
    configurable: true,
    writable: true,
  });
}

/** Forms by something cheap that mostly tells them apart. */
class FormMemory<K> {
  readonly #forms = new Map<K, ObjectForm[]>();
  #count = 0;

  candidates(key: K): readonly ObjectForm[] | undefined {
    return this.#forms.get(key);
  }

  add(key: K, form: ObjectForm): void {
    if (form.names.length > MAX_FIELDS) return;
    if (this.#count++ === MAX_FORMS) {
      this.#forms.clear();
      this.#count = 1;
    }
    const found = this.#forms.get(key);
    if (found === undefined) this.#forms.set(key, [form]);
    else found.push(form);
  }
}

const WRITTEN = new FormMemory<string>();
const READ = new FormMemory<number>();

/** Appends a plain object: the names' count of bytes, the names, the values. */
export function writeFields(
  value: object,
  out: ByteWriter,
  write: WriteValue,
  depth: number,
): void {
  const form = formOf(Object.keys(value));
  out.writeVarint(form.block.length);
  out.writeBytes(form.block);
  form.writeValues(value, out, write, depth);
}

function formOf(names: readonly string[]): ObjectForm {
  const key = names[0] ?? "";
  const candidates = WRITTEN.candidates(key);
  if (candidates !== undefined) {
    for (const form of candidates) {
      if (sameNames(form.names, names)) return form;
    }
  }
  const block = new ByteWriter();
  for (const name of names) block.writeString(name);
  const form = new ObjectForm(names, block.toBytes());
  WRITTEN.add(key, form);
  return form;
}

function sameNames(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false;
  for (let index = 0; index < a.length; index++) {
    if (a[index] !== b[index]) return false;
  }
  return true;
}

/** Reads what {@link writeFields} wrote. */
export function readFields(input: ByteReader, read: ReadValue): object {
  const block = input.readBytes(input.readVarint());
  const key = blockKey(block);
  const candidates = READ.candidates(key);
  if (candidates !== undefined) {
    for (const form of candidates) {
      if (sameBytes(form.block, block)) return form.readValues(input, read);
    }
  }
  const form = new ObjectForm(readNames(block, input.position), block.slice());
  READ.add(key, form);
  return form.readValues(input, read);
}

function readNames(block: Uint8Array, position: number): readonly string[] {
  const names: string[] = [];
  const input = new ByteReader(block);
  while (input.remaining > 0) names.push(input.readString());
  if (new Set(names).size < names.length)
    throw new MalformedBytesError("A field name that stands twice", position);
  return names;
}

function blockKey(block: Uint8Array): number {
  const { length } = block;
  const half = length >> 1;
  return (
    ((block[1] ?? 0) << 24) ^
    ((block[half] ?? 0) << 16) ^
    ((block[length - 1] ?? 0) << 8) ^
    ((block[length - 2] ?? 0) << 4) ^
    length
  );
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let index = 0; index < a.length; index++) {
    if (a[index] !== b[index]) return false;
  }
  return true;
}
