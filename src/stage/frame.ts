import { ByteWriter, MalformedBytesError } from "../base/index.ts";

/**
 * Frames between a stage and whoever drives it: `u32` length of what follows, `u8` type, `u8` flags, payload. Big-endian throughout.
 *
 * @remarks
 * docs/reference/stage-frames.md describes every frame for whoever writes another end.
 */

/** Both ends name it first; a stage refuses another one. */
export const PROTOCOL_VERSION = 1;

/** Types below 64 go to the stage, the others come from it. */
export const FRAME_TYPES = {
  HELLO: 1,
  LOAD: 2,
  LOAD_END: 3,
  DATA: 4,
  FLUSH: 5,
  NOTIFY: 6,
  CLOSE: 7,
  READY: 65,
  OUT: 66,
  FLUSHED: 67,
  ERROR: 68,
  METRICS: 69,
} as const;

export type FrameType = keyof typeof FRAME_TYPES;

/** Flag of OUT: with it, all that the counted entries have changed has been told. */
export const COVERS = 1;

/** Larger ones are no frames: the other end writes something else. */
export const MAX_FRAME_BYTES: number = 1 << 29;

const HEAD_BYTES = 6;

export interface Frame {
  readonly type: FrameType;
  readonly flags: number;
  readonly payload: Uint8Array;
}

const TYPES_BY_NUMBER: ReadonlyMap<number, FrameType> = new Map(
  Object.entries(FRAME_TYPES).map(([type, number]) => [number, type as FrameType]),
);

/** Starts a frame; its payload is written next. */
export function beginFrame(out: ByteWriter, type: FrameType, flags = 0): number {
  const at = out.length;
  out.writeInt(0);
  out.writeByte(FRAME_TYPES[type]);
  out.writeByte(flags);
  return at;
}

/** Ends the frame that began at `at`. */
export function endFrame(out: ByteWriter, at: number): void {
  out.setInt(at, out.length - at - 4);
}

/** A frame by itself. */
export function frameBytes(
  type: FrameType,
  write: (out: ByteWriter) => void = () => undefined,
  flags = 0,
): Uint8Array {
  const out = new ByteWriter();
  const at = beginFrame(out, type, flags);
  write(out);
  endFrame(out, at);
  return out.toBytes();
}

/** Cuts what comes through a pipe, in pieces of any size, into frames. */
export class FrameReader {
  #pieces: Uint8Array[] = [];
  #lengthBytes = 0;
  /** Bytes that were cut off before. */
  #consumedBytes = 0;

  /** True if a frame has begun and not ended. */
  get isInsideFrame(): boolean {
    return this.#lengthBytes > 0;
  }

  /**
   * @returns The frames that are whole now. Their payloads are views into what was pushed.
   * @throws MalformedBytesError if the bytes are no frames.
   */
  push(piece: Uint8Array): readonly Frame[] {
    this.#pieces.push(piece);
    this.#lengthBytes += piece.length;
    const frames: Frame[] = [];
    for (let frame = this.#take(); frame !== undefined; frame = this.#take()) frames.push(frame);
    return frames;
  }

  #take(): Frame | undefined {
    if (this.#lengthBytes < HEAD_BYTES) return undefined;
    const head = this.#joined(HEAD_BYTES);
    const view = new DataView(head.buffer, head.byteOffset, HEAD_BYTES);
    const length = view.getUint32(0);
    const type = TYPES_BY_NUMBER.get(view.getUint8(4));
    if (type === undefined || length < 2 || length > MAX_FRAME_BYTES)
      throw new MalformedBytesError("What is no frame", this.#consumedBytes);
    const end = length + 4;
    if (this.#lengthBytes < end) return undefined;
    const bytes = this.#joined(end);
    this.#drop(end);
    return { type, flags: view.getUint8(5), payload: bytes.subarray(HEAD_BYTES, end) };
  }

  /** The first piece, made so long. */
  #joined(lengthBytes: number): Uint8Array {
    const [first] = this.#pieces;
    if (first !== undefined && first.length >= lengthBytes) return first;
    const all = new Uint8Array(this.#lengthBytes);
    let at = 0;
    for (const piece of this.#pieces) {
      all.set(piece, at);
      at += piece.length;
    }
    this.#pieces = [all];
    return all;
  }

  #drop(lengthBytes: number): void {
    const rest = (this.#pieces.shift() ?? new Uint8Array(0)).subarray(lengthBytes);
    if (rest.length > 0) this.#pieces.unshift(rest);
    this.#lengthBytes -= lengthBytes;
    this.#consumedBytes += lengthBytes;
  }
}
