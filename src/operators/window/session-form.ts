import { structFields, Types, type TypeSerializer } from "../../serde/index.ts";

/** The times of a key's first session, as state holds them beside its contents. */
export interface HeldSession {
  readonly start: number;
  readonly end: number;
  /** When a timer comes that looks at it: at its end, or earlier if it has grown since. */
  readonly timerAt: number;
  /** How many more sessions the key has, which lie in a state of their own. */
  readonly others: number;
}

/** How a session and its contents are one value of state. */
export interface SessionForm<ACC> {
  readonly type: TypeSerializer<HeldSession>;
  make(start: number, end: number, timerAt: number, others: number, contents: ACC): HeldSession;
  /** A value that stands for none yet: its times are NaN. */
  blank(): HeldSession;
  contentsOf(held: HeldSession): ACC;
  /** The session with other borders and contents; may be `held` itself, changed. */
  grown(held: HeldSession, start: number, end: number, contents: ACC): HeldSession;
}

/** The form for contents of this type: numbers side by side where all of it is numbers, so that state can lie in rows. */
export function sessionForm<ACC>(contents: TypeSerializer<ACC>): SessionForm<ACC> {
  return rowForm(contents) ?? objectForm(contents);
}

const TIMES = {
  start: Types.timestamp(),
  end: Types.timestamp(),
  timerAt: Types.timestamp(),
  others: Types.int(),
};

interface SessionObject<ACC> {
  start: number;
  end: number;
  timerAt: number;
  others: number;
  contents: ACC;
}

function objectForm<ACC>(contents: TypeSerializer<ACC>): SessionForm<ACC> {
  const type = Types.struct({ ...TIMES, contents });
  const make = (
    start: number,
    end: number,
    timerAt: number,
    others: number,
    held: ACC,
  ): SessionObject<ACC> => ({ start, end, timerAt, others, contents: held });
  return {
    type: type as unknown as TypeSerializer<HeldSession>,
    make,
    blank: () => make(Number.NaN, Number.NaN, Number.NaN, 0, undefined as ACC),
    contentsOf: (held) => (held as SessionObject<ACC>).contents,
    grown(held, start, end, contentsNow) {
      const session = held as SessionObject<ACC>;
      session.start = start;
      session.end = end;
      session.contents = contentsNow;
      return session;
    },
  };
}

/** Undefined if the contents are not a struct of numbers, or code from strings is forbidden. */
function rowForm<ACC>(contents: TypeSerializer<ACC>): SessionForm<ACC> | undefined {
  const names = contents.rowFields;
  const fields = structFields(contents);
  if (names === undefined || names.length === 0 || fields === undefined) return undefined;
  const flat = Object.fromEntries(names.map((name) => [`of ${name}`, fields[name]]));
  const type = Types.struct({ ...TIMES, ...flat } as typeof TIMES);
  const times = "start: start, end: end, timerAt: timerAt, others: others";
  const stored = names.map((name) => `${quoted(`of ${name}`)}: contents[${quoted(name)}]`);
  const blank = names.map((name) => `${quoted(`of ${name}`)}: 0`);
  const loaded = names.map((name) => `${quoted(name)}: held[${quoted(`of ${name}`)}]`);
  const source = `return {
    make(start, end, timerAt, others, contents) { return { ${times}, ${stored.join(", ")} }; },
    blank() { const start = NaN, end = NaN, timerAt = NaN, others = 0; return { ${times}, ${blank.join(", ")} }; },
    contentsOf(held) { return { ${loaded.join(", ")} }; },
    grown(held, start, end, contents) {
      const timerAt = held.timerAt, others = held.others;
      return { ${times}, ${stored.join(", ")} };
    },
  };`;
  try {
    // Functions of its own for each operator, small enough to be inlined: nothing of them is then allocated.
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
