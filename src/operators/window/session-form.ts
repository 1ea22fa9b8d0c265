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

/**
 * The form for contents of this type: numbers side by side where all of it is numbers, so that state can lie in rows.
 *
 * @param place - Whose form it is: the same place gets the same code again, and with it what V8 has learned about it.
 */
export function sessionForm<ACC>(contents: TypeSerializer<ACC>, place: object): SessionForm<ACC> {
  return rowForm(contents, place) ?? objectForm(contents);
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

/** How contents that are numbers lie in the value, as parts of code. */
interface RowParts {
  readonly type: TypeSerializer<HeldSession>;
  /** Names in the value. */
  readonly names: readonly string[];
  /** The contents, made of one expression for each name. */
  readonly made: (values: readonly string[]) => string;
  /** The number for a name, taken from the variable `contents`. */
  readonly taken: (index: number) => string;
}

/** Undefined if the contents are neither a number nor a struct of numbers. */
function rowParts<ACC>(contents: TypeSerializer<ACC>): RowParts | undefined {
  const { keyKind, typeName, rowFields = [] } = contents;
  if (
    keyKind === "int" ||
    keyKind === "double" ||
    typeName === "long" ||
    typeName === "timestamp"
  ) {
    const type = Types.struct({ ...BORDERS, contents }) as unknown as TypeSerializer<HeldSession>;
    if (type.rowFields === undefined) return undefined;
    return {
      type,
      names: ["contents"],
      made: (values) => values[0] ?? "undefined",
      taken: () => "contents",
    };
  }
  const fields = structFields(contents);
  if (rowFields.length === 0 || fields === undefined) return undefined;
  const flat = Object.fromEntries(rowFields.map((name) => [`of ${name}`, fields[name]]));
  return {
    type: Types.struct({ ...BORDERS, ...flat } as typeof BORDERS),
    names: rowFields.map((name) => `of ${name}`),
    made: (values) =>
      `{ ${rowFields.map((name, index) => `${quoted(name)}: ${values[index]}`).join(", ")} }`,
    taken: (index) => `contents[${quoted(rowFields[index] ?? "")}]`,
  };
}

/** Undefined if the contents are not numbers, or code from strings is forbidden. */
function rowForm<ACC>(contents: TypeSerializer<ACC>, place: object): SessionForm<ACC> | undefined {
  const parts = rowParts(contents);
  if (parts === undefined) return undefined;
  const source = formSource(parts);
  const known = formsByPlace.get(place) ?? new Map<string, GeneratedForm>();
  formsByPlace.set(place, known);
  let form = known.get(source);
  try {
    // Functions of its own for each operator, small enough to be inlined.
    // oxlint-disable-next-line typescript/no-implied-eval -- the names are quoted, and come from the job's own declaration
    form ??= new Function(source)() as GeneratedForm;
  } catch {
    return undefined;
  }
  known.set(source, form);
  return { type: parts.type, ...(form as Omit<SessionForm<ACC>, "type">) };
}

type GeneratedForm = Omit<SessionForm<never>, "type">;

const formsByPlace = new WeakMap<object, Map<string, GeneratedForm>>();

/** `join` makes one object at one place and lets neither it nor `held` out: only then does V8 not allocate them. */
function formSource({ names, made, taken }: RowParts): string {
  const each = (part: (name: string, index: number) => string): readonly string[] =>
    names.map((name, index) => part(quoted(name), index));
  const value = (parts: readonly string[]): string =>
    `{ ${["start", "end", ...parts].join(", ")} }`;
  return `return {
    make(start, end, contents) { return ${value(each((name, index) => `${name}: ${taken(index)}`))}; },
    empty(start, end) { return ${value(each((name) => `${name}: 0`))}; },
    contentsOf(held) { return ${made(each((name) => `held[${name}]`))}; },
    join(joining, value, held) {
      const timestamp = joining.timestamp;
      const newEnd = timestamp + joining.gapMs;
      let start = held.start, end = held.end;
      ${each((name, index) => `let v${index} = held[${name}];`).join(" ")}
      if (timestamp <= end && newEnd >= start) {
        const contents = joining.adder.add(value, ${made(each((_, index) => `v${index}`))});
        ${each((_, index) => `v${index} = ${taken(index)};`).join(" ")}
        if (timestamp < start) start = timestamp;
        if (newEnd > end) end = newEnd;
      } else {
        const other = joining.unusual();
        if (other !== undefined) {
          start = other.start; end = other.end;
          ${each((name, index) => `v${index} = other[${name}];`).join(" ")}
        }
      }
      return ${value(each((name, index) => `${name}: v${index}`))};
    },
  };`;
}

function quoted(name: string): string {
  return JSON.stringify(name);
}
