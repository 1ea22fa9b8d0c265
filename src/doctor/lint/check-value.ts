import { parseDurationNs, parseMemorySize } from "../../base/index.ts";
import type { Release } from "../analysis/flink-version.ts";
import type { KnownOption, ValueKind } from "./known-options.ts";
import { OPTION_WORDS } from "./option-words.ts";

/** A value that Flink would refuse or read otherwise than it looks. */
export type ValueProblem =
  | { readonly kind: "wrong"; readonly expected: string; readonly proposed: string | undefined }
  | { readonly kind: "removed"; readonly proposed: string | undefined }
  | { readonly kind: "unit-missing"; readonly readAs: string };

/** Judges a value by the kind of its option. Pure. */
export function checkValue(
  option: KnownOption,
  value: string,
  release: Release,
): ValueProblem | undefined {
  const bare = value.replace(/^(["'])(.*)\1$/u, "$2");
  const words = wordsOf(option.id, release);
  if (words !== undefined) return checkWord(words, bare, value, option.id);
  const kind = option.kind;
  if (!isRead(kind, value)) {
    const proposed = isRead(kind, bare) ? bare : mended(kind, bare);
    return { kind: "wrong", expected: EXPECTED[kind], proposed };
  }
  return /^\d+$/u.test(value) ? unitMissing(option, Number(value)) : undefined;
}

/** Forms of a value, for messages. They are terms of Flink's documentation in either language. */
const EXPECTED: Readonly<Record<ValueKind, string>> = {
  duration: "10 s, 5 min, PT10S",
  size: "64 mb, 1 gb",
  int: "42",
  real: "0.5",
  flag: "true, false",
  enum: "",
  text: "",
  list: "",
  map: "",
};

function isRead(kind: ValueKind, value: string): boolean {
  switch (kind) {
    case "duration":
      // Up to 1.17 a buffer time-out below 0 meant none.
      return parseDurationNs(value) !== undefined || value === "-1";
    case "size":
      return parseMemorySize(value) !== undefined;
    case "int":
      return /^[-+]?\d{1,19}$/u.test(value);
    case "real":
      return value.trim() !== "" && Number.isFinite(Number(value));
    case "flag":
      return /^(?:true|false)$/iu.test(value);
    case "enum":
    case "text":
    case "list":
    case "map":
      return true;
  }
}

/** What was meant, in a form that Flink reads; undefined if that is not plain. */
function mended(kind: ValueKind, value: string): string | undefined {
  if (kind === "flag") {
    if (/^(?:yes|on|1|y|enabled)$/iu.test(value)) return "true";
    return /^(?:no|off|0|n|disabled)$/iu.test(value) ? "false" : undefined;
  }
  const parts = /^(\d+(?:\.\d+)?)\s*([a-z]+)\.?$/iu.exec(value.replaceAll("_", ""));
  if (parts === null) return undefined;
  const amount = Number(parts[1]);
  const unit = (parts[2] ?? "").toLowerCase();
  if (kind === "duration") return scaled(amount, unit, DURATION_UNITS);
  return kind === "size" ? scaled(amount, unit, SIZE_UNITS) : undefined;
}

type Units = readonly (readonly [pattern: RegExp, label: string, perLess: number])[];

/** Largest first; the number says how many of the next smaller unit make one. */
const DURATION_UNITS: Units = [
  [/^(?:d|days?)$/u, "d", 24],
  [/^(?:h|hrs?|hours?)$/u, "h", 60],
  [/^(?:m|mins?|minutes?)$/u, "min", 60],
  [/^(?:s|secs?|seconds?)$/u, "s", 1000],
  [/^(?:ms|msecs?|millis|milliseconds?)$/u, "ms", 0],
];
const SIZE_UNITS: Units = [
  [/^(?:t|tb|tib|terabytes?)$/u, "tb", 1024],
  [/^(?:g|gb|gib|gigabytes?)$/u, "gb", 1024],
  [/^(?:m|mb|mib|megabytes?)$/u, "mb", 1024],
  [/^(?:k|kb|kib|kilobytes?)$/u, "kb", 1024],
  [/^(?:b|bytes?)$/u, "b", 0],
];

/** A whole number of the unit, or of the next smaller one that makes it whole. */
function scaled(amount: number, unit: string, units: Units): string | undefined {
  let at = units.findIndex(([pattern]) => pattern.test(unit));
  let rest = amount;
  while (at >= 0 && at < units.length) {
    const [, label, perLess] = units[at] ?? [undefined, "", 0];
    if (Number.isSafeInteger(rest)) return `${rest} ${label}`;
    rest *= perLess;
    at++;
  }
  return undefined;
}

/** A plain number is milliseconds or bytes, which a small one can hardly mean. */
function unitMissing(option: KnownOption, amount: number): ValueProblem | undefined {
  if (
    option.kind === "duration" &&
    amount > 0 &&
    amount < 1000 &&
    !/buffer-timeout/u.test(option.id)
  )
    return { kind: "unit-missing", readAs: `${amount} ms` };
  if (
    option.kind === "size" &&
    amount > 0 &&
    /\.memory\.(?!segment|min-segment)/u.test(option.id)
  ) {
    return amount < 1024 * 1024 ? { kind: "unit-missing", readAs: `${amount} b` } : undefined;
  }
  return undefined;
}

interface Words {
  readonly known: readonly string[];
  readonly removed: readonly string[];
  /** True if the name of a class is a value too. */
  readonly orClass: boolean;
}

function wordsOf(id: string, release: Release): Words | undefined {
  const fixed = OPTION_WORDS[id];
  if (fixed !== undefined) return { known: fixed, removed: [], orClass: false };
  switch (id) {
    case "state.backend.type": {
      const old = ["filesystem", "jobmanager", "memory"];
      return release >= 200
        ? { known: ["hashmap", "rocksdb", "forst"], removed: old, orClass: true }
        : { known: ["hashmap", "rocksdb", ...old], removed: [], orClass: true };
    }
    case "execution.checkpointing.storage":
      return { known: ["jobmanager", "filesystem"], removed: [], orClass: true };
    case "high-availability.type":
      return { known: ["none", "zookeeper", "kubernetes"], removed: [], orClass: true };
    case "state.changelog.storage":
      return { known: ["memory", "filesystem"], removed: [], orClass: true };
    case "jobmanager.execution.failover-strategy":
      return { known: ["region", "full"], removed: [], orClass: false };
    case "restart-strategy.type":
      return { known: RESTART_STRATEGIES, removed: [], orClass: true };
    default:
      return undefined;
  }
}

const RESTART_STRATEGIES: readonly string[] = [
  "none",
  "off",
  "disable",
  "fixed-delay",
  "fixeddelay",
  "failure-rate",
  "failurerate",
  "exponential-delay",
  "exponentialdelay",
];

function checkWord(
  words: Words,
  bare: string,
  value: string,
  id: string,
): ValueProblem | undefined {
  const lower = bare.toLowerCase();
  const isKnown = words.known.some((word) => word.toLowerCase() === lower);
  if (isKnown || (words.orClass && bare.includes(".")))
    return bare === value
      ? undefined
      : { kind: "wrong", expected: words.known.join(", "), proposed: bare };
  if (words.removed.includes(lower))
    return { kind: "removed", proposed: id === "state.backend.type" ? "hashmap" : undefined };
  const spelled = words.known.find((word) => plain(word) === plain(bare));
  return { kind: "wrong", expected: words.known.join(", "), proposed: spelled };
}

function plain(word: string): string {
  return word.toLowerCase().replaceAll(/[^a-z0-9]/gu, "");
}
