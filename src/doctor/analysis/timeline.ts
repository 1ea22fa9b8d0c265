import type { Evidence, LogEvent, Place } from "../evidence/evidence.ts";

/** One moment in the life of a checkpoint. */
export interface CheckpointMoment {
  readonly kind: "triggered" | "completed" | "declined" | "expired" | "failed" | "late" | "other";
  readonly checkpointId: number;
  readonly jobId: string | undefined;
  readonly atMs: number | undefined;
  readonly event: LogEvent;
}

/** All that is known of one checkpoint. */
export interface CheckpointLife {
  readonly checkpointId: number;
  readonly jobId: string | undefined;
  readonly isSavepoint: boolean;
  readonly triggeredAtMs: number | undefined;
  readonly endedAtMs: number | undefined;
  readonly outcome: "completed" | "failed" | "expired" | "open";
  readonly durationMs: number | undefined;
  readonly sizeBytes: number | undefined;
  /** The reason text of the failure, if the log gives one. */
  readonly reason: string | undefined;
  readonly lateBy: readonly string[];
  readonly place: Place;
}

/** A task left one state for another. */
export interface TaskChange {
  readonly task: string;
  readonly subtask: number | undefined;
  readonly of: number | undefined;
  readonly attempt: string | undefined;
  readonly from: string;
  readonly to: string;
  readonly atMs: number | undefined;
  readonly event: LogEvent;
}

export interface JobChange {
  readonly jobId: string | undefined;
  readonly name: string;
  readonly from: string;
  readonly to: string;
  readonly atMs: number | undefined;
  readonly event: LogEvent;
}

/** What the logs say in order: checkpoints, tasks, jobs. */
export interface Timeline {
  readonly checkpoints: readonly CheckpointLife[];
  readonly tasks: readonly TaskChange[];
  readonly jobs: readonly JobChange[];
}

const MOMENTS: readonly (readonly [CheckpointMoment["kind"], RegExp])[] = [
  ["triggered", /^Triggering checkpoint (\d+)\b.*?(?:for job (\w+))?\.?$/su],
  ["completed", /^Completed checkpoint (\d+)(?: for job (\w+))?/u],
  ["declined", /^Decline checkpoint (\d+) by task \S+(?: of job (\w+))?/u],
  ["expired", /^Checkpoint (\d+)(?: of job (\w+))? expired before completing/u],
  ["failed", /^Failed to trigger or complete checkpoint (\d+)(?: for job (\w+))?/u],
  ["failed", /^Discarding checkpoint (\d+)(?: of job (\w+))?/u],
  ["failed", /^Failed to trigger checkpoint (\d+) for job (\w+)/u],
  ["failed", /^Error while triggering checkpoint (\d+) for job (\w+)/u],
  [
    "late",
    /^Received late message for now expired checkpoint attempt (\d+) from(?: task)? \S+ of job (\w+)/u,
  ],
];

const TASK =
  /^(.+?) \((\d+)\/(\d+)\)(?:#\d+)?(?: \(([^()]*)\))? switched from (?:state )?([A-Z]+) to ([A-Z]+)\b/u;
const JOB = /^Job (.*?) ?\(([0-9a-f]{8,32})\) switched from state ([A-Z]+) to ([A-Z]+)/u;

/** Puts the records of the logs into their order in life. */
export function buildTimeline(evidence: Evidence): Timeline {
  const moments: CheckpointMoment[] = [];
  const tasks: TaskChange[] = [];
  const jobs: JobChange[] = [];
  for (const event of evidence.events) {
    const moment = momentOf(event);
    if (moment !== undefined) moments.push(moment);
    const task = TASK.exec(event.message);
    if (task !== null) {
      tasks.push({
        task: task[1] ?? "",
        subtask: Number(task[2]),
        of: Number(task[3]),
        attempt: task[4],
        from: task[5] ?? "",
        to: task[6] ?? "",
        atMs: event.atMs,
        event,
      });
    }
    const job = JOB.exec(event.message);
    if (job !== null) {
      jobs.push({
        name: job[1] ?? "",
        jobId: job[2],
        from: job[3] ?? "",
        to: job[4] ?? "",
        atMs: event.atMs,
        event,
      });
    }
  }
  return { checkpoints: livesOf(moments), tasks, jobs };
}

function momentOf(event: LogEvent): CheckpointMoment | undefined {
  if (!/heckpoint/u.test(event.message)) return undefined;
  for (const [kind, pattern] of MOMENTS) {
    const match = pattern.exec(event.message);
    if (match !== null) {
      return {
        kind,
        checkpointId: Number(match[1]),
        jobId: match[2] === "" ? undefined : match[2],
        atMs: event.atMs,
        event,
      };
    }
  }
  return undefined;
}

function livesOf(moments: readonly CheckpointMoment[]): readonly CheckpointLife[] {
  const byId = new Map<string, CheckpointMoment[]>();
  for (const moment of moments) {
    const key = `${moment.jobId ?? ""}#${moment.checkpointId}`;
    const list = byId.get(key) ?? [];
    list.push(moment);
    byId.set(key, list);
  }
  return [...byId.values()].map((list) => lifeOf(list)).toSorted(byTime);
}

function byTime(a: CheckpointLife, b: CheckpointLife): number {
  return (
    (a.triggeredAtMs ?? a.endedAtMs ?? 0) - (b.triggeredAtMs ?? b.endedAtMs ?? 0) ||
    a.checkpointId - b.checkpointId
  );
}

function lifeOf(list: readonly CheckpointMoment[]): CheckpointLife {
  const first = list[0];
  const find = (kind: CheckpointMoment["kind"]): CheckpointMoment | undefined =>
    list.find((moment) => moment.kind === kind);
  const triggered = find("triggered");
  const completed = find("completed");
  const expired = find("expired");
  const failed = find("failed") ?? find("declined");
  const end = completed ?? expired ?? failed;
  const text = completed?.event.message ?? "";
  const duration = /checkpointDuration=(\d+) ms|bytes in (\d+) ms/u.exec(text);
  const reason = reasonOf(list);
  return {
    checkpointId: first?.checkpointId ?? 0,
    jobId: first?.jobId,
    isSavepoint: /[Ss]avepoint|SAVEPOINT/u.test(triggered?.event.message ?? ""),
    triggeredAtMs: triggered?.atMs,
    endedAtMs: end?.atMs,
    outcome:
      completed !== undefined
        ? "completed"
        : expired !== undefined || /expired/u.test(reason ?? "")
          ? "expired"
          : failed !== undefined
            ? "failed"
            : "open",
    durationMs: duration === null ? undefined : Number(duration[1] ?? duration[2]),
    sizeBytes: sizeOf(text),
    reason,
    lateBy: list
      .filter((moment) => moment.kind === "late")
      .map((moment) => /from(?: task)? (\S+)/u.exec(moment.event.message)?.[1] ?? ""),
    place: (end ?? first ?? list[0])?.event.place ?? { file: "", line: 0 },
  };
}

function sizeOf(text: string): number | undefined {
  const match = /\((\d+) bytes/u.exec(text);
  return match === null ? undefined : Number(match[1]);
}

function reasonOf(list: readonly CheckpointMoment[]): string | undefined {
  for (const moment of list) {
    if (moment.kind !== "failed" && moment.kind !== "declined" && moment.kind !== "expired")
      continue;
    const thrown = moment.event.thrown[0];
    if (thrown !== undefined)
      return /Failure reason: (.*)$/su.exec(thrown.message)?.[1] ?? thrown.message;
  }
  return undefined;
}
