import { type LogHeader, parseStamp } from "./log-header.ts";

/** A line of a JSON log: either the line that a container runtime wrapped, or a record in parts. */
export type JsonLine =
  | { readonly kind: "wrapped"; readonly text: string }
  | { readonly kind: "record"; readonly header: LogHeader; readonly trace: string | undefined };

type Fields = Readonly<Record<string, unknown>>;

function fieldsOf(value: unknown): Fields | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value))
    : undefined;
}

/** The first of these members that is a text, looking into one level of objects for dotted names. */
function pick(fields: Fields, names: readonly string[]): string | undefined {
  for (const name of names) {
    const direct = fields[name];
    if (typeof direct === "string" && direct !== "") return direct;
    if (typeof direct === "number") return String(direct);
    const [head, tail] = name.split(".", 2);
    const nested = tail === undefined ? undefined : fieldsOf(fields[head ?? ""])?.[tail];
    if (typeof nested === "string" && nested !== "") return nested;
  }
  return undefined;
}

const MESSAGE = [
  "message",
  "msg",
  "@message",
  "log.message",
  "event.message",
  "textPayload",
  "body",
];
const LEVEL = ["level", "log.level", "messageType", "severity", "loglevel", "levelname", "@level"];
const LOGGER = [
  "logger",
  "loggerName",
  "log.logger",
  "logger_name",
  "class",
  "category",
  "controller",
];
const THREAD = ["thread", "threadName", "thread_name", "process.thread.name"];
const STAMP = ["@timestamp", "timestamp", "time", "ts", "datetime", "instant"];
const TRACE = [
  "exception",
  "error.stack_trace",
  "stack_trace",
  "stackTrace",
  "throwableInformation",
  "throwable",
  "thrown",
  "error.stackTrace",
  "stacktrace",
  "exc_info",
];

/** Reads a line that is one JSON object; undefined if it is none, or says nothing. */
export function parseJsonLine(line: string): JsonLine | undefined {
  const trimmed = line.trim();
  if (!trimmed.startsWith("{") || !trimmed.endsWith("}") || trimmed.length > 4_000_000)
    return undefined;
  let parsed: unknown;
  try {
    parsed = JSON.parse(trimmed);
  } catch {
    return undefined;
  }
  const fields = fieldsOf(parsed);
  if (fields === undefined) return undefined;
  const wrapped = fields["log"] ?? fields["line"];
  if (typeof wrapped === "string") return { kind: "wrapped", text: wrapped.replace(/\n$/u, "") };
  const message = pick(fields, MESSAGE);
  if (message === undefined) return undefined;
  const level = (pick(fields, LEVEL) ?? "INFO").toUpperCase();
  const trace =
    pick(fields, TRACE) ??
    joined(fields["throwableInformation"]) ??
    traceOf(fields["thrown"] ?? fields["exception"]) ??
    pick(fields, ["error", "err", "error.message"]);
  const header: LogHeader = {
    prefix: "",
    atMs: stampOf(fields),
    level: level === "WARNING" ? "WARN" : level,
    logger: pick(fields, LOGGER),
    thread: pick(fields, THREAD),
    message,
  };
  return { kind: "record", header, trace };
}

function joined(value: unknown): string | undefined {
  return Array.isArray(value)
    ? value.filter((line) => typeof line === "string").join("\n")
    : undefined;
}

/** Log4j 2 writes an exception as an object with its trace, or with name and message alone. */
function traceOf(value: unknown): string | undefined {
  const fields = fieldsOf(value);
  if (fields === undefined) return undefined;
  const trace = pick(fields, [
    "stacktrace",
    "extendedStackTrace",
    "stackTrace",
    "stack_trace",
    "trace",
  ]);
  if (trace !== undefined) return trace;
  const name = pick(fields, ["exception_class", "name", "class", "className", "type"]);
  const message = pick(fields, ["exception_message", "message", "localizedMessage"]);
  return name === undefined ? message : message === undefined ? name : `${name}: ${message}`;
}

function stampOf(fields: Fields): number | undefined {
  const stamp = pick(fields, STAMP);
  if (stamp === undefined) return undefined;
  if (/^\d{13}$/u.test(stamp)) return Number(stamp);
  if (/^\d{10}(?:\.\d+)?$/u.test(stamp)) return Number(stamp) * 1000;
  return parseStamp(stamp);
}
