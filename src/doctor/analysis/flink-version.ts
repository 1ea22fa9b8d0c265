import type { Evidence } from "../evidence/evidence.ts";

/** A Flink release as a comparable number: 1.20 is 120, 2.3 is 203. */
export type Release = number;

/** The releases that the evidence allows. */
export interface VersionRange {
  readonly min: Release;
  readonly max: Release;
  /** The exact version if something states it. */
  readonly stated: string | undefined;
}

export const OLDEST: Release = 104;
export const NEWEST: Release = 204;

/** Reads `1.20.5`, `v1_18`, `2.3`; undefined if it is no Flink version. */
export function parseRelease(text: string): Release | undefined {
  const match = /^v?(\d+)[._](\d+)/u.exec(text.trim());
  if (match === null) return undefined;
  const major = Number(match[1]);
  const minor = Number(match[2]);
  if (major < 1 || major > 3 || minor > 60) return undefined;
  return major * 100 + minor;
}

export function releaseText(release: Release): string {
  return `${Math.floor(release / 100)}.${release % 100}`;
}

const STATED: readonly RegExp[] = [
  /Starting \S+ \(Version: (\d+\.\d+(?:\.\d+)?)/u,
  /\(Version: (\d+\.\d+(?:\.\d+)?), Scala/u,
  /\bflink-(?:dist|runtime|streaming-java|core|clients|runtime-web)(?:_2\.\d+)?-(\d+\.\d+(?:\.\d+)?)[\w.-]*\.jar/u,
  /\b(?:apache\/)?flink:(\d+\.\d+(?:\.\d+)?)/u,
  /\bflink-(\d+\.\d+(?:\.\d+)?)\/(?:lib|bin|conf|opt|plugins)\b/u,
];

/** A wording or name that exists only from or up to a release. */
interface Mark {
  readonly pattern: RegExp;
  readonly min?: Release;
  readonly max?: Release;
}

const MESSAGE_MARKS: readonly Mark[] = [
  { pattern: /type=CheckpointType\{|type=SavepointType\{/u, min: 115 },
  {
    pattern:
      /\(type=(?:CHECKPOINT|SAVEPOINT|SAVEPOINT_SUSPEND|SAVEPOINT_TERMINATE|SYNC_SAVEPOINT)\)/u,
    min: 112,
    max: 114,
  },
  { pattern: /^Triggering checkpoint \d+ @ \d+ for job/u, min: 106, max: 111 },
  { pattern: /checkpointDuration=\d+ ms, finalizationTime=/u, min: 114 },
  { pattern: /^Completed checkpoint \d+ for job \S+ \(\d+ bytes in \d+ ms\)/u, min: 106, max: 113 },
  { pattern: /^Failed to trigger or complete checkpoint/u, min: 115 },
  { pattern: /view the Checkpoint History tab/u, min: 117 },
  { pattern: /Asynchronous task checkpoint failed/u, min: 112 },
  { pattern: /tasks will be restarted to recover/u, min: 110 },
  { pattern: /to INITIALIZING\b/u, min: 114 },
  { pattern: /org\.apache\.pekko|pekko\.tcp|maximum pekko framesize/u, min: 118 },
  {
    pattern: /\bakka\.tcp:|maximum akka framesize|org\.apache\.flink\.runtime\.rpc\.akka/u,
    max: 117,
  },
  { pattern: /with failure cause:/u, min: 113 },
  { pattern: /^Discarding checkpoint \d+ of job/u, min: 106, max: 110 },
  { pattern: /Consider using a different checkpoint storage/u, min: 114 },
  { pattern: /StreamTask\$AsyncCheckpointRunnable|AsynchronousException\{/u, max: 110 },
  { pattern: /StopWithSavepointStoppingException/u, min: 115 },
  { pattern: /Recovery is suppressed by/u, min: 110 },
  { pattern: /IO-problem detected/u, min: 114 },
];

const FRAME_MARKS: readonly Mark[] = [
  {
    pattern: /^org\.apache\.flink\.streaming\.runtime\.tasks\.AsyncCheckpointRunnable\./u,
    min: 111,
  },
  {
    pattern:
      /^org\.apache\.flink\.streaming\.runtime\.tasks\.StreamTask\$(?:AsyncCheckpointRunnable|CheckpointingOperation)/u,
    max: 110,
  },
  {
    pattern: /^org\.apache\.flink\.streaming\.runtime\.io\.CheckpointBarrierAligner/u,
    min: 109,
    max: 111,
  },
  { pattern: /SingleCheckpointBarrierHandler/u, min: 112 },
  { pattern: /StreamOperatorStateHandler/u, min: 111 },
  { pattern: /^org\.apache\.flink\.contrib\.streaming\.state\./u, max: 120 },
  { pattern: /^org\.apache\.flink\.state\.rocksdb\./u, min: 200 },
  { pattern: /Task\.restoreAndInvoke$/u, min: 114 },
  { pattern: /rpc\.akka\./u, max: 117 },
  { pattern: /rpc\.pekko\./u, min: 118 },
];

const KEY_MARKS: readonly Mark[] = [
  {
    pattern:
      /^execution\.checkpointing\.(?:dir|savepoint-dir|storage|incremental|num-retained|data-inline-threshold|create-subdir|local-backup|file-merging)/u,
    min: 120,
  },
  { pattern: /^execution\.state-recovery\./u, min: 120 },
  { pattern: /^(?:restart-strategy|state\.backend|high-availability)\.type$/u, min: 117 },
  { pattern: /^execution\.checkpointing\.unaligned\.enabled$/u, min: 117 },
  { pattern: /^pekko\./u, min: 118 },
  { pattern: /^state\.checkpoint-storage$/u, min: 113 },
  { pattern: /^(?:taskmanager|jobmanager)\.heap\.(?:mb|size)$/u, max: 112 },
];

/** The metadata format version that each release writes. */
const METADATA_RANGE: Readonly<Record<number, readonly [Release, Release]>> = {
  2: [103, 110],
  3: [111, 115],
  4: [116, 120],
  5: [200, 200],
  6: [201, 203],
  7: [204, NEWEST],
};

/** Finds out which Flink wrote this: from what states it, else from wordings that came and went. */
export function inferVersion(evidence: Evidence): VersionRange {
  const stated = statedVersion(evidence);
  const release = stated === undefined ? undefined : parseRelease(stated);
  if (release !== undefined) return { min: release, max: release, stated };
  let min = OLDEST;
  let max = NEWEST;
  const apply = (mark: { min?: Release | undefined; max?: Release | undefined }): void => {
    if (mark.min !== undefined && mark.min <= max) min = Math.max(min, mark.min);
    if (mark.max !== undefined && mark.max >= min) max = Math.min(max, mark.max);
  };
  for (const event of evidence.events) {
    for (const mark of MESSAGE_MARKS) {
      if (
        mark.pattern.test(event.message) ||
        event.thrown.some((error) => mark.pattern.test(error.message))
      )
        apply(mark);
    }
    for (const error of event.thrown) {
      for (const frame of error.frames) {
        for (const mark of FRAME_MARKS) if (mark.pattern.test(frame.method)) apply(mark);
      }
    }
  }
  if (evidence.events.some((event) => event.logger?.endsWith("YarnTaskManager") === true))
    apply({ max: 107 });
  for (const setting of evidence.settings) {
    for (const mark of KEY_MARKS) if (mark.pattern.test(setting.key)) apply(mark);
  }
  for (const fact of evidence.metadata) {
    const range = METADATA_RANGE[fact.version ?? 0];
    if (range !== undefined) apply({ min: range[0], max: range[1] });
  }
  return { min, max, stated: undefined };
}

function statedVersion(evidence: Evidence): string | undefined {
  if (evidence.rest.flinkVersion !== undefined) return evidence.rest.flinkVersion;
  const fromOperator = evidence.settings.find((setting) =>
    /(?:^|\.)flinkVersion$/u.test(setting.key),
  );
  for (const event of evidence.events) {
    const banner = STATED[0]?.exec(event.message)?.[1] ?? STATED[1]?.exec(event.message)?.[1];
    if (banner !== undefined) return banner;
  }
  if (fromOperator !== undefined && parseRelease(fromOperator.value) !== undefined) {
    return fromOperator.value.replace(/^v/u, "").replaceAll("_", ".");
  }
  const image = evidence.settings.find(
    (setting) => /image$/iu.test(setting.key) && /flink/iu.test(setting.value),
  );
  const tag =
    image === undefined ? undefined : /flink[\w/-]*:v?(\d+\.\d+(?:\.\d+)?)/u.exec(image.value)?.[1];
  if (tag !== undefined) return tag;
  return statedInTraces(evidence);
}

/** Stack traces with packaging data name the jar of each frame; the raw text keeps it only in messages. */
function statedInTraces(evidence: Evidence): string | undefined {
  for (const event of evidence.events) {
    for (const pattern of STATED) {
      const found = pattern.exec(event.message)?.[1];
      if (found !== undefined) return found;
    }
    for (const error of event.thrown) {
      for (const frame of error.frames) {
        const found = frame.jarVersion;
        if (found !== undefined) return found;
      }
    }
  }
  return undefined;
}
