export type { KeyKind, SerializerCompatibility, SerializerSnapshot, TypeSerializer } from "./type-serializer.ts";
