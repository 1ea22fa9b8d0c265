import { parseDurationMs, parseMemorySize } from "../../base/index.ts";
import { isSecretKey, shownText } from "../evidence/clean-text.ts";
import { optionNamed } from "../lint/known-options.ts";
import type { Environment, Measure } from "./environment.ts";

/** What a difference acts on. */
export type Effect =
  | "outcome"
  | "version"
  | "frequency"
  | "deadline"
  | "alignment"
  | "storage"
  | "state"
  | "memory"
  | "recovery"
  | "load"
  | "measured";

/** One thing that the two environments have differently. */
export interface Difference {
  /** Key, measure or fact. */
  readonly name: string;
  readonly kind: "setting" | "measure" | "fact";
  readonly effect: Effect | null;
  /** Greater matters more. */
  readonly weight: number;
  readonly left: string | number | null;
  readonly right: string | number | null;
  /** True if a finding of one side would change this setting. */
  readonly isBlamed: boolean;
}

export interface Comparison {
  /** Those that matter for checkpoints, the strongest first. */
  readonly differences: readonly Difference[];
  /** Those that do not. */
  readonly folded: readonly Difference[];
  /** How many settings are equal. */
  readonly equalSettings: number;
}

/** How much a setting acts on checkpoints. Longest prefix wins. */
const SETTINGS: readonly (readonly [prefix: string, effect: Effect, weight: number])[] = [
  ["execution.checkpointing.interval", "frequency", 70],
  ["execution.checkpointing.min-pause", "frequency", 60],
  ["execution.checkpointing.max-concurrent-checkpoints", "frequency", 60],
  ["execution.checkpointing.mode", "alignment", 70],
  ["execution.checkpointing.timeout", "deadline", 75],
  ["execution.checkpointing.tolerable-failed-checkpoints", "deadline", 60],
  ["execution.checkpointing.unaligned", "alignment", 70],
  ["execution.checkpointing.aligned-checkpoint-timeout", "alignment", 65],
  ["execution.checkpointing.dir", "storage", 65],
  ["execution.checkpointing.storage", "storage", 75],
  ["execution.checkpointing.incremental", "state", 72],
  ["execution.checkpointing.externalized-checkpoint-retention", "recovery", 45],
  ["execution.checkpointing.num-retained", "recovery", 35],
  ["execution.checkpointing.savepoint-dir", "recovery", 25],
  ["execution.checkpointing.", "state", 50],
  ["execution.state-recovery.", "recovery", 50],
  ["state.backend.type", "state", 75],
  ["state.backend.rocksdb.memory.", "memory", 55],
  ["state.backend.rocksdb.localdir", "storage", 45],
  ["state.", "state", 45],
  ["taskmanager.memory.", "memory", 60],
  ["jobmanager.memory.", "memory", 40],
  ["taskmanager.network.", "alignment", 50],
  ["taskmanager.numberOfTaskSlots", "load", 55],
  ["parallelism.default", "load", 60],
  ["pipeline.max-parallelism", "recovery", 55],
  ["pipeline.operator-chaining", "load", 35],
  ["restart-strategy", "recovery", 50],
  ["high-availability.cluster-id", "recovery", 15],
  ["high-availability", "recovery", 50],
  ["heartbeat.", "deadline", 45],
  ["pekko.framesize", "deadline", 55],
  ["pekko.", "deadline", 30],
  ["client.timeout", "deadline", 30],
  ["s3.", "storage", 45],
  ["fs.", "storage", 45],
  ["io.tmp.dirs", "storage", 35],
  ["env.java.opts", "memory", 35],
  ["task.cancellation.", "deadline", 25],
  ["execution.buffer-timeout", "alignment", 25],
];

const MATTERS = 25;
/** How many times more something must be to be called different. */
const RATIO = 1.5;

/** Lays two environments side by side. Pure. */
export function compareEnvironments(left: Environment, right: Environment): Comparison {
  const { different, equal } = settingDifferences(left, right);
  const all = [...factDifferences(left, right), ...measureDifferences(left, right), ...different];
  const ranked = all.toSorted((a, b) => b.weight - a.weight || (a.name < b.name ? -1 : 1));
  return {
    differences: ranked.filter(({ weight }) => weight >= MATTERS),
    folded: ranked.filter(({ weight }) => weight < MATTERS),
    equalSettings: equal,
  };
}

function settingDifferences(
  left: Environment,
  right: Environment,
): { readonly different: readonly Difference[]; readonly equal: number } {
  const different: Difference[] = [];
  let equal = 0;
  for (const id of new Set([...left.settings.keys(), ...right.settings.keys()])) {
    const a = left.settings.get(id)?.value;
    const b = right.settings.get(id)?.value;
    if (a !== undefined && b !== undefined && canonical(id, a) === canonical(id, b)) {
      equal++;
      continue;
    }
    const isBlamed = left.blamed.has(id) || right.blamed.has(id);
    const [, effect, weight] = SETTINGS.filter(([prefix]) => id.startsWith(prefix)).toSorted(
      ([one], [other]) => other.length - one.length,
    )[0] ?? [undefined, null, 5];
    different.push({
      name: id,
      kind: "setting",
      effect,
      weight: isBlamed ? weight + 100 : weight,
      left: shown(id, a),
      right: shown(id, b),
      isBlamed,
    });
  }
  return { different, equal };
}

/** One text for values that mean the same: `60 s` and `1 min`. */
function canonical(id: string, value: string): string {
  const kind = optionNamed(id)?.kind;
  if (kind === "duration") return String(parseDurationMs(value) ?? value);
  if (kind === "size") return String(parseMemorySize(value) ?? value);
  return kind === "flag" || kind === "enum" ? value.trim().toLowerCase() : value.trim();
}

function shown(id: string, value: string | undefined): string | null {
  if (value === undefined) return null;
  return isSecretKey(id) ? "******" : shownText(value);
}

function factDifferences(left: Environment, right: Environment): readonly Difference[] {
  return [...new Set([...left.facts.keys(), ...right.facts.keys()])].flatMap((name) => {
    const a = left.facts.get(name) ?? null;
    const b = right.facts.get(name) ?? null;
    // What one side does not show is not known to differ.
    if (a === b || a === null || b === null) return [];
    const [effect, weight]: readonly [Effect, number] =
      name === "verdict"
        ? ["outcome", 1000]
        : name === "version"
          ? ["version", 80]
          : name === "storage"
            ? ["storage", 80]
            : name.startsWith("backpressure")
              ? ["load", 90]
              : ["load", 50];
    return [
      {
        name: shownText(name),
        kind: "fact" as const,
        effect,
        weight,
        left: shownText(a),
        right: shownText(b),
        isBlamed: false,
      },
    ];
  });
}

function measureDifferences(left: Environment, right: Environment): readonly Difference[] {
  const names = Object.keys({ ...left.measures, ...right.measures }) as readonly Measure[];
  return names.flatMap((name) => {
    const a = left.measures[name];
    const b = right.measures[name];
    if (a === undefined || b === undefined) return [];
    const ratio = ratioOf(a, b);
    if (ratio < RATIO || isSmall(name, Math.max(a, b))) return [];
    const isCount = name === "completed" || name === "restarts";
    const weight = isCount ? 30 : Math.min(99, 55 + 8 * Math.log2(ratio));
    return [
      {
        name,
        kind: "measure" as const,
        effect: "measured" as const,
        weight,
        left: a,
        right: b,
        isBlamed: false,
      },
    ];
  });
}

function ratioOf(a: number, b: number): number {
  const [less, more] = a < b ? [a, b] : [b, a];
  return (more + 1) / (less + 1);
}

/** Below this a multiple says nothing: 2 ms against 9 ms is no difference between environments. */
function isSmall(name: Measure, value: number): boolean {
  if (name.endsWith("Ms")) return value < 200;
  return name.endsWith("Bytes") ? value < 1024 * 1024 : value < 1;
}
