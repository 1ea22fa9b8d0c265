import type { MetadataFact } from "./evidence.ts";

/** Bytes before the body: magic number, version, checkpoint id. */
const HEAD_BYTES = 16;

/**
 * Reads the head of a `_metadata` file.
 *
 * Source: Flink's checkpoint metadata format, versions 2 to 7: magic `0x4960672d`, version, checkpoint id, big-endian.
 */
export function readMetadataHead(path: string, bytes: Uint8Array): MetadataFact {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < HEAD_BYTES) {
    return {
      path,
      sizeBytes: bytes.length,
      version: undefined,
      checkpointId: undefined,
      problem: "ends inside its head",
      operators: [],
    };
  }
  const version = view.getInt32(4);
  const id = view.getBigInt64(8);
  const problem =
    version < 1 || version > 7
      ? `has the unknown version ${version}`
      : id < 0n
        ? `has the checkpoint id ${id}`
        : undefined;
  return {
    path,
    sizeBytes: bytes.length,
    version,
    checkpointId: Number(id),
    problem,
    operators: [],
  };
}
