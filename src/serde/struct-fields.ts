import { ShapeSerializer, shapeOf } from "./shape-serializer.ts";
import type { TypeSerializer } from "./type-serializer.ts";

/**
 * The fields of a struct by name, in order, to make another struct that holds them too; undefined if the type is none.
 *
 * @remarks
 * Initial values of fields that old state lacks come along.
 */
export function structFields(
  type: TypeSerializer<unknown>,
): Readonly<Record<string, TypeSerializer<unknown>>> | undefined {
  const shape = shapeOf(type);
  if (shape.kind !== "struct") return undefined;
  return Object.fromEntries(
    shape.fields.map((field) => {
      const serializer = new ShapeSerializer<unknown>(field.shape);
      const { makeDefault } = field;
      return [
        field.name,
        makeDefault === undefined ? serializer : Object.assign(serializer, { makeDefault }),
      ];
    }),
  );
}
