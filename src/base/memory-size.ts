import { trimAsJava } from "./duration.ts";

/**
 * Sizes as Flink's configuration writes them: `64 mb`, `1g`, `4096`. Units are powers of 1024.
 *
 * Source: Flink `MemorySize`.
 */
export type MemoryUnit = "BYTES" | "KILO_BYTES" | "MEGA_BYTES" | "GIGA_BYTES" | "TERA_BYTES";

interface MemoryUnitDefinition {
  readonly unit: MemoryUnit;
  readonly bytes: bigint;
  /** The second is used for printing. */
  readonly labels: readonly [string, string, ...string[]];
}

/** Smallest first. */
const MEMORY_UNITS: readonly MemoryUnitDefinition[] = [
  { unit: "BYTES", bytes: 1n, labels: ["b", "bytes"] },
  { unit: "KILO_BYTES", bytes: 1024n, labels: ["k", "kb", "kibibytes"] },
  { unit: "MEGA_BYTES", bytes: 1024n ** 2n, labels: ["m", "mb", "mebibytes"] },
  { unit: "GIGA_BYTES", bytes: 1024n ** 3n, labels: ["g", "gb", "gibibytes"] },
  { unit: "TERA_BYTES", bytes: 1024n ** 4n, labels: ["t", "tb", "tebibytes"] },
];

const MAX_BYTES = 2n ** 63n - 1n;

/** The forms that {@link parseMemorySize} takes, for error messages. */
export const MEMORY_SIZE_FORMS: string =
  'a whole number with a unit (b, kb, mb, gb, tb; none is bytes), such as "64 mb"';

/** The size in bytes, or undefined if the text is none. */
export function parseMemorySize(
  text: string,
  defaultUnit: MemoryUnit = "BYTES",
): bigint | undefined {
  const match = /^([0-9]+)\s*([a-z]*)$/i.exec(trimAsJava(text));
  if (match === null) return undefined;
  const label = (match[2] ?? "").toLowerCase();
  const unit = MEMORY_UNITS.find((candidate) =>
    label === "" ? candidate.unit === defaultUnit : candidate.labels.includes(label),
  );
  if (unit === undefined) return undefined;
  const bytes = BigInt(match[1] ?? "") * unit.bytes;
  return bytes <= MAX_BYTES ? bytes : undefined;
}

/** Written with the largest unit up to which all divide it: `64 mb`. Whole terabytes come out in bytes, as in Flink. */
export function formatMemorySize(bytes: bigint): string {
  const firstThatDoesNot = MEMORY_UNITS.findIndex((unit) => bytes % unit.bytes !== 0n);
  const unit = MEMORY_UNITS[Math.max(0, firstThatDoesNot - 1)];
  return unit === undefined ? "" : `${bytes / unit.bytes} ${unit.labels[1]}`;
}

/** For people: `1.500kb (1536 bytes)`. */
export function humanReadableMemorySize(bytes: bigint): string {
  const unit = MEMORY_UNITS.findLast((candidate) => bytes > candidate.bytes);
  if (unit === undefined || unit.unit === "BYTES") return `${bytes} bytes`;
  return `${(Number(bytes) / Number(unit.bytes)).toFixed(3)}${unit.labels[1]} (${bytes} bytes)`;
}
