import type { ByteReader } from "../../base/index.ts";
import {
  compositeParts,
  serializerFromSnapshot,
  type SerializerSnapshot,
  TIMER_SNAPSHOT_CLASS,
  TTL_SNAPSHOT_CLASS,
  type TypeSerializer,
} from "../../serde/index.ts";
import type { StateMetaInfo } from "../state-meta-info.ts";

/**
 * Passes over one entry of a state in a file that does not tell lengths, by what its header says of the serializers.
 *
 * @returns Undefined if a serializer is not known here.
 */
export function entrySkipperOf(
  meta: StateMetaInfo,
  keyType: TypeSerializer<unknown>,
): ((input: ByteReader) => void) | undefined {
  const value = meta.serializers.get("VALUE_SERIALIZER");
  if (value === undefined) return undefined;
  const skipValue = skipperOf(value);
  if (meta.type === "PRIORITY_QUEUE") return skipValue;
  const namespace = meta.serializers.get("NAMESPACE_SERIALIZER");
  const skipNamespace = namespace === undefined ? undefined : skipperOf(namespace);
  if (skipNamespace === undefined || skipValue === undefined) return undefined;
  return (input) => {
    skipNamespace(input);
    keyType.read(input);
    skipValue(input);
  };
}

function skipperOf(snapshot: SerializerSnapshot): ((input: ByteReader) => void) | undefined {
  const serializer = serializerFromSnapshot(snapshot);
  if (serializer !== undefined) return (input) => void serializer.read(input);
  const nested = compositeParts(snapshot)?.nested.map(skipperOf);
  if (nested === undefined) return undefined;
  const [first, second] = nested;
  if (first === undefined || nested.includes(undefined)) return undefined;
  if (snapshot.className === TTL_SNAPSHOT_CLASS) {
    return (input) => {
      first(input);
      second?.(input);
    };
  }
  if (snapshot.className === TIMER_SNAPSHOT_CLASS) {
    return (input) => {
      input.readLong();
      first(input);
      second?.(input);
    };
  }
  return second === undefined ? listSkipper(first) : mapSkipper(first, second);
}

/** The only other composites of known structure: a list, or a map, of elements with time-to-live. */
function listSkipper(element: (input: ByteReader) => void): (input: ByteReader) => void {
  return (input) => {
    for (let count = input.readInt(); count > 0; count--) element(input);
  };
}

function mapSkipper(
  key: (input: ByteReader) => void,
  value: (input: ByteReader) => void,
): (input: ByteReader) => void {
  return (input) => {
    for (let count = input.readInt(); count > 0; count--) {
      key(input);
      if (!input.readBoolean()) value(input);
    }
  };
}
