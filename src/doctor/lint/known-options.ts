import { nearestWord } from "../../base/index.ts";
import { namesOf, type OptionId, OPTIONS } from "../analysis/option-names.ts";
import type { Release } from "../analysis/flink-version.ts";
import { OPTION_CATALOGUE } from "./option-catalogue.ts";

/** How the text of a value is read. */
export type ValueKind =
  | "duration"
  | "size"
  | "int"
  | "real"
  | "flag"
  | "enum"
  | "text"
  | "list"
  | "map";

/** An option of Flink and all names that it has had. */
export interface KnownOption {
  /** The newest name. */
  readonly id: string;
  readonly kind: ValueKind;
  readonly since: Release;
  /** First release that has the option no more. */
  readonly goneIn: Release | undefined;
  /** Newest first, each with the first release that reads it. */
  readonly names: readonly { readonly name: string; readonly since: Release }[];
}

let index: ReadonlyMap<string, KnownOption> | undefined;

/** The option that a key names, under any of its names. */
export function optionNamed(key: string): KnownOption | undefined {
  index ??= readCatalogue();
  return index.get(key);
}

/** The newest name that a release reads. */
export function nameIn(option: KnownOption, release: Release): string {
  return (
    (option.names.find(({ since }) => since <= release) ?? option.names.at(-1))?.name ?? option.id
  );
}

/** The key that was probably meant by one that is none. */
export function nearestKey(key: string, release: Release): string | undefined {
  index ??= readCatalogue();
  const names = [...index.entries()]
    .filter(([name, option]) => isReadIn(option, name, release))
    .map(([name]) => name);
  return nearestWord(key, names);
}

export function isReadIn(option: KnownOption, name: string, release: Release): boolean {
  const named = option.names.find((candidate) => candidate.name === name);
  return (
    named !== undefined &&
    named.since <= release &&
    (option.goneIn === undefined || release < option.goneIn)
  );
}

function readCatalogue(): ReadonlyMap<string, KnownOption> {
  const options = new Map<string, KnownOption>();
  let kind: ValueKind = "text";
  let since: Release = 0;
  let goneIn: Release | undefined;
  for (const line of OPTION_CATALOGUE.split("\n")) {
    const head = /^(\w+) (\d+)-(\d*): /u.exec(line);
    if (head !== null) {
      kind = head[1] as ValueKind;
      since = Number(head[2]);
      goneIn = head[3] === "" ? undefined : Number(head[3]);
    }
    for (const entry of line
      .slice(head?.[0].length ?? 0)
      .trim()
      .split(" ")) {
      if (entry !== "") addOption(options, readEntry(entry, kind, since, goneIn));
    }
  }
  return options;
}

/** A present name wins over the same one as an older name of another option. */
function addOption(options: Map<string, KnownOption>, option: KnownOption): void {
  options.set(option.id, option);
  for (const { name } of option.names) {
    if (options.get(name)?.id !== name) options.set(name, option);
  }
}

function readEntry(
  entry: string,
  kind: ValueKind,
  since: Release,
  goneIn: Release | undefined,
): KnownOption {
  const [first = "", ...older] = entry.split("<");
  const [id = "", nameSince] = first.split("@");
  const exact = exactNames(id);
  const names = [
    { name: id, since: nameSince === undefined ? since : Number(nameSince) },
    ...older.map((name) => ({ name, since })),
  ];
  return {
    id,
    kind,
    since,
    goneIn,
    names: names.map(({ name, since: own }) => ({ name, since: exact.get(name) ?? own })),
  };
}

/** What the doctor's own table knows more exactly. */
function exactNames(id: string): ReadonlyMap<string, Release> {
  const option = Object.keys(OPTIONS).find((known) => namesOf(known as OptionId).at(-1) === id);
  return new Map(
    option === undefined
      ? []
      : OPTIONS[option as OptionId].names.map(([since, name]) => [name, since] as const),
  );
}
