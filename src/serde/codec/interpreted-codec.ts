import {
  type ByteReader,
  type ByteWriter,
  longToTimestamp,
  MalformedBytesError,
  timestampToLong,
} from "../../base/index.ts";
import { readAny, writeAny } from "./any-codec.ts";
import { readFlinkBigint, writeFlinkBigint } from "./bigint-bytes.ts";
import { type Codec, refuse } from "./codec.ts";
import {
  isLeaf,
  type LeafKind,
  type StructShape,
  type TypeShape,
  type UnionShape,
} from "../type-shape.ts";
import { findMisfit, isRareLong, isTimestamp } from "./value-misfit.ts";

/**
 * A codec made of closures, for processes that forbid code generation, and the definition of the bytes that the
 * generated one must write.
 */
export function interpretedCodec(shape: TypeShape): Codec {
  if (isLeaf(shape)) return LEAF_CODECS[shape.kind];
  switch (shape.kind) {
    case "custom":
      return {
        write: (value, out) => shape.serializer.write(value, out),
        read: (input) => shape.serializer.read(input),
      };
    case "enumeration":
      return enumerationCodec(shape.values);
    case "array":
      return arrayCodec(interpretedCodec(shape.element));
    case "set":
      return setCodec(interpretedCodec(shape.element));
    case "map":
      return mapCodec(interpretedCodec(shape.key), interpretedCodec(shape.value));
    case "optional":
      return absentCodec(interpretedCodec(shape.of), undefined);
    case "nullable":
      return absentCodec(interpretedCodec(shape.of), null);
    case "tuple":
      return tupleCodec(shape.fields.map(interpretedCodec));
    case "struct":
      return structCodec(shape);
    case "union":
      return unionCodec(shape);
  }
}

/** A timestamp as 64 bits, the infinities as the extreme values. */
export function writeTimestamp(value: unknown, out: ByteWriter): void {
  if (Number.isSafeInteger(value)) out.writeLongNumber(value as number);
  else if (isTimestamp(value)) out.writeLong(timestampToLong(value));
  else refuse();
}

export function readTimestamp(input: ByteReader): number {
  const value = input.readLongNumber();
  if (Number.isSafeInteger(value)) return value;
  input.seek(input.position - 8);
  return longToTimestamp(input.readLong());
}

/** A 64-bit integer that is a bigint, since it was read as one. */
export function writeRareLong(value: unknown, out: ByteWriter): void {
  if (!isRareLong(value)) return refuse();
  out.writeLong(value);
}

/** A 64-bit integer: a number, or a bigint if it is one that only Flink could write. */
export function readLong(input: ByteReader): number | bigint {
  const value = input.readLongNumber();
  if (Number.isSafeInteger(value)) return value;
  input.seek(input.position - 8);
  return input.readLong();
}

export function readBigint(input: ByteReader): bigint {
  const value = readFlinkBigint(input);
  if (value === undefined)
    throw new MalformedBytesError("A null where a bigint is expected", input.position);
  return value;
}

const LEAF_CODECS: { readonly [K in LeafKind]: Codec } = {
  string: {
    write: (value, out) => (typeof value === "string" ? out.writeString(value) : refuse()),
    read: (input) => input.readString(),
  },
  boolean: {
    write: (value, out) => (typeof value === "boolean" ? out.writeBoolean(value) : refuse()),
    read: (input) => input.readBoolean(),
  },
  int: {
    write: (value, out) => (((value as number) | 0) === value ? out.writeInt(value) : refuse()),
    read: (input) => input.readInt(),
  },
  long: {
    write: (value, out) =>
      Number.isSafeInteger(value)
        ? out.writeLongNumber(value as number)
        : writeRareLong(value, out),
    read: readLong,
  },
  double: {
    write: (value, out) => (typeof value === "number" ? out.writeDouble(value) : refuse()),
    read: (input) => input.readDouble(),
  },
  bigint: {
    write: (value, out) => (typeof value === "bigint" ? writeFlinkBigint(value, out) : refuse()),
    read: readBigint,
  },
  bytes: {
    write: (value, out) => {
      if (!(value instanceof Uint8Array)) return refuse();
      out.writeInt(value.length);
      out.writeBytes(value);
    },
    read: (input) => input.readBytes(input.readInt()).slice(),
  },
  date: {
    write: (value, out) => {
      if (!(value instanceof Date) || Number.isNaN(value.getTime())) return refuse();
      out.writeLongNumber(value.getTime());
    },
    read: (input) => new Date(input.readLongNumber()),
  },
  timestamp: { write: writeTimestamp, read: readTimestamp },
  any: { write: writeAny, read: readAny },
  "void-namespace": {
    write: (value, out) => (value === null ? out.writeByte(0) : refuse()),
    read: (input) => (input.readByte(), null),
  },
  "time-window": {
    write: (value, out) => {
      const { start, end } = value as { start: unknown; end: unknown };
      writeTimestamp(start, out);
      writeTimestamp(end, out);
    },
    read: (input) => ({ start: readTimestamp(input), end: readTimestamp(input) }),
  },
};

function enumerationCodec(values: readonly string[]): Codec {
  return {
    write: (value, out) => {
      const number = values.indexOf(value as string);
      if (number < 0) refuse();
      out.writeVarint(number);
    },
    read: (input) => chosen(values, input),
  };
}

/** The row that the number read next stands for. */
export function chosen<T>(rows: readonly T[], input: ByteReader): T {
  const at = input.position;
  const row = rows[input.readVarint()];
  if (row === undefined)
    throw new MalformedBytesError(`One of ${rows.length} alternatives expected`, at);
  return row;
}

function arrayCodec(element: Codec): Codec {
  return {
    write: (value, out) => {
      if (!Array.isArray(value)) return refuse();
      out.writeInt(value.length);
      for (let index = 0; index < value.length; index++) element.write(value[index], out);
    },
    read: (input) => {
      const array: unknown[] = [];
      for (let count = readSize(input); count > 0; count--) array.push(element.read(input));
      return array;
    },
  };
}

/** A count of elements as Flink writes it. Not compared with what is left: an element may take no bytes. */
export function readSize(input: ByteReader): number {
  const size = input.readInt();
  if (size < 0) throw new MalformedBytesError(`A size of ${size}`, input.position - 4);
  return size;
}

function setCodec(element: Codec): Codec {
  return {
    write: (value, out) => {
      if (!(value instanceof Set)) return refuse();
      out.writeInt(value.size);
      for (const one of value) element.write(one, out);
    },
    read: (input) => {
      const set = new Set<unknown>();
      for (let count = readSize(input); count > 0; count--) set.add(element.read(input));
      return set;
    },
  };
}

function mapCodec(key: Codec, value: Codec): Codec {
  return {
    write: (map, out) => {
      if (!(map instanceof Map)) return refuse();
      out.writeInt(map.size);
      for (const [one, held] of map) {
        key.write(one, out);
        out.writeByte(0); // Flink's "value is null"
        value.write(held, out);
      }
    },
    read: (input) => {
      const map = new Map<unknown, unknown>();
      for (let count = readSize(input); count > 0; count--) {
        const one = key.read(input);
        map.set(one, input.readBoolean() ? null : value.read(input));
      }
      return map;
    },
  };
}

function absentCodec(of: Codec, absent: undefined | null): Codec {
  return {
    write: (value, out) => {
      out.writeBoolean(value !== absent);
      if (value !== absent) of.write(value, out);
    },
    read: (input) => (input.readBoolean() ? of.read(input) : absent),
  };
}

function tupleCodec(fields: readonly Codec[]): Codec {
  return {
    write: (value, out) => {
      if (!Array.isArray(value) || value.length !== fields.length) return refuse();
      fields.forEach((field, index) => field.write(value[index], out));
    },
    read: (input) => fields.map((field) => field.read(input)),
  };
}

/** Bits of which optional fields are there, eight to a byte, low bit first; then the fields that are. */
function structCodec(shape: StructShape): Codec {
  const fields = shape.fields.map(({ name, shape: of }) => ({
    name,
    isOptional: of.kind === "optional",
    codec: interpretedCodec(of.kind === "optional" ? of.of : of),
  }));
  const optional = fields.filter((field) => field.isOptional);
  return {
    write: (value, out) => {
      if (typeof value !== "object" || value === null || Array.isArray(value)) return refuse();
      const held = value as Readonly<Record<string, unknown>>;
      for (let first = 0; first < optional.length; first += 8) {
        const eight = optional.slice(first, first + 8);
        out.writeByte(
          eight.reduce(
            (bits, { name }, bit) => bits | (held[name] === undefined ? 0 : 1 << bit),
            0,
          ),
        );
      }
      for (const { name, isOptional, codec } of fields) {
        const one = held[name];
        if (!isOptional || one !== undefined) codec.write(one, out);
      }
    },
    read: (input) => {
      const present = input.readBytes(Math.ceil(optional.length / 8));
      const value: Record<string, unknown> = {};
      let bit = 0;
      for (const { name, isOptional, codec } of fields) {
        const isPresent = !isOptional || (((present[bit >> 3] ?? 0) >> (bit++ & 7)) & 1) === 1;
        value[name] = isPresent ? codec.read(input) : undefined;
      }
      return value;
    },
  };
}

function unionCodec(shape: UnionShape): Codec {
  const { discriminator } = shape;
  const codecs = shape.alternatives.map((alternative) => interpretedCodec(alternative.shape));
  if (discriminator === undefined) {
    return {
      write: (value, out) => {
        const number = alternativeOf(shape, value);
        out.writeVarint(number);
        (codecs[number] ?? refuse()).write(value, out);
      },
      read: (input) => chosen(codecs, input).read(input),
    };
  }
  const rows = shape.alternatives.map(({ tag }, index) => ({
    tag,
    codec: codecs[index] ?? refuse(),
  }));
  return {
    write: (value, out) => {
      const tag = (value as Readonly<Record<string, unknown>>)[discriminator];
      const number = rows.findIndex((row) => row.tag === tag);
      out.writeVarint(number < 0 ? refuse() : number);
      (rows[number] ?? refuse()).codec.write(value, out);
    },
    read: (input) => {
      const { tag, codec } = chosen(rows, input);
      return { [discriminator]: tag, ...(codec.read(input) as object) };
    },
  };
}

/** The first alternative that the value fits. */
export function alternativeOf(shape: UnionShape, value: unknown): number {
  const number = shape.alternatives.findIndex(
    (alternative) => findMisfit(alternative.shape, value) === undefined,
  );
  return number < 0 ? refuse() : number;
}
