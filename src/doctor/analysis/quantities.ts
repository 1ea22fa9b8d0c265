const DURATION_UNITS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  nano: 1e-6,
  nanosecond: 1e-6,
  us: 1e-3,
  micro: 1e-3,
  ms: 1,
  milli: 1,
  millisecond: 1,
  s: 1000,
  sec: 1000,
  second: 1000,
  m: 60_000,
  min: 60_000,
  minute: 60_000,
  h: 3_600_000,
  hour: 3_600_000,
  d: 86_400_000,
  day: 86_400_000,
};

/** Reads a duration as Flink does: a bare number is milliseconds; `10 s`, `10min`, `PT10S`. */
export function parseDurationMs(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const plain = /^\s*(\d+(?:\.\d+)?)\s*([a-zA-Zµ]*)\s*$/u.exec(text);
  if (plain !== null) {
    const unit = (plain[2] ?? "").toLowerCase();
    const factor =
      unit === "" ? 1 : (DURATION_UNITS[unit] ?? DURATION_UNITS[unit.replace(/s$/u, "")]);
    return factor === undefined ? undefined : Number(plain[1]) * factor;
  }
  const iso = /^PT(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?$/iu.exec(text.trim());
  if (iso === null) return undefined;
  return (
    Number(iso[1] ?? 0) * 3_600_000 + Number(iso[2] ?? 0) * 60_000 + Number(iso[3] ?? 0) * 1000
  );
}

const SIZE_UNITS: Readonly<Record<string, number>> = {
  "": 1,
  b: 1,
  k: 1024,
  m: 1024 ** 2,
  g: 1024 ** 3,
  t: 1024 ** 4,
};

/** Reads a size as Flink does: units are powers of 1024, a bare number is bytes. */
export function parseSizeBytes(text: string | undefined): number | undefined {
  const match = /^\s*(\d+(?:\.\d+)?)\s*([a-zA-Z]*)\s*$/u.exec(text ?? "");
  if (match === null) return undefined;
  const factor =
    SIZE_UNITS[(match[2] ?? "").toLowerCase().replace(/(?:ib|bytes|b)$/u, "")] ??
    SIZE_UNITS[(match[2] ?? "").charAt(0).toLowerCase()];
  return factor === undefined ? undefined : Number(match[1]) * factor;
}

/** A duration as Flink's configuration writes it, rounded up to a unit that reads well. */
export function durationText(ms: number): string {
  if (ms < 1000) return `${Math.ceil(ms)} ms`;
  if (ms < 120_000) return `${Math.ceil(ms / 1000)} s`;
  if (ms < 7_200_000) return `${Math.ceil(ms / 60_000)} min`;
  return `${Math.ceil(ms / 3_600_000)} h`;
}

/** A size for a reader. */
export function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  if (bytes < 1024 ** 2) return `${(bytes / 1024).toFixed(1)} kB`;
  if (bytes < 1024 ** 3) return `${(bytes / 1024 ** 2).toFixed(1)} MB`;
  return `${(bytes / 1024 ** 3).toFixed(2)} GB`;
}
