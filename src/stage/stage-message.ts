import {
  assert,
  ByteReader,
  type ByteWriter,
  MalformedBytesError,
  readUtf,
  writeUtf,
} from "../base/index.ts";
import type { OperatorStateMode, OperatorStatePartitions } from "../state/index.ts";
import { type CellBlock, readCells, writeCells } from "./cell-block.ts";
import { COVERS, type Frame, frameBytes } from "./frame.ts";
import { type Hello, readHello, readStageFailure, type StageFailure } from "./hello.ts";
import {
  type EncodedEntries,
  readCounted,
  readEntry,
  readTime,
  type StageEntry,
  writeCounted,
  writeTime,
} from "./stage-entry.ts";

/** Operator state of one operator as a snapshot has it. */
export interface OperatorStateBlob {
  readonly operatorId: string;
  readonly states: readonly OperatorStatePartitions[];
  readonly bytes: Uint8Array;
}

/** Why a stage is flushed. */
export type FlushReason = "CHECKPOINT" | "SAVEPOINT" | "END";

/** What goes to a stage. */
export type StageOrder =
  | { readonly kind: "hello"; readonly hello: Hello }
  | {
      readonly kind: "load";
      readonly cells: CellBlock;
      readonly operatorStates: readonly OperatorStateBlob[];
    }
  /** How many cells and blobs have come in all. */
  | { readonly kind: "load-end"; readonly cellCount: number; readonly blobCount: number }
  | { readonly kind: "data"; readonly entries: readonly StageEntry[] }
  | { readonly kind: "flush"; readonly checkpointId: number; readonly reason: FlushReason }
  | { readonly kind: "notify"; readonly checkpointId: number; readonly isComplete: boolean }
  | { readonly kind: "close" };

/** How far a stage has come. */
export interface StageProgress {
  /** Entries worked off since the process began: all that they caused has been written. */
  readonly countedEntries: number;
  /** When the next processing timer is due; infinity if there is none. */
  readonly nextTimerAtMs: number;
  readonly outputs: readonly StageEntry[];
  readonly changes: CellBlock;
}

/** The same as it is written. */
export interface WrittenProgress extends Omit<StageProgress, "outputs"> {
  readonly outputs: EncodedEntries;
}

/** What comes from a stage. */
export type StageReport =
  | { readonly kind: "ready" }
  | { readonly kind: "out"; readonly progress: StageProgress; readonly covers: boolean }
  | {
      readonly kind: "flushed";
      readonly checkpointId: number;
      readonly progress: StageProgress;
      readonly operatorStates: readonly OperatorStateBlob[];
    }
  | { readonly kind: "error"; readonly failure: StageFailure }
  | { readonly kind: "metrics"; readonly metrics: Readonly<Record<string, number>> };

const FLUSH_REASONS: readonly FlushReason[] = ["CHECKPOINT", "SAVEPOINT", "END"];
const MODES: readonly OperatorStateMode[] = ["SPLIT_DISTRIBUTE", "UNION", "BROADCAST"];

/** An order that is no data. */
export function orderBytes(order: Exclude<StageOrder, { readonly kind: "data" }>): Uint8Array {
  switch (order.kind) {
    case "hello":
      return frameBytes("HELLO", (out) => writeJson(order.hello, out));
    case "load":
      return frameBytes("LOAD", (out) => {
        writeCells(order.cells, out);
        writeBlobs(order.operatorStates, out);
      });
    case "load-end":
      return frameBytes("LOAD_END", (out) => {
        out.writeLongNumber(order.cellCount);
        out.writeInt(order.blobCount);
      });
    case "flush":
      return frameBytes("FLUSH", (out) => {
        out.writeLongNumber(order.checkpointId);
        out.writeByte(FLUSH_REASONS.indexOf(order.reason));
      });
    case "notify":
      return frameBytes("NOTIFY", (out) => {
        out.writeLongNumber(order.checkpointId);
        out.writeBoolean(order.isComplete);
      });
    case "close":
      return frameBytes("CLOSE");
  }
}

/** The entries to work off next, in order. */
export function dataBytes(entries: EncodedEntries): Uint8Array {
  return frameBytes("DATA", (out) => writeEntries(entries, out));
}

/** @throws MalformedBytesError if the frame is none that goes to a stage, or its payload is not what it must be. */
export function readOrder({ type, payload }: Frame): StageOrder {
  const input = new ByteReader(payload);
  const order = orderOf(type, input);
  return whole(order, input);
}

function orderOf(type: Frame["type"], input: ByteReader): StageOrder {
  switch (type) {
    case "HELLO":
      return { kind: "hello", hello: readHello(readJson(input)) };
    case "LOAD":
      return { kind: "load", cells: readCells(input), operatorStates: readBlobs(input) };
    case "LOAD_END":
      return { kind: "load-end", cellCount: input.readLongNumber(), blobCount: input.readInt() };
    case "DATA":
      return { kind: "data", entries: readEntries(input) };
    case "FLUSH":
      return {
        kind: "flush",
        checkpointId: input.readLongNumber(),
        reason: oneOf(FLUSH_REASONS, input),
      };
    case "NOTIFY":
      return {
        kind: "notify",
        checkpointId: input.readLongNumber(),
        isComplete: input.readBoolean(),
      };
    case "CLOSE":
      return { kind: "close" };
    default:
      throw new MalformedBytesError(`${type} goes the other way`, 0);
  }
}

/** What a stage has done since its last OUT or FLUSHED; `covers` if with it all that was counted has been told. */
export function outBytes(progress: WrittenProgress, covers: boolean): Uint8Array {
  return frameBytes("OUT", (out) => writeProgress(progress, out), covers ? COVERS : 0);
}

/** The answer to FLUSH: everything has been told. */
export function flushedBytes(
  checkpointId: number,
  progress: WrittenProgress,
  operatorStates: readonly OperatorStateBlob[],
): Uint8Array {
  return frameBytes("FLUSHED", (out) => {
    out.writeLongNumber(checkpointId);
    writeProgress(progress, out);
    writeBlobs(operatorStates, out);
    out.writeInt(0); // inputs that are still pending: none in this version
  });
}

/** A report that tells of no progress. */
export function reportBytes(
  report: Exclude<StageReport, { readonly kind: "out" | "flushed" }>,
): Uint8Array {
  switch (report.kind) {
    case "ready":
      return frameBytes("READY");
    case "error":
      return frameBytes("ERROR", (out) => writeJson(report.failure, out));
    case "metrics":
      return frameBytes("METRICS", (out) => writeJson(report.metrics, out));
  }
}

/** @throws MalformedBytesError if the frame is none that comes from a stage, or its payload is not what it must be. */
export function readReport({ type, flags, payload }: Frame): StageReport {
  const input = new ByteReader(payload);
  const report = reportOf(type, flags, input);
  return whole(report, input);
}

function reportOf(type: Frame["type"], flags: number, input: ByteReader): StageReport {
  switch (type) {
    case "READY":
      return { kind: "ready" };
    case "OUT":
      return { kind: "out", progress: readProgress(input), covers: (flags & COVERS) !== 0 };
    case "FLUSHED": {
      const checkpointId = input.readLongNumber();
      const progress = readProgress(input);
      const operatorStates = readBlobs(input);
      const pending = input.readInt();
      if (pending !== 0) throw new MalformedBytesError(`${pending} pending inputs`, input.position);
      return { kind: "flushed", checkpointId, progress, operatorStates };
    }
    case "ERROR":
      return { kind: "error", failure: readStageFailure(readJson(input)) };
    case "METRICS":
      return { kind: "metrics", metrics: readJson(input) as Readonly<Record<string, number>> };
    default:
      throw new MalformedBytesError(`${type} goes the other way`, 0);
  }
}

function whole<T>(message: T, input: ByteReader): T {
  if (input.remaining > 0)
    throw new MalformedBytesError(`${input.remaining} bytes too many`, input.position);
  return message;
}

function writeProgress(progress: WrittenProgress, out: ByteWriter): void {
  out.writeLongNumber(progress.countedEntries);
  writeTime(progress.nextTimerAtMs, out);
  writeEntries(progress.outputs, out);
  writeCells(progress.changes, out);
}

function readProgress(input: ByteReader): StageProgress {
  return {
    countedEntries: input.readLongNumber(),
    nextTimerAtMs: readTime(input),
    outputs: readEntries(input),
    changes: readCells(input),
  };
}

function writeEntries({ count, bytes }: EncodedEntries, out: ByteWriter): void {
  out.writeInt(count);
  out.writeBytes(bytes);
}

function readEntries(input: ByteReader): readonly StageEntry[] {
  const count = readCount(input);
  const entries: StageEntry[] = [];
  for (let index = 0; index < count; index++) entries.push(readEntry(input));
  return entries;
}

function writeBlobs(blobs: readonly OperatorStateBlob[], out: ByteWriter): void {
  out.writeShort(blobs.length);
  for (const { operatorId, states, bytes } of blobs) {
    writeUtf(operatorId, out);
    out.writeShort(states.length);
    for (const { name, mode, offsets } of states) {
      writeUtf(name, out);
      const number = MODES.indexOf(mode);
      assert(number >= 0, "the mode has its number");
      out.writeByte(number);
      out.writeInt(offsets.length);
      for (const offset of offsets) out.writeInt(offset);
    }
    writeCounted(bytes, out);
  }
}

function readBlobs(input: ByteReader): readonly OperatorStateBlob[] {
  return Array.from({ length: input.readUnsignedShort() }, () => {
    const operatorId = readUtf(input);
    const states = Array.from({ length: input.readUnsignedShort() }, () => ({
      name: readUtf(input),
      mode: oneOf(MODES, input),
      offsets: Array.from({ length: readCount(input) }, () => input.readInt()),
    }));
    return { operatorId, states, bytes: readCounted(input) };
  });
}

function readCount(input: ByteReader): number {
  const at = input.position;
  const count = input.readInt();
  if (count < 0 || count > input.remaining)
    throw new MalformedBytesError(`${count} announced, ${input.remaining} bytes left`, at);
  return count;
}

function oneOf<T>(members: readonly T[], input: ByteReader): T {
  const number = input.readUnsignedByte();
  const member = members[number];
  if (member === undefined)
    throw new MalformedBytesError(`An unknown number ${number}`, input.position - 1);
  return member;
}

function writeJson(value: unknown, out: ByteWriter): void {
  out.writeBytes(new TextEncoder().encode(JSON.stringify(value)));
}

function readJson(input: ByteReader): unknown {
  const at = input.position;
  const text = new TextDecoder().decode(input.readBytes(input.remaining));
  try {
    return JSON.parse(text);
  } catch {
    throw new MalformedBytesError("What is no JSON", at);
  }
}
