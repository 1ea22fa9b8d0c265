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
  /** The session with other borders and one more record; may be `held` itself, changed. */
  join<IN>(
    held: HeldSession,
    start: number,
    end: number,
    adder: ContentsAdder<IN, ACC>,
    value: IN,
  ): HeldSession;
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
    join(held, start, end, adder, value) {
      const session = held as SessionObject<ACC>;
      session.contents = adder.add(value, session.contents);
      session.start = start;
      session.end = end;
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
  const type = Types.struct({ ...BORDERS, ...flat } as typeof BORDERS);
  const stored = names.map((name) => `${quoted(`of ${name}`)}: contents[${quoted(name)}]`);
  const zeros = names.map((name) => `${quoted(`of ${name}`)}: 0`);
  const loaded = names.map((name) => `${quoted(name)}: held[${quoted(`of ${name}`)}]`);
  const source = `return {
    make(start, end, contents) { return { start, end, ${stored.join(", ")} }; },
    empty(start, end) { return { start, end, ${zeros.join(", ")} }; },
    contentsOf(held) { return { ${loaded.join(", ")} }; },
    join(held, start, end, adder, value) {
      const contents = adder.add(value, { ${loaded.join(", ")} });
      return { start, end, ${stored.join(", ")} };
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
