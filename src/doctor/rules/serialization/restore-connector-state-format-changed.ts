import { type Rule, signature } from "../rule.ts";

const READS =
  /(?:SimpleVersioned\w*\.|Split\w*Serializer\.|Committable\w*Serializer\.|BucketStateSerializer\.|WriterStateSerializer\.|Enumerator\w*(?:State)?Serializer\.|Checkpoint\w*Serializer\.)\w*(?:deserialize|readVersionAndDeSerialize|DeSerialize|next)/iu;

/** Connector versions before and after write their state differently. */
export const restoreConnectorStateFormatChanged: Rule = signature({
  code: "restore-connector-state-format-changed",
  clues: [
    {
      text: /[Uu]nsupported version:? ?\d+|Supported versions? (?:is|are)|[Uu]nrecognized version(?: or corrupt state)?:? ?\d*|[Uu]nknown version:? ?\d+|version mismatch|Corrupt data: Unexpected magic number/u,
      frame: READS,
      confidence: 0.95,
    },
    {
      text: /Failed to deserialize \w*(?:Split|Committable|State|Checkpoint|Enumerator)\w*|[Uu]nsupported version:? \d+\. Supported/u,
      confidence: 0.93,
    },
    {
      text: /EOFException|IndexOutOfBounds|BufferUnderflow|NullPointerException|InvalidProtocolBuffer|StreamCorruptedException|UTFDataFormat|ArrayStoreException|ClassCastException|IllegalArgumentException|IOException/u,
      frame: READS,
      roles: ["restore", "task", "job", "report"],
      confidence: 0.85,
    },
    {
      text: /[Uu]nrecognized version(?: or corrupt state)|Unrecognized (?:committable|split|state) version/u,
      confidence: 0.88,
    },
  ],
});
