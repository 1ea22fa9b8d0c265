import { present } from "../../base/index.ts";
import { readAny, writeAny } from "./any-codec.ts";
import { writeFlinkBigint } from "./bigint-bytes.ts";
import { compileFunction } from "./compile-function.ts";
import { type Codec, refuse } from "./codec.ts";
import {
  chosen,
  readBigint,
  readLong,
  readSize,
  readTimestamp,
  writeRareLong,
  writeTimestamp,
} from "./interpreted-codec.ts";
import {
  isLeaf,
  type LeafKind,
  type StructShape,
  type TypeShape,
  type UnionShape,
} from "../type-shape.ts";
import { findMisfit } from "./value-misfit.ts";

/**
 * A codec as one generated function for each struct, list, map and union of the shape.
 *
 * @remarks
 * Generated, because a function of its own keeps type feedback of its own: fields are loaded at monomorphic sites and
 * objects are read as literals of one hidden class. Writes and reads exactly what `interpretedCodec` does.
 *
 * @throws EvalError if the process forbids code generation from strings.
 */
export function generatedCodec(shape: TypeShape): Codec {
  const code = new CodecCode();
  const write = code.writer(shape);
  const read = code.reader(shape);
  return code.make<Codec>(`{ write: ${write}, read: ${read} }`);
}

/** What generated code calls. */
const HELPERS = {
  refuse,
  chosen,
  fits: (shape: TypeShape, value: unknown): boolean => findMisfit(shape, value) === undefined,
  readAny,
  readBigint,
  readLong,
  readSize,
  readTimestamp,
  writeAny,
  writeFlinkBigint,
  writeRareLong,
  writeTimestamp,
};

/** Statements that write the local `v` to `out`. */
const LEAF_WRITES: { readonly [K in LeafKind]: (v: string) => string } = {
  string: (v) => `if (typeof ${v} !== "string") refuse(); out.writeString(${v});`,
  boolean: (v) => `if (typeof ${v} !== "boolean") refuse(); out.writeByte(${v} ? 1 : 0);`,
  int: (v) => `if ((${v} | 0) !== ${v}) refuse(); out.writeInt(${v});`,
  long: (v) =>
    `if (Number.isSafeInteger(${v})) out.writeLongNumber(${v}); else writeRareLong(${v}, out);`,
  double: (v) => `if (typeof ${v} !== "number") refuse(); out.writeDouble(${v});`,
  bigint: (v) => `if (typeof ${v} !== "bigint") refuse(); writeFlinkBigint(${v}, out);`,
  bytes: (v) =>
    `if (!(${v} instanceof Uint8Array)) refuse(); out.writeInt(${v}.length); out.writeBytes(${v});`,
  date: (v) =>
    `if (!(${v} instanceof Date) || Number.isNaN(${v}.getTime())) refuse(); out.writeLongNumber(${v}.getTime());`,
  timestamp: (v) =>
    `if (Number.isSafeInteger(${v})) out.writeLongNumber(${v}); else writeTimestamp(${v}, out);`,
  any: (v) => `writeAny(${v}, out);`,
  "void-namespace": (v) => `if (${v} !== null) refuse(); out.writeByte(0);`,
  "time-window": (v) => `writeTimestamp(${v}.start, out); writeTimestamp(${v}.end, out);`,
};

const LEAF_READS: { readonly [K in LeafKind]: string } = {
  string: "input.readString()",
  boolean: "input.readBoolean()",
  int: "input.readInt()",
  long: "readLong(input)",
  double: "input.readDouble()",
  bigint: "readBigint(input)",
  bytes: "input.readBytes(input.readInt()).slice()",
  date: "new Date(input.readLongNumber())",
  timestamp: "readTimestamp(input)",
  any: "readAny(input)",
  "void-namespace": "(input.readByte(), null)",
  "time-window": "{ start: readTimestamp(input), end: readTimestamp(input) }",
};

/** Tests of the local `v` that are cheaper than a look through the shape. */
const LEAF_TESTS: { readonly [K in LeafKind]?: (v: string) => string } = {
  string: (v) => `typeof ${v} === "string"`,
  boolean: (v) => `typeof ${v} === "boolean"`,
  int: (v) => `typeof ${v} === "number" && (${v} | 0) === ${v}`,
  double: (v) => `typeof ${v} === "number"`,
  bigint: (v) => `typeof ${v} === "bigint"`,
};

/** Collects the functions and constants of one codec. */
export class CodecCode {
  readonly #functions: string[] = [];
  readonly #constants: unknown[] = [];
  #count = 0;

  /**
   * Compiles what was collected. @returns The value of the expression, which sees all of it.
   *
   * @throws EvalError if the process forbids code generation from strings.
   */
  make<R>(expression: string): R {
    const environment = { ...HELPERS, constants: this.#constants };
    const text =
      `const { ${Object.keys(environment).join(", ")} } = environment;\n` +
      `${this.#functions.join("\n")}\nreturn ${expression};`;
    return compileFunction<(environment: unknown) => R>(["environment"], text)(environment);
  }

  /** Adds a function that writes `v` to `out`; returns its name. */
  writer(shape: TypeShape): string {
    return this.function("v, out", this.#writeBody(shape));
  }

  /** Adds a function that reads from `input`; returns its name. */
  reader(shape: TypeShape): string {
    return this.function("input", this.#readBody(shape));
  }

  /** Adds any function; returns its name. */
  function(parameters: string, body: string): string {
    const name = `f${this.#count++}`;
    this.#functions.push(`function ${name}(${parameters}) { ${body} }`);
    return name;
  }

  #constant(value: unknown): string {
    this.#constants.push(value);
    return `constants[${this.#constants.length - 1}]`;
  }

  /** Statements that write the local `v`: in place if the shape is flat, else by a call. */
  write(shape: TypeShape, v: string): string {
    if (isLeaf(shape)) return LEAF_WRITES[shape.kind](v);
    if (shape.kind === "custom") return `${this.#constant(shape.serializer)}.write(${v}, out);`;
    return `${this.writer(shape)}(${v}, out);`;
  }

  /** The expression that reads a value. */
  read(shape: TypeShape): string {
    if (isLeaf(shape)) return LEAF_READS[shape.kind];
    if (shape.kind === "custom") return `${this.#constant(shape.serializer)}.read(input)`;
    return `${this.reader(shape)}(input)`;
  }

  #writeBody(shape: TypeShape): string {
    if (isLeaf(shape) || shape.kind === "custom") return this.write(shape, "v");
    switch (shape.kind) {
      case "enumeration": {
        const numbers = this.#constant(new Map(shape.values.map((value, index) => [value, index])));
        return `const n = ${numbers}.get(v); if (n === undefined) refuse(); out.writeVarint(n);`;
      }
      case "array":
        return (
          `if (!Array.isArray(v)) refuse(); const n = v.length; out.writeInt(n);` +
          `for (let i = 0; i < n; i++) { const e = v[i]; ${this.write(shape.element, "e")} }`
        );
      case "set":
        return (
          `if (!(v instanceof Set)) refuse(); out.writeInt(v.size);` +
          `for (const e of v) { ${this.write(shape.element, "e")} }`
        );
      case "map":
        return (
          `if (!(v instanceof Map)) refuse(); out.writeInt(v.size); for (const [k, e] of v) { ` +
          `${this.write(shape.key, "k")} out.writeByte(0); ${this.write(shape.value, "e")} }`
        );
      case "optional":
        return `if (v === undefined) { out.writeByte(0); return; } out.writeByte(1); ${this.write(shape.of, "v")}`;
      case "nullable":
        return `if (v === null) { out.writeByte(0); return; } out.writeByte(1); ${this.write(shape.of, "v")}`;
      case "tuple":
        return (
          `if (!Array.isArray(v) || v.length !== ${shape.fields.length}) refuse();` +
          shape.fields
            .map((field, i) => `const e${i} = v[${i}]; ${this.write(field, `e${i}`)}`)
            .join(" ")
        );
      case "struct":
        return this.#writeStruct(shape);
      case "union":
        return shape.discriminator === undefined
          ? this.#writeUntagged(shape)
          : this.#writeTagged(shape);
    }
  }

  #readBody(shape: TypeShape): string {
    if (isLeaf(shape) || shape.kind === "custom") return `return ${this.read(shape)};`;
    switch (shape.kind) {
      case "enumeration":
        return `return chosen(${this.#constant(shape.values)}, input);`;
      case "array":
        return (
          `const n = readSize(input), a = []; for (let i = 0; i < n; i++) a.push(${this.read(shape.element)}); ` +
          `return a;`
        );
      case "set":
        return (
          `const s = new Set(); for (let n = readSize(input); n > 0; n--) s.add(${this.read(shape.element)}); ` +
          `return s;`
        );
      case "map":
        return (
          `const m = new Map(); for (let n = readSize(input); n > 0; n--) { const k = ${this.read(shape.key)}; ` +
          `m.set(k, input.readBoolean() ? null : ${this.read(shape.value)}); } return m;`
        );
      case "optional":
        return `return input.readBoolean() ? ${this.read(shape.of)} : undefined;`;
      case "nullable":
        return `return input.readBoolean() ? ${this.read(shape.of)} : null;`;
      case "tuple":
        return `return [${shape.fields.map((field) => this.read(field)).join(", ")}];`;
      case "struct":
        return this.#readStruct(shape, "");
      case "union":
        return shape.discriminator === undefined
          ? this.#readUntagged(shape)
          : this.#readTagged(shape);
    }
  }

  #writeStruct({ fields }: StructShape): string {
    const loads = fields.map(({ name }, i) => `const e${i} = v[${JSON.stringify(name)}];`);
    const optional = fields.flatMap((field, i) =>
      field.shape.kind === "optional" ? [`e${i}`] : [],
    );
    const bits = octets(optional).map(
      (eight) =>
        `out.writeByte(${eight.map((e, bit) => `(${e} === undefined ? 0 : ${1 << bit})`).join(" | ")});`,
    );
    const writes = fields.map(({ shape }, i) =>
      shape.kind === "optional"
        ? `if (e${i} !== undefined) { ${this.write(shape.of, `e${i}`)} }`
        : this.write(shape, `e${i}`),
    );
    const check = `if (typeof v !== "object" || v === null || Array.isArray(v)) refuse();`;
    return [check, ...loads, ...bits, ...writes].join(" ");
  }

  /** `first` is the text of fields that come before those read. */
  #readStruct({ fields }: StructShape, first: string): string {
    let optionalCount = 0;
    const reads = fields.map(({ name, shape }) => {
      if (shape.kind !== "optional") return `${JSON.stringify(name)}: ${this.read(shape)}`;
      const bit = optionalCount++;
      const isPresent = `(b${bit >> 3} & ${1 << (bit & 7)}) !== 0`;
      return `${JSON.stringify(name)}: ${isPresent} ? ${this.read(shape.of)} : undefined`;
    });
    const octetCount = Math.ceil(optionalCount / 8);
    const bits = Array.from(
      { length: octetCount },
      (_, i) => `const b${i} = input.readUnsignedByte();`,
    );
    return `${bits.join(" ")} return { ${first}${reads.join(", ")} };`;
  }

  #writeTagged({ discriminator, alternatives }: UnionShape): string {
    const cases = alternatives.map(
      ({ tag, shape }, i) =>
        `case ${JSON.stringify(tag)}: out.writeVarint(${i}); ${this.write(shape, "v")} return;`,
    );
    return `switch (v[${JSON.stringify(discriminator)}]) { ${cases.join(" ")} default: refuse(); }`;
  }

  #readTagged({ discriminator, alternatives }: UnionShape): string {
    const readers = alternatives.map(({ tag, shape }) => {
      const first = `${JSON.stringify(discriminator)}: ${JSON.stringify(tag)}, `;
      return shape.kind === "struct"
        ? this.function("input", this.#readStruct(shape, first))
        : this.function("input", `return { ${first} ...${this.read(shape)} };`);
    });
    return `return chosen([${readers.join(", ")}], input)(input);`;
  }

  #writeUntagged({ alternatives }: UnionShape): string {
    const branches = alternatives.map(({ shape }, i) => {
      const test = isLeaf(shape) ? LEAF_TESTS[shape.kind] : undefined;
      const condition = test === undefined ? `fits(${this.#constant(shape)}, v)` : test("v");
      return `if (${condition}) { out.writeVarint(${i}); ${this.write(shape, "v")} }`;
    });
    return [...branches, "refuse();"].join(" else ");
  }

  #readUntagged({ alternatives }: UnionShape): string {
    return `return chosen([${alternatives.map(({ shape }) => this.reader(shape)).join(", ")}], input)(input);`;
  }
}

/** The elements in groups of eight. */
function octets<T>(elements: readonly T[]): T[][] {
  const groups: T[][] = [];
  elements.forEach((element, index) => {
    if (index % 8 === 0) groups.push([]);
    present(groups.at(-1), "a group is open").push(element);
  });
  return groups;
}
