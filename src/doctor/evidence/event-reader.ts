import type { LogEvent, Place, StackFrame, ThreadStack } from "./evidence.ts";
import { type LogHeader, parseLogHeader, parseStamp, processOf } from "./log-header.ts";
import {
  embeddedThrown,
  frameOf,
  parseBareFrame,
  parseTraceLine,
  ThrownBuilder,
  type TraceLine,
} from "./stack-trace.ts";

const MAX_MESSAGE = 12_000;
const MAX_TEXT_LINES = 60;

const RUNTIME_PREFIX =
  /^(?:\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d) (?:stdout|stderr) [FP] |\d{4}-\d\d-\d\dT[\d:.]+Z |\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?Z? (?=\s*(?:at |Caused|\.\.\.|Suppressed|[a-z]+\.))|[\w.-]+\s+\| |\[[A-Za-z][\w/ .:-]*\]\s{0,3}(?=\s*(?:at |Caused|\.\.\.|Suppressed|[a-z]+\.[a-z]|"|-  ?)))/u;
const DUMP_HEAD =
  /^\s*"([^"]{1,300})"\s+(?:(?:daemon|prio=\S+|os_prio=\S+|cpu=\S+|elapsed=\S+|tid=\S+|nid=\S+|#\d+|\[\d+\])\s*)*(?:Id=\d+\s+)?(.*)$/u;
const STUCK = /^Task '(.+?)' did not react to cancelling signal/u;
const BOUNDARY = /^\s*$|^(?:#|===|---|\$ |\+\+\+ )/u;

interface OpenEvent {
  readonly place: Place;
  readonly header: LogHeader | undefined;
  readonly process: string | undefined;
  readonly atMs: number | undefined;
  message: string;
  textLines: number;
  readonly thrown: ThrownBuilder;
  stuck: StackFrame[] | undefined;
}

interface OpenStack {
  readonly thread: string;
  state: string;
  readonly frames: StackFrame[];
  readonly locked: string[];
  waitingFor: string | undefined;
  readonly place: Place;
}

export interface EventSink {
  event(event: LogEvent): void;
  stack(stack: ThreadStack): void;
}

/**
 * Builds log records and thread stacks from lines, one line at a time.
 *
 * @remarks
 * A line that begins no record belongs to the record before it, until an empty line or a heading ends that record.
 * What stands before a record (pod name, stream, second stamp) is remembered by its shape, so that the lines of a
 * stack trace lose the same prefix.
 */
export class EventReader {
  readonly #file: string;
  readonly #sink: EventSink;
  readonly #prefixShapes = new Map<string, number>();
  #process: string | undefined;
  #event: OpenEvent | undefined;
  #stack: OpenStack | undefined;
  #lastAtMs: number | undefined;

  constructor(file: string, sink: EventSink) {
    this.#file = file;
    this.#sink = sink;
  }

  push(raw: string, line: number): void {
    const place: Place = { file: this.#file, line };
    const header = parseLogHeader(raw);
    if (header !== undefined) {
      this.#beginRecord(header, place);
      return;
    }
    const text = this.#stripPrefix(raw);
    if (this.#pushToStack(text, place)) return;
    const dump = DUMP_HEAD.exec(text);
    if (
      dump !== null &&
      /\b(?:RUNNABLE|BLOCKED|WAITING|TIMED_WAITING|NEW|TERMINATED|runnable|waiting|sleeping|tid=)/u.test(
        text,
      )
    ) {
      this.#beginStack(dump[1] ?? "", dump[2] ?? text, place);
      return;
    }
    this.#pushText(text, place);
  }

  /** Takes a record whose parts came apart already, as JSON layouts give it. */
  pushRecord(header: LogHeader, trace: string | undefined, line: number): void {
    this.#beginRecord(header, { file: this.#file, line });
    for (const text of trace?.split("\n") ?? []) this.#pushText(text, { file: this.#file, line });
  }

  /** Ends the last record. */
  finish(): void {
    this.#endStack();
    this.#endEvent();
  }

  #beginRecord(header: LogHeader, place: Place): void {
    this.finish();
    if (header.prefix.trim() !== "") this.#rememberPrefix(header.prefix);
    this.#lastAtMs = header.atMs ?? this.#lastAtMs;
    this.#event = {
      place,
      header,
      process: header.prefix.trim() === "" ? undefined : processOf(header.prefix),
      atMs: header.atMs,
      message: header.message,
      textLines: 0,
      thrown: new ThrownBuilder(),
      stuck: undefined,
    };
    this.#process = this.#event.process;
    if (STUCK.test(header.message)) this.#event.stuck = [];
    const thrown = embeddedThrown(header.message);
    if (thrown !== undefined)
      this.#event.thrown.begin(thrown.className, thrown.message, "top", place);
  }

  #rememberPrefix(prefix: string): void {
    const trimmed = prefix.trimEnd();
    if (this.#prefixShapes.size < 200)
      this.#prefixShapes.set(trimmed.replace(/\d/gu, "0"), trimmed.length);
  }

  #stripPrefix(line: string): string {
    for (const [shape, length] of this.#prefixShapes) {
      if (line.length >= length && line.slice(0, length).replace(/\d/gu, "0") === shape) {
        const rest = line.slice(length);
        return rest.startsWith(" ") ? rest.slice(1) : rest;
      }
    }
    return line.replace(RUNTIME_PREFIX, "");
  }

  #beginStack(thread: string, rest: string, place: Place): void {
    this.finish();
    const state =
      /\b(RUNNABLE|BLOCKED|TIMED_WAITING|WAITING|NEW|TERMINATED)\b/u.exec(rest)?.[1] ?? "";
    const waiting = /\bon (\S+@[0-9a-f]+)(?: owned by "([^"]+)")?/u.exec(rest);
    this.#stack = { thread, state, frames: [], locked: [], waitingFor: waiting?.[1], place };
  }

  #pushToStack(text: string, place: Place): boolean {
    const stack = this.#stack;
    if (stack === undefined) return false;
    const frame = parseTraceLine(text);
    if (frame?.kind === "frame") {
      stack.frames.push(frameOf(frame.method, frame.jar, place));
      return true;
    }
    const state = /java\.lang\.Thread\.State: (\w+)/u.exec(text);
    if (state !== null) {
      stack.state = state[1] ?? "";
      return true;
    }
    const lock =
      /^\s*-\s+(locked|waiting to lock|waiting on|blocked on|parking to wait for)\s+(.+)$/u.exec(
        text,
      );
    if (lock !== null) {
      if (lock[1] === "locked") stack.locked.push(lock[2] ?? "");
      else stack.waitingFor ??= lock[2];
      return true;
    }
    if (/^\s*(?:\.\.\.|Number of locked|Locked ownable|- <0x|- None)/u.test(text)) return true;
    this.#endStack();
    return text.trim() === "";
  }

  #endStack(): void {
    const stack = this.#stack;
    if (stack === undefined) return;
    this.#stack = undefined;
    this.#sink.stack({ ...stack, source: "dump" });
  }

  #pushText(text: string, place: Place): void {
    if (BOUNDARY.test(text)) {
      const event = this.#event;
      if (event?.stuck !== undefined && text.trim() === "" && event.stuck.length === 0) return;
      this.#endEvent();
      if (text.trim() !== "") this.#openText(text, place);
      return;
    }
    const alone = parseStamp(text.trim());
    if (alone !== undefined && text.trim().length < 30) {
      this.#endEvent();
      this.#lastAtMs = alone;
      return;
    }
    const trace = parseTraceLine(text);
    if (trace !== undefined && trace.kind !== "more") {
      this.#pushTrace(trace, text, place);
      return;
    }
    if (trace?.kind === "more") return;
    this.#pushPlain(text, place);
  }

  #pushTrace(trace: Exclude<TraceLine, { kind: "more" }>, text: string, place: Place): void {
    const event = this.#event ?? this.#openText("", place);
    if (trace.kind === "frame") {
      if (event.stuck !== undefined) event.stuck.push(frameOf(trace.method, trace.jar, place));
      else event.thrown.addFrame(trace.method, trace.jar, place);
      return;
    }
    if (
      trace.kind === "top" &&
      event.header === undefined &&
      (!event.thrown.isEmpty || event.message !== "")
    ) {
      if (!event.thrown.expectsText || event.thrown.isEmpty) {
        this.#endEvent();
        this.#openText("", place).thrown.begin(trace.className, trace.message, "top", place);
        return;
      }
    }
    void text;
    event.thrown.begin(trace.className, trace.message, trace.kind, place);
  }

  #pushPlain(text: string, place: Place): void {
    const event = this.#event;
    if (event === undefined) {
      this.#openText(text, place);
      return;
    }
    const bare = parseBareFrame(text);
    if (bare !== undefined && event.stuck !== undefined) {
      event.stuck.push(frameOf(bare, undefined, place));
      return;
    }
    event.textLines++;
    if (event.textLines > MAX_TEXT_LINES || (event.header === undefined && event.thrown.isEmpty)) {
      this.#endEvent();
      this.#openText(text, place);
      return;
    }
    if (event.thrown.isEmpty) {
      if (event.message.length < MAX_MESSAGE) event.message += `\n${text}`;
    } else if (event.thrown.expectsText) event.thrown.addText(text);
    else {
      this.#endEvent();
      this.#openText(text, place);
    }
  }

  #openText(text: string, place: Place): OpenEvent {
    const event: OpenEvent = {
      place,
      header: undefined,
      process: this.#process,
      atMs: this.#lastAtMs,
      message: text,
      textLines: 0,
      thrown: new ThrownBuilder(),
      stuck: undefined,
    };
    const thrown = text === "" ? undefined : embeddedThrown(text);
    if (thrown !== undefined) event.thrown.begin(thrown.className, thrown.message, "top", place);
    this.#event = event;
    return event;
  }

  #endEvent(): void {
    const event = this.#event;
    if (event === undefined) return;
    this.#event = undefined;
    const stuck = STUCK.exec(event.message);
    if (event.stuck !== undefined && stuck !== null && event.stuck.length > 0) {
      this.#sink.stack({
        thread: stuck[1] ?? "",
        state: "STUCK",
        frames: event.stuck,
        locked: [],
        waitingFor: undefined,
        source: "stuck-report",
        place: event.place,
      });
    }
    this.#sink.event({
      place: event.place,
      atMs: event.atMs,
      level: event.header?.level,
      logger: event.header?.logger,
      thread: event.header?.thread,
      process: event.process,
      message: event.message.slice(0, MAX_MESSAGE),
      thrown: event.thrown.finish(),
      repeats: 1,
      lastAtMs: undefined,
    });
  }
}
