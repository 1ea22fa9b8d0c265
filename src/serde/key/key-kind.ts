import type { KeyKind } from "../type-serializer.ts";

/** Whether two kinds hash every key alike. */
export function sameKeyKind(a: KeyKind, b: KeyKind): boolean {
  if (typeof a === "string" || typeof b === "string") return a === b;
  return (
    a.fields.length === b.fields.length &&
    a.fields.every((field, index) => {
      const other = b.fields[index];
      return other !== undefined && sameKeyKind(field, other);
    })
  );
}

/** The kind in words a person reads. */
export function keyKindName(kind: KeyKind): string {
  return typeof kind === "string" ? kind : `tuple<${kind.fields.map(keyKindName).join(", ")}>`;
}
