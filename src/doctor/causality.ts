import type { CauseCode } from "./cause-codes.ts";
import { causeFact } from "./cause-codes.ts";
import type { Finding } from "./rules/rule.ts";

/**
 * What follows from what: a cause and the findings that are its symptoms.
 *
 * @remarks
 * A symptom is folded only if the cause is about as sure as it, and does not come clearly later.
 */
const FOLLOWS: Readonly<Partial<Record<CauseCode, readonly CauseCode[]>>> = {
  "heap-oom": [
    "tm-heartbeat-timeout",
    "taskmanager-lost",
    "gc-pause",
    "user-exception",
    "resources-insufficient-slots",
    "tasks-not-running-yet",
    "user-exception-in-snapshotstate",
    "sink-commit-failed",
  ],
  "metaspace-oom": [
    "tm-heartbeat-timeout",
    "taskmanager-lost",
    "user-exception",
    "heap-oom",
    "resources-insufficient-slots",
    "restart-strategy-exhausted-before-resources",
    "tasks-not-running-yet",
  ],
  "container-oom-killed": [
    "tm-heartbeat-timeout",
    "taskmanager-lost",
    "resources-insufficient-slots",
    "user-exception",
    "restart-strategy-exhausted-before-resources",
    "tasks-not-running-yet",
  ],
  "gc-pause": [
    "tm-heartbeat-timeout",
    "taskmanager-lost",
    "checkpoint-timeout-slow-upload",
    "checkpoint-timeout-large-state",
    "backpressure-slow-operator",
    "snapshot-sync-slow-user-code",
    "kerberos-delegation-token-expired",
  ],
  "tm-heartbeat-timeout": [
    "taskmanager-lost",
    "resources-insufficient-slots",
    "user-exception",
    "tasks-not-running-yet",
  ],
  "taskmanager-lost": [
    "resources-insufficient-slots",
    "user-exception",
    "tasks-not-running-yet",
    "storage-unreachable",
  ],
  "taskmanager-start-failed": [
    "resources-insufficient-slots",
    "tasks-not-running-yet",
    "taskmanager-lost",
  ],
  "too-many-open-files": [
    "user-exception",
    "user-exception-in-snapshotstate",
    "storage-unreachable",
  ],
  "disk-full": [
    "user-exception",
    "user-exception-in-snapshotstate",
    "hdfs-slow-write",
    "checkpoint-timeout-slow-upload",
  ],
  "source-finished-blocks-trigger": ["tasks-not-running-yet"],
  "rpc-framesize-exceeded": [
    "checkpoint-timeout-slow-upload",
    "checkpoint-timeout-large-state",
    "backpressure-slow-operator",
    "backpressure-slow-sink",
    "user-exception",
  ],
  "operator-state-growth-uid-reuse": ["rpc-framesize-exceeded"],
  "async-io-blocked": [
    "backpressure-slow-operator",
    "backpressure-slow-sink",
    "user-code-blocking-call",
    "backpressure-data-skew",
  ],
  "source-holds-checkpoint-lock": [
    "backpressure-slow-operator",
    "backpressure-slow-sink",
    "user-code-blocking-call",
  ],
  "cdc-snapshot-holds-checkpoint": [
    "source-holds-checkpoint-lock",
    "backpressure-slow-operator",
    "user-code-blocking-call",
  ],
  "user-code-blocking-call": [
    "backpressure-slow-operator",
    "backpressure-slow-sink",
    "backpressure-data-skew",
  ],
  "sink-flush-blocked-in-snapshotstate": [
    "backpressure-slow-operator",
    "backpressure-slow-sink",
    "user-code-blocking-call",
  ],
  "snapshot-sync-slow-user-code": [
    "backpressure-slow-operator",
    "backpressure-slow-sink",
    "checkpoint-timeout-slow-upload",
    "checkpoint-timeout-large-state",
    "user-code-blocking-call",
  ],
  "snapshot-sync-stuck-native": [
    "snapshot-sync-slow-user-code",
    "backpressure-slow-operator",
    "user-code-blocking-call",
    "checkpoint-timeout-slow-upload",
    "checkpoint-timeout-large-state",
  ],
  "heap-timers-sync-snapshot": [
    "snapshot-sync-slow-user-code",
    "checkpoint-timeout-large-state",
    "checkpoint-timeout-slow-upload",
    "backpressure-slow-operator",
  ],
  "unaligned-inflight-too-large": [
    "checkpoint-timeout-large-state",
    "checkpoint-timeout-slow-upload",
    "backpressure-slow-operator",
    "backpressure-slow-sink",
    "backpressure-data-skew",
  ],
  "unaligned-not-effective": ["backpressure-slow-operator", "backpressure-slow-sink"],
  "backpressure-data-skew": ["backpressure-slow-operator", "backpressure-slow-sink"],
  "backpressure-slow-sink": ["backpressure-slow-operator"],
  "storage-read-only": ["storage-permission-denied", "storage-mount-misconfigured"],
  "storage-mount-misconfigured": ["storage-permission-denied"],
  "storage-classpath-conflict": ["storage-unreachable", "s3-connection-pool-exhausted"],
  "s3-access-denied": ["storage-permission-denied", "storage-unreachable"],
  "clock-skew": ["s3-access-denied", "storage-permission-denied"],
  "s3-throttled": ["storage-unreachable", "checkpoint-timeout-slow-upload"],
  "s3-connection-pool-exhausted": ["storage-unreachable"],
  "storage-bucket-missing": [
    "restore-state-file-missing",
    "storage-unreachable",
    "s3-access-denied",
  ],
  "kerberos-delegation-token-expired": [
    "storage-unreachable",
    "storage-permission-denied",
    "hdfs-slow-write",
  ],
  "hdfs-namenode-slow": ["hdfs-slow-write"],
  "hdfs-no-datanode-available": ["hdfs-slow-write", "storage-unreachable"],
  "hdfs-directory-item-limit": ["hdfs-slow-write"],
  "sink-commit-failed": ["user-exception"],
  "user-exception-in-snapshotstate": ["user-exception"],
  "restore-metadata-truncated": ["restore-metadata-corrupt"],
  "restore-metadata-deleted-on-cancel": ["restore-metadata-missing"],
  "restore-operator-ids-unstable": ["restore-operator-missing"],
  "restore-operator-uid-changed": ["restore-operator-missing"],
  "restore-sst-missing": ["restore-state-file-missing", "storage-local-path-not-shared"],
  "restore-state-file-missing": ["storage-local-path-not-shared"],
  "claim-native-savepoint-relative-path": [
    "restore-state-file-missing",
    "storage-local-path-not-shared",
    "restore-sst-missing",
  ],
  "restore-external-files-expired": [
    "restore-state-file-missing",
    "storage-local-path-not-shared",
    "sink-commit-failed",
  ],
  "ha-store-points-to-deleted-checkpoint": [
    "restore-state-file-missing",
    "restore-metadata-missing",
    "storage-local-path-not-shared",
  ],
  "ha-data-cleaned-on-zk-suspend": ["restore-path-not-applied"],
  "sink-lingering-transaction": [
    "sink-label-reused-after-stateless-restart",
    "sink-commit-failed",
    "user-exception",
  ],
  "sink-transaction-lost-at-restore": [
    "sink-transaction-timeout",
    "sink-commit-failed",
    "user-exception",
  ],
  "sink-label-reused-after-stateless-restart": [
    "tasks-not-running-yet",
    "sink-commit-failed",
    "user-exception",
  ],
  "kafka-producer-id-expired": [
    "kafka-transaction-timeout",
    "sink-commit-failed",
    "duplicate-transactional-id-prefix",
  ],
  "duplicate-transactional-id-prefix": ["kafka-transaction-timeout", "sink-commit-failed"],
  "kafka-transaction-timeout": ["duplicate-transactional-id-prefix", "sink-commit-failed"],
  "kafka-empty-transaction-committable": ["sink-commit-failed"],
  "sink-commit-conflict": ["sink-commit-failed", "user-exception"],
  "cdc-restored-offset-incomplete": ["source-position-purged"],
  "jvm-module-access-denied": ["not-serializable-state"],
  "not-serializable-state": ["jvm-module-access-denied"],
  "stop-with-savepoint-event-to-finished-task": ["user-exception", "tasks-not-running-yet"],
  "restart-strategy-exhausted-before-resources": [
    "resources-insufficient-slots",
    "taskmanager-lost",
    "restart-strategy-not-configured",
  ],
  "checkpoint-path-shared-by-jobs": ["storage-permission-denied"],
};

/** Findings that explain little by themselves: any specific finding goes before them. */
const GENERAL: ReadonlySet<CauseCode> = new Set<CauseCode>([
  "user-exception",
  "user-exception-in-snapshotstate",
  "sink-commit-failed",
  "tasks-not-running-yet",
  "restart-strategy-not-configured",
  "restart-strategy-exhausted-before-resources",
  "rocksdb-many-small-files",
  "resources-insufficient-slots",
]);

/** How much later a cause may be written down than its symptom: clocks differ, and logs are flushed late. */
const SLACK_MS = 120_000;

export interface Ranked {
  readonly findings: readonly Finding[];
  /** Each symptom and the cause it follows from. */
  readonly folded: readonly { readonly symptom: Finding; readonly cause: CauseCode }[];
}

/** Folds symptoms into causes and puts the rest in order: the surest first, the earlier among equals. */
export function rankFindings(found: readonly Finding[]): Ranked {
  const folded: { symptom: Finding; cause: CauseCode }[] = [];
  const kept: Finding[] = [];
  for (const finding of found) {
    const cause = found.find((other) => other !== finding && explains(other, finding, found));
    if (cause === undefined) kept.push(finding);
    else folded.push({ symptom: finding, cause: cause.code });
  }
  return { findings: kept.toSorted(byWeight), folded };
}

function explains(cause: Finding, symptom: Finding, all: readonly Finding[]): boolean {
  if (
    GENERAL.has(symptom.code) &&
    !GENERAL.has(cause.code) &&
    cause.confidence >= 0.6 &&
    sharesRecord(cause, symptom)
  ) {
    return true;
  }
  const follows = FOLLOWS[cause.code]?.includes(symptom.code) === true;
  if (!follows) return false;
  const mutual = FOLLOWS[symptom.code]?.includes(cause.code) === true;
  if (mutual)
    return (
      cause.confidence > symptom.confidence ||
      (cause.confidence === symptom.confidence && all.indexOf(cause) < all.indexOf(symptom))
    );
  if (cause.confidence < 0.6 || cause.confidence < symptom.confidence - 0.12) return false;
  return (
    cause.atMs === undefined || symptom.atMs === undefined || cause.atMs <= symptom.atMs + SLACK_MS
  );
}

/** Two findings that rest on one record: the general one adds nothing. */
function sharesRecord(a: Finding, b: Finding): boolean {
  const first = a.evidence[0];
  const second = b.evidence[0];
  return (
    first !== undefined &&
    second !== undefined &&
    first.file === second.file &&
    first.line === second.line &&
    first.line > 0
  );
}

function byWeight(a: Finding, b: Finding): number {
  const difference = weight(b) - weight(a);
  if (Math.abs(difference) > 0.025) return difference;
  return (a.atMs ?? Infinity) - (b.atMs ?? Infinity) || difference;
}

function weight(finding: Finding): number {
  const general = GENERAL.has(finding.code) ? -0.08 : 0;
  const aboutCheckpoint = finding.role === "checkpoint" || finding.role === "restore" ? 0.02 : 0;
  const harmless = causeFact(finding.code).harmless === true ? -0.1 : 0;
  return finding.confidence + general + aboutCheckpoint + harmless;
}
