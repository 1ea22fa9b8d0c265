import { ByteWriter } from "../../src/base/index.ts";
import {
  type CellBlock,
  flushedBytes,
  FrameReader,
  outBytes,
  readReport,
  type StageEntry,
  type StageProgress,
  writeEntry,
} from "../../src/stage/index.ts";
import type { ConnectStage } from "../../src/testing/stage/stage-connection.ts";

/** A way to a stage on which what it tells is changed: a broken border, which the suite must find. */
export function faultyConnection(
  connect: ConnectStage,
  change: (progress: StageProgress) => StageProgress,
): ConnectStage {
  return ({ onBytes, onEnd }) => {
    const reader = new FrameReader();
    return connect({
      onEnd,
      onBytes: (piece) => {
        for (const frame of reader.push(piece)) {
          const report =
            frame.type === "OUT" || frame.type === "FLUSHED" ? readReport(frame) : undefined;
          if (report?.kind === "out")
            onBytes(outBytes(written(change(report.progress)), report.covers));
          else if (report?.kind === "flushed")
            onBytes(
              flushedBytes(
                report.checkpointId,
                written(change(report.progress)),
                report.operatorStates,
              ),
            );
          else onBytes(unchanged(frame.type, frame.flags, frame.payload));
        }
      },
    });
  };
}

const NUMBERS: Readonly<Record<string, number>> = { READY: 65, ERROR: 68, METRICS: 69 };

function unchanged(type: string, flags: number, payload: Uint8Array): Uint8Array {
  const out = new ByteWriter();
  out.writeInt(payload.length + 2);
  out.writeByte(NUMBERS[type] ?? 0);
  out.writeByte(flags);
  out.writeBytes(payload);
  return out.toBytes();
}

function written(progress: StageProgress): Parameters<typeof outBytes>[0] {
  return { ...progress, outputs: encoded(progress.outputs) };
}

function encoded(entries: readonly StageEntry[]): { count: number; bytes: Uint8Array } {
  const out = new ByteWriter();
  for (const entry of entries) writeEntry(entry, out);
  return { count: entries.length, bytes: out.toBytes() };
}

/** Leaves out the last cell of every block that has any of the wanted kind. */
export function withoutLast(
  { declarations, cells }: CellBlock,
  isWanted: (cell: CellBlock["cells"][number]) => boolean,
): CellBlock {
  const last = cells.findLastIndex(isWanted);
  return { declarations, cells: cells.filter((_, index) => index !== last) };
}
