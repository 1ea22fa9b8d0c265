import { StreamError, type ByteReader, type ByteWriter } from "../base/index.ts";
import type { Codec } from "./codec/codec.ts";
import { compileCodec } from "./codec/compiled-codec.ts";
import { snapshotOfShape } from "./snapshot/shape-snapshot.ts";
import { keyKindOf, rowFieldsOf, typeNameOf, type TypeShape } from "./type-shape.ts";
import type { KeyKind, SerializerSnapshot, TypeSerializer } from "./type-serializer.ts";
import { findMisfit } from "./codec/value-misfit.ts";

/** The serializer of a shape. Its codec is made at first use. */
export class ShapeSerializer<T> implements TypeSerializer<T> {
  readonly shape: TypeShape;
  readonly typeName: string;
  readonly keyKind: KeyKind;
  readonly rowFields: readonly string[] | undefined;
  #codec: Codec | undefined;
  #snapshot: SerializerSnapshot | undefined;

  constructor(shape: TypeShape) {
    this.shape = shape;
    this.typeName = typeNameOf(shape);
    this.keyKind = keyKindOf(shape);
    this.rowFields = rowFieldsOf(shape);
  }

  get snapshot(): SerializerSnapshot {
    return (this.#snapshot ??= snapshotOfShape(this.shape));
  }

  write(value: T, out: ByteWriter): void {
    const codec = (this.#codec ??= compileCodec(this.shape));
    const start = out.length;
    try {
      codec.write(value, out);
    } catch (error) {
      out.truncate(start);
      throw misfitError(this.shape, value, error);
    }
  }

  read(input: ByteReader): T {
    const codec = (this.#codec ??= compileCodec(this.shape));
    return codec.read(input) as T;
  }
}

/** What the codec's refusal of a value means to whoever wrote it. */
export function misfitError(shape: TypeShape, value: unknown, error: unknown): unknown {
  const misfit = findMisfit(shape, value);
  if (misfit === undefined) return error;
  return new StreamError("VALUE_NOT_SERIALIZABLE", { where: undefined, ...misfit });
}

/** The shape of any serializer; of one that `Types` did not make, only that it is custom. */
export function shapeOf(serializer: TypeSerializer<unknown>): TypeShape {
  return "shape" in serializer ? (serializer.shape as TypeShape) : { kind: "custom", serializer };
}
