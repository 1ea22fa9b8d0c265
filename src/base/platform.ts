import type { FileSystem } from "./file-system.ts";

/**
 * All that is not a function of its inputs comes through here, so that a simulation can own it.
 *
 * @remarks
 * `nodePlatform()` is the only implementation that touches the real clock, timers, chance and files;
 * the tidy test finds any other use.
 */
export interface Platform {
  /** Wall-clock time in milliseconds since the epoch. May jump. */
  nowMs(): number;
  /** Milliseconds, with fractions, since an arbitrary start. Never goes back; for measuring durations. */
  monotonicMs(): number;
  /** Processor time that the calling thread has used, in milliseconds; undefined where the system does not tell. */
  threadCpuMs?(): number | undefined;
  /** A number in [0, 1). */
  random(): number;
  /** Calls back once, not before `delayMs` have passed. Returns a function that cancels. */
  after(delayMs: number, callback: () => void): () => void;
  /** Calls back soon, after pending I/O had a chance. The yield of a loop that has more to do. */
  soon(callback: () => void): void;
  /** Files of this machine. */
  readonly files: FileSystem;
}

/** A random id in Flink's form: 32 hexadecimal digits. */
export function randomId(platform: Platform): string {
  let text = "";
  while (text.length < 32) {
    text += Math.floor(platform.random() * 0x1_0000_0000)
      .toString(16)
      .padStart(8, "0");
  }
  return text;
}

/** A random id in UUID form (version 4 layout), as Flink names its state files. */
export function randomUuid(platform: Platform): string {
  const hex = randomId(platform);
  const variant = ((Number.parseInt(hex[16] ?? "0", 16) & 0x3) | 0x8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
}
