/** What can be wrong with a configuration. */
export type LintCode =
  | "unreadable"
  | "file-not-read"
  | "line-dropped"
  | "duplicate-key"
  | "unknown-key"
  | "never-a-key"
  | "key-not-yet"
  | "key-renamed"
  | "key-removed"
  | "key-overridden"
  | "wrong-value"
  | "value-removed"
  | "quotes-are-kept"
  | "unit-missing"
  | CombinationCode;

/** Settings that are fine each and wrong together, or wrong for what a checkpoint needs. */
export type CombinationCode =
  | "unaligned-with-concurrent"
  | "unaligned-at-least-once"
  | "aligned-timeout-without-unaligned"
  | "directory-missing"
  | "state-in-job-manager"
  | "directory-not-shared"
  | "no-failure-tolerated"
  | "pause-limits-interval"
  | "timeout-too-short"
  | "interval-too-short"
  | "backlog-interval-too-short"
  | "inline-threshold-too-large"
  | "full-snapshots"
  | "nothing-retained"
  | "retained-without-high-availability"
  | "high-availability-incomplete"
  | "changelog-without-path"
  | "local-copies-need-disk"
  | "heap-timers"
  | "rocksdb-memory-unbounded"
  | "strategy-not-chosen"
  | "heartbeat-too-short"
  | "no-claim-needs-full-snapshots"
  | "transaction-shorter-than-checkpoint";

export type LintSeverity = "error" | "warning" | "note";

/** A change of the file that mends a finding without changing what was meant. */
export type LintFix =
  | { readonly kind: "rename"; readonly key: string }
  | { readonly kind: "value"; readonly value: string }
  | { readonly kind: "separator" };

export interface LintFinding {
  readonly code: LintCode;
  readonly severity: LintSeverity;
  /** The key as the file has it; empty for what concerns a line or the file. */
  readonly key: string;
  /** 1-based, of the key, or of the value if that is what is wrong. */
  readonly line: number;
  readonly column: number;
  /** What the message names. */
  readonly details: Readonly<Record<string, string>>;
  readonly fix: LintFix | undefined;
}
