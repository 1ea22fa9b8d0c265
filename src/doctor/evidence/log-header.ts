import { cleanText } from "./clean-text.ts";

/** The fixed part of a log record's first line. */
export interface LogHeader {
  /** What a container runtime or a person put before the record. */
  readonly prefix: string;
  readonly atMs: number | undefined;
  readonly level: string;
  readonly logger: string | undefined;
  readonly thread: string | undefined;
  readonly message: string;
}

const LEVEL = "TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL|SEVERE";

/** Date forms in front of a level: ISO with comma, dot or nothing; two-digit year of Hadoop; time of day alone. */
const STAMP =
  String.raw`(?:\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?|` +
  String.raw`\d\d[/-]\d\d[/-]\d\d \d\d:\d\d:\d\d(?:[.,]\d{1,6})?|\d\d:\d\d:\d\d[.,]\d{3})`;

/** stamp, perhaps a thread, level, and the rest. */
const FULL = new RegExp(
  String.raw`(${STAMP})(?:\s+-)?\s+(?:\[([^\]]{1,200})\]\s+)?\[?(${LEVEL})\]?(?=[\s:\]])[\s:]*`,
  "u",
);
const SHORT_LEVEL_FIRST = new RegExp(
  String.raw`^(?:\[?(${LEVEL})\]?)\s+(?=\[|[a-zA-Z_$][\w$]*[.$])`,
  "u",
);

/** After the level: `[thread] logger [] - message`, `logger: message`, `logger<TAB>message`. */
const LOGGER_DASH =
  /^(?:\[([^\]]{0,200})\]\s+)?([A-Za-z_$][\w$.-]*(?:\([\w.]+:\d+\))?)?\s*(?:\[[^\]]*\]|\{[^}]*\})?\s*(?:\[[^\]]*\]\s*)?- ?/u;
const LOGGER_COLON = /^(?:\[([^\]]{0,200})\]\s+)?([A-Za-z_$][\w$.]*)(?::\d+)?\s?: /u;
const LOGGER_TAB = /^([A-Za-z_$][\w$.-]*)\t/u;

/** How far into a line a record may begin. */
const MAX_PREFIX = 200;

/** Reads the head of a record, or undefined if the line begins none. */
export function parseLogHeader(line: string): LogHeader | undefined {
  const head = line.length > 1200 ? line.slice(0, 1200) : line;
  const full = FULL.exec(head);
  if (full !== null && full.index <= MAX_PREFIX && isPrefix(head.slice(0, full.index))) {
    const rest = line.slice(full.index + full[0].length);
    return {
      prefix: line.slice(0, full.index),
      atMs: parseStamp(full[1] ?? ""),
      level: normalLevel(full[3] ?? "INFO"),
      ...splitLogger(rest, full[2]),
    };
  }
  const short = SHORT_LEVEL_FIRST.exec(head);
  if (short === null) return undefined;
  const rest = line.slice(short[0].length);
  if (!LOGGER_DASH.test(rest.slice(0, 400)) && !LOGGER_COLON.test(rest.slice(0, 400)))
    return undefined;
  return {
    prefix: "",
    atMs: undefined,
    level: normalLevel(short[1] ?? "INFO"),
    ...splitLogger(rest, undefined),
  };
}

/** A prefix has no sentence in it: names, stamps, brackets. */
function isPrefix(text: string): boolean {
  return text === "" || /^[\w\s.:,|/[\]()<>{}@=+*"'#-]*$/u.test(text)
    ? !/\b(?:at|by|Exception)\b.*[:(]/u.test(text)
    : false;
}

function normalLevel(level: string): string {
  if (level === "WARNING") return "WARN";
  return level === "SEVERE" ? "ERROR" : level;
}

function splitLogger(
  rest: string,
  thread: string | undefined,
): { logger: string | undefined; thread: string | undefined; message: string } {
  const head = rest.slice(0, 600);
  const dash = LOGGER_DASH.exec(head);
  if (
    dash !== null &&
    (dash[2] !== undefined ||
      dash[1] !== undefined ||
      rest.startsWith("- ") ||
      head.startsWith("[] - "))
  ) {
    return { logger: dash[2], thread: thread ?? dash[1], message: rest.slice(dash[0].length) };
  }
  const bare = /^\[\] - /u.exec(head);
  if (bare !== null) return { logger: undefined, thread, message: rest.slice(bare[0].length) };
  const colon = LOGGER_COLON.exec(head);
  if (colon !== null)
    return { logger: colon[2], thread: thread ?? colon[1], message: rest.slice(colon[0].length) };
  const tab = LOGGER_TAB.exec(head);
  if (tab !== null) return { logger: tab[1], thread, message: rest.slice(tab[0].length) };
  const spaced = /^([a-z][\w$]*(?:\.[\w$]+){2,})\s+(?:\[[^\]]*\]\s+)?/u.exec(head);
  if (spaced !== null) return { logger: spaced[1], thread, message: rest.slice(spaced[0].length) };
  return { logger: undefined, thread, message: rest };
}

/** Milliseconds, reading the stamp as UTC; a stamp without a date counts from the epoch's day. */
export function parseStamp(stamp: string): number | undefined {
  const iso = /^(\d{4})[-/](\d\d)[-/](\d\d)[T ](\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))?/u.exec(stamp);
  if (iso !== null) return utc(iso[1], iso[2], iso[3], iso[4], iso[5], iso[6], iso[7]);
  const short = /^(\d\d)[/-](\d\d)[/-](\d\d) (\d\d):(\d\d):(\d\d)(?:[.,](\d{1,6}))?/u.exec(stamp);
  if (short !== null)
    return utc(`20${short[1]}`, short[2], short[3], short[4], short[5], short[6], short[7]);
  const time = /^(\d\d):(\d\d):(\d\d)[.,](\d{3})/u.exec(stamp);
  if (time !== null) return utc("1970", "01", "01", time[1], time[2], time[3], time[4]);
  return undefined;
}

function utc(
  year: string | undefined,
  month: string | undefined,
  day: string | undefined,
  hour: string | undefined,
  minute: string | undefined,
  second: string | undefined,
  fraction: string | undefined,
): number | undefined {
  const millis = fraction === undefined ? 0 : Number(fraction.slice(0, 3).padEnd(3, "0"));
  const at = Date.UTC(
    Number(year),
    Number(month) - 1,
    Number(day),
    Number(hour),
    Number(minute),
    Number(second),
    millis,
  );
  return Number.isFinite(at) ? at : undefined;
}

/** Matches the start of a record inside a line, for records that were joined into one. */
export const EMBEDDED_RECORD: RegExp = new RegExp(
  String.raw`(?<![\d\s-])\s*(?=\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[.,]\d{3}Z?\s+(?:\[[^\]]{1,120}\]\s+)?(?:${LEVEL})\s)`,
  "gu",
);

/** The name a prefix gives to the process, if any: the last word that is no stamp and no stream name. */
export function processOf(prefix: string): string | undefined {
  const words = cleanText(prefix)
    .replace(new RegExp(STAMP, "gu"), " ")
    .split(/[\s|[\]"]+/u)
    .filter(
      (word) =>
        /[a-z]/iu.test(word) &&
        !/^(?:stdout|stderr|[FP]|log|flink-main-container|T|Z)$/u.test(word),
    );
  return words[0];
}
