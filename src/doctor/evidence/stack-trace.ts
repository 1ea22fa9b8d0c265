import type { Place, StackFrame, ThrownError } from "./evidence.ts";

/** What one line of a stack trace is. */
export type TraceLine =
  | { readonly kind: "frame"; readonly method: string; readonly jar: string | undefined }
  | {
      readonly kind: "cause" | "suppressed" | "top";
      readonly className: string;
      readonly message: string;
    }
  | { readonly kind: "more" };

const FRAME =
  /^\s*at\s+(?:[\w.@$-]*\/{1,2})*([\w$.<>/-]+)\((?:[^()]|\([^()]*\))*\)?(?:\s+~?\[([^\]]*)\])?\s*$/u;
const FRAME_CUT = /^\s*at\s+(?:[\w.@$-]*\/{1,2})*((?:[\w$]+\.){2,}[\w$<>]+)(?:\(.*)?$/u;
const MORE =
  /^\s*\.\.\.\s*(?:\d+\s+(?:more|common frames omitted|frames truncated)|\d+ more)?\s*$/u;
const LINKED = /^\s*(Caused by|Suppressed|Wrapped by|原因|引起)\s*[:：]\s*(.*)$/u;
const CLASS_NAME = String.raw`(?:[A-Za-z_$][\w$]*\.)+[A-Z_$][\w$]*|[A-Z][\w$]*(?:Exception|Error)`;
const THROWN_NAME = /(?:Exception|Error|Throwable|Failure|Interrupted|Death|Panic|Exception\d+)$/u;
const HEAD = new RegExp(
  String.raw`^\s*(?:Exception in thread "[^"]*"\s+)?(?:\[[A-Z]+\]\s+)?(${CLASS_NAME})(?:\s*[:：]\s?(.*))?$`,
  "su",
);
const ASYNCHRONOUS = /^\s*AsynchronousException\{(.*?)\}?\s*$/su;
const WRAPPER = /^org\.apache\.flink\.(?:util|runtime\.util)\.SerializedThrowable$/u;

/** Recognises a line of a stack trace; undefined for anything else. */
export function parseTraceLine(line: string): TraceLine | undefined {
  if (line.length > 20_000) return undefined;
  const frame = FRAME.exec(line) ?? FRAME_CUT.exec(line);
  if (frame !== null) {
    const jar = frame[2] === undefined || frame[2].startsWith("?") ? undefined : frame[2];
    return { kind: "frame", method: frame[1] ?? "", jar };
  }
  if (MORE.test(line)) return { kind: "more" };
  const linked = LINKED.exec(line);
  if (linked !== null) {
    const kind = linked[1] === "Suppressed" ? "suppressed" : "cause";
    const thrown = parseThrown(linked[2] ?? "");
    return { kind, ...(thrown ?? { className: "", message: linked[2] ?? "" }) };
  }
  const asynchronous = ASYNCHRONOUS.exec(line);
  if (asynchronous !== null)
    return { kind: "top", ...(parseThrown(asynchronous[1] ?? "") ?? empty(asynchronous[1])) };
  const thrown = parseThrown(line);
  return thrown === undefined ? undefined : { kind: "top", ...thrown };
}

function empty(message: string | undefined): { className: string; message: string } {
  return { className: "", message: message ?? "" };
}

/**
 * Reads `class: message`, taking off the wrapper that carries an exception between Flink's processes.
 *
 * @remarks
 * The JobManager prints a TaskManager's exception as `SerializedThrowable: java.io.IOException: text`; the class that
 * matters is the second one.
 */
export function parseThrown(text: string): { className: string; message: string } | undefined {
  const head = HEAD.exec(text);
  if (head === null) return undefined;
  const className = head[1] ?? "";
  const message = head[2] ?? "";
  if (WRAPPER.test(className)) return parseThrown(message) ?? { className: "", message };
  if (!THROWN_NAME.test(className)) return undefined;
  return { className, message };
}

const EMBEDDED = new RegExp(
  String.raw`(?:^|[\s:：(,{])((?:[a-z_$][\w$]*\.)+(?:[A-Z_$][\w$]*[.$])*[A-Z][\w$]*(?:Exception|Error|Throwable))(?:[:：]\s?([^]*))?$`,
  "u",
);

/** Finds the exception that a log message ends with (`… failed with failure cause: java.io.IOException: text`). */
export function embeddedThrown(
  message: string,
): { className: string; message: string } | undefined {
  const found = EMBEDDED.exec(message.length > 20_000 ? message.slice(0, 20_000) : message);
  if (found === null) return undefined;
  const text = found[2] === undefined ? (found[1] ?? "") : `${found[1]}: ${found[2]}`;
  return parseThrown(text);
}

/** A frame without `at`, as the report on a stuck task prints it. */
const BARE_FRAME =
  /^\s*(?:[\w.@$-]*\/{1,2})*((?:[\w$]+\.)+[\w$<>]+)\((?:[\w$]+\.(?:java|scala|kt)(?::\d+)?|Native Method|Unknown Source|SourceFile:\d+)\)\s*$/u;

export function parseBareFrame(line: string): string | undefined {
  return BARE_FRAME.exec(line)?.[1];
}

const MAX_FRAMES = 150;
const FLINK_JAR =
  /^flink-(?:dist|runtime|streaming-java|core|clients|rpc-\w+)(?:_2\.\d+)?-(\d+\.\d+(?:\.\d+)?)[\w.-]*\.jar/u;

export function frameOf(method: string, jar: string | undefined, place: Place): StackFrame {
  return {
    method,
    jar,
    jarVersion: jar === undefined ? undefined : FLINK_JAR.exec(jar)?.[1],
    place,
  };
}

/** Collects the exceptions of one record, outermost first. */
export class ThrownBuilder {
  readonly #thrown: {
    -readonly [K in keyof ThrownError]: ThrownError[K] extends readonly StackFrame[]
      ? StackFrame[]
      : ThrownError[K];
  }[] = [];

  get isEmpty(): boolean {
    return this.#thrown.length === 0;
  }

  /** True if the last exception has no frame yet, so that a line of text belongs to its message. */
  get expectsText(): boolean {
    const last = this.#thrown.at(-1);
    return last !== undefined && last.frames.length === 0;
  }

  begin(className: string, message: string, role: ThrownError["role"], place: Place): void {
    if (this.#thrown.length >= 60) return;
    this.#thrown.push({ className, message: message.slice(0, 8000), frames: [], role, place });
  }

  addFrame(method: string, jar: string | undefined, place: Place): void {
    if (this.#thrown.length === 0) this.begin("", "", "top", place);
    const last = this.#thrown.at(-1);
    if (last !== undefined && last.frames.length < MAX_FRAMES)
      last.frames.push(frameOf(method, jar, place));
  }

  addText(text: string): void {
    const last = this.#thrown.at(-1);
    if (last !== undefined && last.message.length < 8000) last.message += `\n${text}`;
  }

  finish(): readonly ThrownError[] {
    return this.#thrown;
  }
}
