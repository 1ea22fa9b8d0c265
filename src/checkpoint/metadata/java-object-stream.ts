import { assert } from "../../base/index.ts";
import type { MetadataInput } from "./metadata-input.ts";

/** An object that a Java object stream describes: names and values, never an instance. */
export interface JavaObject {
  readonly kind: "object";
  readonly className: string;
  readonly fields: ReadonlyMap<string, JavaValue>;
}

/** A constant of a Java enum. */
export interface JavaEnum {
  readonly kind: "enum";
  readonly className: string;
  readonly constant: string;
}

/** What a field can hold here. 64-bit integers and floating-point numbers do not occur and are refused. */
export type JavaValue = boolean | number | string | null | JavaObject | JavaEnum;

interface FieldDescription {
  readonly type: string;
  readonly name: string;
}

interface ClassDescription {
  readonly className: string;
  readonly flags: number;
  readonly fields: readonly FieldDescription[];
  readonly parent: ClassDescription | undefined;
}

type Handle =
  | { readonly kind: "class"; readonly description: ClassDescription }
  | { readonly kind: "value"; readonly value: JavaValue };

/** Record types of the stream. Source: Java Object Serialization Specification, part 6. */
const TC: {
  readonly [
    N in "NULL" | "REFERENCE" | "CLASSDESC" | "OBJECT" | "STRING" | "ENDBLOCKDATA" | "ENUM"
  ]: number;
} = {
  NULL: 0x70,
  REFERENCE: 0x71,
  CLASSDESC: 0x72,
  OBJECT: 0x73,
  STRING: 0x74,
  ENDBLOCKDATA: 0x78,
  ENUM: 0x7e,
};

const STREAM_HEADER = 0xaced_0005 | 0;
const FIRST_HANDLE = 0x7e_0000;
const FLAG_SERIALIZABLE = 0x02;
const FLAG_ENUM = 0x10;
/** No record of Flink's stream of properties has more; each is far below. */
const MAX_HANDLES = 256;
const MAX_FIELDS = 64;

/**
 * Reads one object of a Java object stream, of the records that Flink's checkpoint properties consist of:
 * plain serializable objects, enums, strings and references.
 *
 * @remarks
 * Names are compared, nothing is loaded or instantiated. Arrays, proxies, and classes that write themselves are refused.
 * At most 256 objects and descriptions of at most 64 fields are read.
 *
 * @throws MalformedBytesError if the stream is malformed or holds any other record.
 */
export function readJavaObject(input: MetadataInput): JavaValue {
  const header = input.int("header of a Java object stream");
  if (header !== STREAM_HEADER)
    input.fail("expected the header of a Java object stream (ac ed 00 05)", 4);
  return new JavaObjectReader(input).readValue("object");
}

class JavaObjectReader {
  readonly #input: MetadataInput;
  readonly #handles: (Handle | undefined)[] = [];

  constructor(input: MetadataInput) {
    this.#input = input;
  }

  readValue(what: string): JavaValue {
    return this.#input.nested(what, () => {
      const type = this.#input.byte(`record type of ${what}`);
      switch (type) {
        case TC.NULL:
          return null;
        case TC.STRING:
          return this.#readString(what);
        case TC.OBJECT:
          return this.#readObject();
        case TC.ENUM:
          return this.#readEnum();
        case TC.REFERENCE: {
          const handle = this.#readReference();
          return handle.kind === "value"
            ? handle.value
            : this.#input.fail(`expected a reference to ${what}`, 4);
        }
        default:
          return this.#input.fail(
            `expected ${what} in a Java object stream, found record type ${hex(type)}`,
            1,
          );
      }
    });
  }

  #readString(what: string): string {
    const slot = this.#newHandle();
    const value = this.#input.utf(what);
    this.#handles[slot] = { kind: "value", value };
    return value;
  }

  #readReference(): Handle {
    const handle = this.#input.int("reference") - FIRST_HANDLE;
    return (
      this.#handles[handle] ?? this.#input.fail("expected a reference to an earlier record", 4)
    );
  }

  #readObject(): JavaObject {
    const description = this.#readPresentDescription();
    const slot = this.#newHandle();
    const fields = new Map<string, JavaValue>();
    const lineage: ClassDescription[] = [];
    for (let at: ClassDescription | undefined = description; at !== undefined; at = at.parent)
      lineage.unshift(at);
    for (const part of lineage) {
      if (part.flags !== FLAG_SERIALIZABLE) {
        this.#input.fail(
          `expected ${part.className} to be plainly serializable, found flags ${hex(part.flags)}`,
        );
      }
      for (const field of part.fields) fields.set(field.name, this.#readField(field));
    }
    const value: JavaObject = { kind: "object", className: description.className, fields };
    this.#handles[slot] = { kind: "value", value };
    return value;
  }

  #readField(field: FieldDescription): JavaValue {
    switch (field.type) {
      case "Z":
        return this.#input.boolean(field.name);
      case "B":
        return (this.#input.byte(field.name) << 24) >> 24;
      case "S":
        return (this.#input.short(field.name) << 16) >> 16;
      case "I":
        return this.#input.int(field.name);
      case "L":
        return this.readValue(field.name);
      default:
        return this.#input.fail(
          `expected a field ${field.name} of a known type, found type ${field.type}`,
        );
    }
  }

  #readEnum(): JavaEnum {
    const description = this.#readPresentDescription();
    if ((description.flags & FLAG_ENUM) === 0)
      this.#input.fail(`expected ${description.className} to be an enum`);
    const slot = this.#newHandle();
    const constant = this.readValue("enum constant");
    if (typeof constant !== "string")
      return this.#input.fail("expected the name of an enum constant");
    const value: JavaEnum = { kind: "enum", className: description.className, constant };
    this.#handles[slot] = { kind: "value", value };
    return value;
  }

  #readPresentDescription(): ClassDescription {
    return (
      this.#readDescription() ?? this.#input.fail("expected a class description, found none", 1)
    );
  }

  #readDescription(): ClassDescription | undefined {
    return this.#input.nested("class description", () => {
      const type = this.#input.byte("record type of class description");
      if (type === TC.NULL) return undefined;
      if (type === TC.REFERENCE) {
        const handle = this.#readReference();
        if (handle.kind === "class") return handle.description;
        return this.#input.fail("expected a reference to a class description", 4);
      }
      if (type === TC.CLASSDESC) return this.#readNewDescription();
      return this.#input.fail(`expected a class description, found record type ${hex(type)}`, 1);
    });
  }

  #readNewDescription(): ClassDescription {
    const className = this.#input.utf("class name");
    this.#input.raw(8, "serial version of class");
    const slot = this.#newHandle();
    const flags = this.#input.byte("flags of class");
    const fieldCount = this.#input.short("number of fields");
    if (fieldCount > MAX_FIELDS)
      this.#input.fail(`expected at most ${MAX_FIELDS} fields, found ${fieldCount}`, 2);
    const fields: FieldDescription[] = [];
    for (let index = 0; index < fieldCount; index++) {
      const type = String.fromCharCode(this.#input.byte("type of field"));
      const name = this.#input.utf("name of field");
      if (type === "L" || type === "[") this.readValue("class of field");
      fields.push({ type, name });
    }
    const end = this.#input.byte("end of class description");
    if (end !== TC.ENDBLOCKDATA)
      this.#input.fail(`expected the end of a class description, found ${hex(end)}`, 1);
    const description: ClassDescription = {
      className,
      flags,
      fields,
      parent: this.#readDescription(),
    };
    this.#handles[slot] = { kind: "class", description };
    return description;
  }

  /** Numbers are given when a record begins, so that what it holds comes after it. */
  #newHandle(): number {
    if (this.#handles.length === MAX_HANDLES)
      this.#input.fail(`expected at most ${MAX_HANDLES} objects`);
    const slot = this.#handles.push(undefined) - 1;
    assert(slot < MAX_HANDLES, "the number of handles is bounded");
    return slot;
  }
}

function hex(value: number): string {
  return `0x${value.toString(16).padStart(2, "0")}`;
}
