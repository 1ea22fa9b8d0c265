import { structFields, Types, type TypeSerializer } from "../../serde/index.ts";

/** The borders of a key's session, as state holds them beside its contents. */
export interface HeldSession {
  readonly start: number;
  readonly end: number;
}

/** Folds one more record into what a session holds. */
export interface ContentsAdder<IN, ACC> {
  add(value: IN, contents: ACC): ACC;
}

/** How a session and its contents are one value of state. */
export interface SessionForm<ACC> {
  readonly type: TypeSerializer<HeldSession>;
  make(start: number, end: number, contents: ACC): HeldSession;
  /** A value without contents, of which only the borders say something. */
  empty(start: number, end: number): HeldSession;
  contentsOf(held: HeldSession): ACC;
  /**
   * The session with one more record if the record joins it; may be `held` itself, changed. Else what `unusual` says, or the session
   * as it is.
   */
  join<IN>(joining: SessionJoining<IN, ACC>, value: IN, held: HeldSession): HeldSession;
}

/** The record that may join a session. */
export interface SessionJoining<IN, ACC> {
  readonly timestamp: number;
  readonly gapMs: number;
  readonly adder: ContentsAdder<IN, ACC>;
  /** Called if the record does not join. Returns what the session becomes then; undefined leaves it. */
  unusual(): HeldSession | undefined;
}

/** The form for contents of this type: numbers side by side where all of it is numbers, so that state can lie in rows. */
export function sessionForm<ACC>(contents: TypeSerializer<ACC>): SessionForm<ACC> {
  return rowForm(contents) ?? objectForm(contents);
}

/** Borders are doubles: that of a marker may be no time. */
const BORDERS = { start: Types.double(), end: Types.double() };

interface SessionObject<ACC> {
  start: number;
  end: number;
  contents: ACC;
}

function objectForm<ACC>(contents: TypeSerializer<ACC>): SessionForm<ACC> {
  const type = Types.struct({ ...BORDERS, contents: Types.optional(contents) });
  const make = (start: number, end: number, held: ACC): SessionObject<ACC> => ({
    start,
    end,
    contents: held,
  });
  return {
    type: type as unknown as TypeSerializer<HeldSession>,
    make,
    empty: (start, end) => make(start, end, undefined as ACC),
    contentsOf: (held) => (held as SessionObject<ACC>).contents,
    join(joining, value, held) {
      const session = held as SessionObject<ACC>;
      const { timestamp } = joining;
      const end = timestamp + joining.gapMs;
      if (timestamp <= session.end && end >= session.start) {
        session.contents = joining.adder.add(value, session.contents);
        if (timestamp < session.start) session.start = timestamp;
        if (end > session.end) session.end = end;
        return session;
      }
      return joining.unusual() ?? session;
    },
  };
}

/** Undefined if the contents are not a struct of numbers, or code from strings is forbidden. */
function rowForm<ACC>(contents: TypeSerializer<ACC>): SessionForm<ACC> | undefined {
  const names = contents.rowFields;
  const fields = structFields(contents);
  if (names === undefined || names.length === 0 || fields === undefined) return undefined;
  const flat = Object.fromEntries(names.map((name) => [`of ${name}`, fields[name]]));
  const type = Types.struct({ ...BORDERS, ...flat } as typeof BORDERS);
  const stored = names.map((name) => `${quoted(`of ${name}`)}: contents[${quoted(name)}]`);
  const zeros = names.map((name) => `${quoted(`of ${name}`)}: 0`);
  const loaded = names.map((name) => `${quoted(name)}: held[${quoted(`of ${name}`)}]`);
  const locals = names.map((name, index) => `let v${index} = held[${quoted(`of ${name}`)}];`);
  const source = `return {
    make(start, end, contents) { return { start, end, ${stored.join(", ")} }; },
    empty(start, end) { return { start, end, ${zeros.join(", ")} }; },
    contentsOf(held) { return { ${loaded.join(", ")} }; },
    join(joining, value, held) {
      const timestamp = joining.timestamp;
      const newEnd = timestamp + joining.gapMs;
      let start = held.start, end = held.end;
      ${locals.join(" ")}
      if (timestamp <= end && newEnd >= start) {
        const contents = joining.adder.add(value, { ${names.map((name, index) => `${quoted(name)}: v${index}`).join(", ")} });
        ${names.map((name, index) => `v${index} = contents[${quoted(name)}];`).join(" ")}
        if (timestamp < start) start = timestamp;
        if (newEnd > end) end = newEnd;
      } else {
        const other = joining.unusual();
        if (other !== undefined) {
          start = other.start; end = other.end;
          ${names.map((name, index) => `v${index} = other[${quoted(`of ${name}`)}];`).join(" ")}
        }
      }
      return { start, end, ${names.map((name, index) => `${quoted(`of ${name}`)}: v${index}`).join(", ")} };
    },
  };`;
  try {
    // Functions of its own for each operator, small enough to be inlined. `join` makes one object at one place and lets neither it nor
    // `held` out: only then does V8 not allocate them.
    // oxlint-disable-next-line typescript/no-implied-eval -- the names are quoted, and come from the job's own declaration
    const form = new Function(source)() as Omit<SessionForm<ACC>, "type">;
    return { type: type as unknown as TypeSerializer<HeldSession>, ...form };
  } catch {
    return undefined;
  }
}

function quoted(name: string): string {
  return JSON.stringify(name);
}
