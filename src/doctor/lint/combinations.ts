import { parseDurationMs, parseMemorySize } from "../../base/index.ts";
import type { Release } from "../analysis/flink-version.ts";
import type { ConfigEntry } from "./config-document.ts";
import type { CombinationCode, LintFinding, LintSeverity } from "./lint-finding.ts";

/** The settings of a file by the newest names of their options. */
export class EffectiveSettings {
  readonly release: Release;
  readonly #entries: ReadonlyMap<string, ConfigEntry>;

  constructor(entries: ReadonlyMap<string, ConfigEntry>, release: Release) {
    this.#entries = entries;
    this.release = release;
  }

  entry(id: string): ConfigEntry | undefined {
    return this.#entries.get(id);
  }

  /** In lower case, for words and flags. */
  word(id: string): string | undefined {
    return this.entry(id)?.value.trim().toLowerCase();
  }

  isOn(id: string): boolean {
    return this.word(id) === "true";
  }

  milliseconds(id: string): number | undefined {
    return parseDurationMs(this.entry(id)?.value ?? "");
  }

  bytes(id: string): number | undefined {
    const size = parseMemorySize(this.entry(id)?.value ?? "");
    return size === undefined ? undefined : Number(size);
  }

  number(id: string): number | undefined {
    const value = this.entry(id)?.value;
    return value === undefined || !/^-?\d+$/u.test(value.trim()) ? undefined : Number(value);
  }

  /** The entry of the first of these options that is set. */
  firstOf(...ids: readonly string[]): ConfigEntry | undefined {
    return ids.map((id) => this.entry(id)).find((entry) => entry !== undefined);
  }
}

interface Combination {
  readonly code: CombinationCode;
  readonly severity: LintSeverity;
  /** The setting that the finding points at, if the combination is there. */
  readonly find: (settings: EffectiveSettings) => ConfigEntry | undefined;
  readonly details?: (settings: EffectiveSettings) => Readonly<Record<string, string>>;
}

const CHECKPOINTING = "execution.checkpointing.";
const INTERVAL = `${CHECKPOINTING}interval`;
const UNALIGNED = `${CHECKPOINTING}unaligned.enabled`;
const DIRECTORY = `${CHECKPOINTING}dir`;
const RETENTION = `${CHECKPOINTING}externalized-checkpoint-retention`;
const BACKEND = "state.backend.type";

function when(
  settings: EffectiveSettings,
  holds: boolean,
  ...ids: readonly string[]
): ConfigEntry | undefined {
  return holds ? settings.firstOf(...ids) : undefined;
}

function less(a: number | undefined, b: number | undefined): boolean {
  return a !== undefined && b !== undefined && a < b;
}

/** Only a file's own settings count: what code sets is not seen. */
export const COMBINATIONS: readonly Combination[] = [
  {
    code: "unaligned-with-concurrent",
    severity: "error",
    find: (s) =>
      when(
        s,
        s.isOn(UNALIGNED) && less(1, s.number(`${CHECKPOINTING}max-concurrent-checkpoints`)),
        `${CHECKPOINTING}max-concurrent-checkpoints`,
      ),
  },
  {
    code: "unaligned-at-least-once",
    severity: "warning",
    find: (s) =>
      when(s, s.isOn(UNALIGNED) && s.word(`${CHECKPOINTING}mode`) === "at_least_once", UNALIGNED),
  },
  {
    code: "aligned-timeout-without-unaligned",
    severity: "warning",
    find: (s) =>
      when(
        s,
        !s.isOn(UNALIGNED) && less(0, s.milliseconds(`${CHECKPOINTING}aligned-checkpoint-timeout`)),
        `${CHECKPOINTING}aligned-checkpoint-timeout`,
      ),
  },
  {
    code: "directory-missing",
    severity: "error",
    find: (s) =>
      when(
        s,
        (s.word(`${CHECKPOINTING}storage`) === "filesystem" ||
          (s.release < 200 && s.word(BACKEND) === "filesystem")) &&
          s.entry(DIRECTORY) === undefined,
        `${CHECKPOINTING}storage`,
        BACKEND,
      ),
  },
  {
    code: "state-in-job-manager",
    severity: "warning",
    find: (s) =>
      when(
        s,
        s.word(`${CHECKPOINTING}storage`) === "jobmanager" ||
          (s.entry(DIRECTORY) === undefined &&
            s.word(`${CHECKPOINTING}storage`) === undefined &&
            s.word(BACKEND) !== "filesystem"),
        `${CHECKPOINTING}storage`,
        INTERVAL,
      ),
  },
  {
    code: "directory-not-shared",
    severity: "warning",
    find: (s) =>
      [DIRECTORY, `${CHECKPOINTING}savepoint-dir`, "high-availability.storageDir"]
        .map((id) => s.entry(id))
        .find((entry) => entry !== undefined && isLocal(entry.value)),
  },
  {
    code: "no-failure-tolerated",
    severity: "note",
    find: (s) =>
      when(
        s,
        (s.number(`${CHECKPOINTING}tolerable-failed-checkpoints`) ?? 0) === 0,
        `${CHECKPOINTING}tolerable-failed-checkpoints`,
        INTERVAL,
      ),
  },
  {
    code: "pause-limits-interval",
    severity: "warning",
    find: (s) =>
      when(
        s,
        less(s.milliseconds(INTERVAL), s.milliseconds(`${CHECKPOINTING}min-pause`)),
        `${CHECKPOINTING}min-pause`,
      ),
  },
  {
    code: "timeout-too-short",
    severity: "error",
    find: (s) =>
      when(s, less(s.milliseconds(`${CHECKPOINTING}timeout`), 10), `${CHECKPOINTING}timeout`),
  },
  {
    code: "interval-too-short",
    severity: "error",
    find: (s) =>
      when(s, less(0, s.milliseconds(INTERVAL)) && less(s.milliseconds(INTERVAL), 10), INTERVAL),
  },
  {
    code: "backlog-interval-too-short",
    severity: "error",
    find: (s) => {
      const backlog = s.milliseconds(`${CHECKPOINTING}interval-during-backlog`);
      return when(
        s,
        less(0, backlog) && less(backlog, s.milliseconds(INTERVAL)),
        `${CHECKPOINTING}interval-during-backlog`,
      );
    },
  },
  {
    code: "inline-threshold-too-large",
    severity: "error",
    find: (s) =>
      when(
        s,
        less(1024 * 1024, s.bytes(`${CHECKPOINTING}data-inline-threshold`)),
        `${CHECKPOINTING}data-inline-threshold`,
      ),
  },
  {
    code: "full-snapshots",
    severity: "warning",
    find: (s) =>
      when(
        s,
        /^(?:rocksdb|forst)$/u.test(s.word(BACKEND) ?? "") &&
          !s.isOn(`${CHECKPOINTING}incremental`),
        `${CHECKPOINTING}incremental`,
        BACKEND,
      ),
  },
  {
    code: "nothing-retained",
    severity: "warning",
    find: (s) =>
      when(
        s,
        (s.word(RETENTION) ?? "no_externalized_checkpoints") === "no_externalized_checkpoints" &&
          s.entry(`${CHECKPOINTING}savepoint-dir`) === undefined,
        RETENTION,
        INTERVAL,
      ),
  },
  {
    code: "retained-without-high-availability",
    severity: "note",
    find: (s) =>
      when(
        s,
        s.word(RETENTION) === "retain_on_cancellation" &&
          (s.word("high-availability.type") ?? "none") === "none",
        RETENTION,
      ),
  },
  {
    code: "high-availability-incomplete",
    severity: "error",
    find: (s) => when(s, missingForHighAvailability(s) !== undefined, "high-availability.type"),
    details: (s) => ({ missing: missingForHighAvailability(s) ?? "" }),
  },
  {
    code: "changelog-without-path",
    severity: "error",
    find: (s) =>
      when(
        s,
        s.word("state.changelog.storage") === "filesystem" &&
          s.entry("state.changelog.dstl.dfs.base-path") === undefined,
        "state.changelog.storage",
      ),
  },
  {
    code: "local-copies-need-disk",
    severity: "note",
    find: (s) =>
      when(
        s,
        s.isOn(`${CHECKPOINTING}local-backup.enabled`) &&
          s.entry(`${CHECKPOINTING}local-backup.dirs`) === undefined,
        `${CHECKPOINTING}local-backup.enabled`,
      ),
  },
  {
    code: "heap-timers",
    severity: "warning",
    find: (s) =>
      when(
        s,
        s.word(BACKEND) === "rocksdb" &&
          s.word("state.backend.rocksdb.timer-service.factory") === "heap",
        "state.backend.rocksdb.timer-service.factory",
      ),
  },
  {
    code: "rocksdb-memory-unbounded",
    severity: "warning",
    find: (s) =>
      when(
        s,
        s.word("state.backend.rocksdb.memory.managed") === "false" &&
          s.firstOf(
            "state.backend.rocksdb.memory.fixed-per-slot",
            "state.backend.rocksdb.memory.fixed-per-tm",
          ) === undefined,
        "state.backend.rocksdb.memory.managed",
      ),
  },
  {
    code: "strategy-not-chosen",
    severity: "warning",
    find: (s) => unchosenStrategy(s),
    details: (s) => ({ chosen: s.entry("restart-strategy.type")?.value ?? "" }),
  },
  {
    code: "heartbeat-too-short",
    severity: "error",
    find: (s) =>
      when(
        s,
        less(
          s.milliseconds("heartbeat.timeout") ?? 50_000,
          s.milliseconds("heartbeat.interval") ?? 10_000,
        ),
        "heartbeat.timeout",
        "heartbeat.interval",
      ),
  },
  {
    code: "no-claim-needs-full-snapshots",
    severity: "note",
    find: (s) =>
      when(
        s,
        s.word("execution.state-recovery.claim-mode") === "no_claim" &&
          (s.word(BACKEND) ?? "").includes("."),
        "execution.state-recovery.claim-mode",
      ),
  },
  {
    code: "transaction-shorter-than-checkpoint",
    severity: "warning",
    find: (s) =>
      when(
        s,
        less(
          s.number("transaction.timeout.ms"),
          (s.milliseconds(INTERVAL) ?? 0) + (s.milliseconds(`${CHECKPOINTING}timeout`) ?? 600_000),
        ),
        "transaction.timeout.ms",
      ),
  },
];

/** The combinations that a file has. */
export function checkCombinations(settings: EffectiveSettings): readonly LintFinding[] {
  return COMBINATIONS.flatMap(({ code, severity, find, details }) => {
    const entry = find(settings);
    if (entry === undefined) return [];
    const { key, line, column, value } = entry;
    return [
      {
        code,
        severity,
        key,
        line,
        column,
        details: { value, ...details?.(settings) },
        fix: undefined,
      },
    ];
  });
}

/** A path that each machine has for itself: `file:`, or without a scheme. */
function isLocal(path: string): boolean {
  return /^file:/iu.test(path) || !/^[a-z][\w+.-]*:/iu.test(path);
}

function missingForHighAvailability(settings: EffectiveSettings): string | undefined {
  const type = settings.word("high-availability.type");
  const isZooKeeper = type === "zookeeper";
  if (!isZooKeeper && !/^kubernetes$|kuberneteshaservicesfactory$/u.test(type ?? ""))
    return undefined;
  const needed = ["high-availability.storageDir"];
  needed.push(isZooKeeper ? "high-availability.zookeeper.quorum" : "kubernetes.cluster-id");
  return needed.find((id) => settings.entry(id) === undefined);
}

/** A setting of one restart strategy while another is chosen. */
function unchosenStrategy(settings: EffectiveSettings): ConfigEntry | undefined {
  const chosen = settings.word("restart-strategy.type")?.replaceAll("-", "");
  if (chosen === undefined || chosen.includes(".")) return undefined;
  for (const strategy of ["fixed-delay", "failure-rate", "exponential-delay"]) {
    if (strategy.replaceAll("-", "") === chosen) continue;
    const members = [
      "attempts",
      "delay",
      "max-failures-per-interval",
      "initial-backoff",
      "max-backoff",
    ];
    const found = settings.firstOf(
      ...members.map((name) => `restart-strategy.${strategy}.${name}`),
    );
    if (found !== undefined) return found;
  }
  return undefined;
}
