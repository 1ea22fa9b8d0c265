export {
  type CellBlock,
  EMPTY_CELLS,
  type StateCell,
  type StateDeclaration,
} from "./cell-block.ts";
export { type Frame, FrameReader, PROTOCOL_VERSION } from "./frame.ts";
export type { Hello, StageFailure } from "./hello.ts";
export {
  beginRecord,
  type EncodedEntries,
  endRecord,
  readEntry,
  type StageEntry,
  type StageKey,
  writeEntry,
} from "./stage-entry.ts";
export {
  dataBytes,
  flushedBytes,
  type FlushReason,
  type OperatorStateBlob,
  orderBytes,
  outBytes,
  readOrder,
  readReport,
  reportBytes,
  type StageOrder,
  type StageProgress,
  type StageReport,
} from "./stage-message.ts";
