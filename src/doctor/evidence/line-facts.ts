import type { GcPause, ListedFile } from "./evidence.ts";
import { parseStamp } from "./log-header.ts";

const FIND_LONG =
  /^([bcdlps-][rwxsStT-]{9}[.+@]?)\s+(?:\d+\s+)?([\w.$-]+)(?::|\s+)([\w.$-]+)\s+(\d+)\s+(?:\d{4}-\d\d-\d\d|[A-Z][a-z]{2}\s+\d+)\s+(?:\d\d:\d\d(?::\d\d)?(?:\.\d+)?|\d{4})(?:\s+[+-]\d{4})?\s+(\S.*)$/u;
const PATH_SIZE =
  /^((?:[a-z][\w+.-]*:\/{1,3}|\/|\.\/)?(?:[\w.=@%+-]+\/)+(?:[\w.=@%+-]+)?)(?:\s+([\d.,]+)\s*([KMGT]i?B?|B|bytes)?)?\s*$/iu;
const S3_LS = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\s+(\d+)\s+(\S+\/\S*)\s*$/u;

/** Reads a line of `find`, `ls -l`, `hdfs dfs -ls`, `aws s3 ls`, or a plain list of paths. */
export function parseListing(text: string, file: string, line: number): ListedFile | undefined {
  const place = { file, line };
  const long = FIND_LONG.exec(text);
  if (long !== null) {
    return {
      path: (long[5] ?? "").replace(/ -> .*$/u, ""),
      kind: long[1]?.startsWith("d") === true ? "directory" : "file",
      sizeBytes: Number(long[4]),
      owner: `${long[2]}:${long[3]}`,
      mode: long[1],
      place,
    };
  }
  const s3 = S3_LS.exec(text);
  if (s3 !== null) return fileAt(s3[2] ?? "", Number(s3[1]), place);
  const plain = PATH_SIZE.exec(text);
  if (
    plain === null ||
    !/\/(?:chk-\d+|shared|taskowned|_metadata|savepoint-|[0-9a-f]{32})|_metadata|savepoint|checkpoint|\.jar$/u.test(
      plain[1] ?? "",
    )
  ) {
    return undefined;
  }
  return fileAt(plain[1] ?? "", sizeOf(plain[2], plain[3]), place);
}

function fileAt(
  path: string,
  sizeBytes: number | undefined,
  place: ListedFile["place"],
): ListedFile {
  const kind = path.endsWith("/") ? "directory" : "file";
  return {
    path: path.replace(/\/$/u, ""),
    kind,
    sizeBytes,
    owner: undefined,
    mode: undefined,
    place,
  };
}

const UNITS: Readonly<Record<string, number>> = {
  k: 1024,
  m: 1024 ** 2,
  g: 1024 ** 3,
  t: 1024 ** 4,
};

function sizeOf(number: string | undefined, unit: string | undefined): number | undefined {
  if (number === undefined) return undefined;
  const value = Number(number.replaceAll(",", ""));
  const factor = UNITS[(unit ?? "").charAt(0).toLowerCase()] ?? 1;
  return Number.isFinite(value) ? Math.round(value * factor) : undefined;
}

const GC_UNIFIED =
  /\bGC\(\d+\) (Pause (?:Full|Young|Remark|Cleanup|Init|Final)[^\d]*).*?([\d.]+)ms\s*$/u;
const GC_OLD = /\[(Full GC|GC)\b.*?,\s*([\d.]+)\s*secs\]/u;
const GC_STOPPED = /Total time for which application threads were stopped: ([\d.]+) seconds/u;

/** Reads a line of a garbage collection log, old or unified. */
export function parseGcPause(text: string, file: string, line: number): GcPause | undefined {
  const place = { file, line };
  const stamp = /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3})/u.exec(text)?.[1];
  const atMs = stamp === undefined ? undefined : parseStamp(stamp);
  const unified = GC_UNIFIED.exec(text);
  if (unified !== null) {
    return {
      atMs,
      durationMs: Number(unified[2]),
      full: unified[1]?.includes("Full") === true,
      place,
    };
  }
  const old = GC_OLD.exec(text);
  if (old !== null)
    return { atMs, durationMs: Number(old[2]) * 1000, full: old[1] === "Full GC", place };
  const stopped = GC_STOPPED.exec(text);
  return stopped === null
    ? undefined
    : { atMs, durationMs: Number(stopped[1]) * 1000, full: false, place };
}
