import type { ByteWriter } from "../../base/index.ts";
import type { SerializerSnapshot, TypeSerializer } from "../../serde/index.ts";
import type { StateDescriptor } from "../descriptor.ts";
import type { StateTables } from "./heap-states.ts";
import type { StateMetaInfo } from "../state-meta-info.ts";
import type { StoredValueFormat } from "./stored-value.ts";

/** A state that the job has declared, as the backend keeps it. */
export interface RegisteredState {
  readonly name: string;
  readonly kind: StateDescriptor["kind"];
  readonly tables: StateTables;
  readonly format: StoredValueFormat;
  readonly namespaceType: TypeSerializer<unknown>;
  readonly mapKeyType: TypeSerializer<unknown> | undefined;
  /** Writes the value of one entry of a map state. */
  readonly writeMapValue: ((value: unknown, out: ByteWriter) => void) | undefined;
  readonly meta: StateMetaInfo;
  /** Leaves expired parts out of what is written; undefined for an entry that has expired as a whole. */
  readonly filter: ((stored: unknown) => unknown) | undefined;
  /** What the user holds. */
  readonly state: object;
}

/** Flink's name of the kind, in the meta info. */
export const KEYED_STATE_TYPES: Readonly<Record<StateDescriptor["kind"], string>> = {
  value: "VALUE",
  list: "LIST",
  map: "MAP",
  reducing: "REDUCING",
  aggregating: "AGGREGATING",
};

export function keyValueMetaInfo(
  name: string,
  kind: StateDescriptor["kind"],
  namespace: SerializerSnapshot,
  value: SerializerSnapshot,
): StateMetaInfo {
  return {
    name,
    type: "KEY_VALUE",
    options: new Map([["KEYED_STATE_TYPE", KEYED_STATE_TYPES[kind]]]),
    serializers: new Map([
      ["NAMESPACE_SERIALIZER", namespace],
      ["VALUE_SERIALIZER", value],
    ]),
  };
}
