import { shownPath, shownText } from "../evidence/clean-text.ts";
import type { Facts } from "../analysis/facts.ts";
import type { RestCheckpoint } from "../evidence/evidence.ts";

/** One checkpoint of the timeline, all evidence merged. Times are the writer's own wall clock; only differences mean anything. */
export interface TrackedCheckpoint {
  readonly checkpointId: number;
  readonly jobId: string | null;
  readonly isSavepoint: boolean;
  readonly outcome: "completed" | "failed" | "expired" | "open";
  readonly triggeredAtMs: number | null;
  readonly endedAtMs: number | null;
  readonly durationMs: number | null;
  readonly sizeBytes: number | null;
  /** Why it failed, as the evidence says it. */
  readonly reason: string | null;
  /** Subtasks that did not acknowledge, as `operator (3/4)`, as far as answers or a history tell. */
  readonly notAcknowledged: readonly string[];
  readonly file: string;
  readonly line: number;
}

/** How many checkpoints a report carries. The newest are kept. */
const MAX_TRACKED = 500;
const MAX_NAMED = 20;

/** The checkpoints in the order of their triggers. */
export function checkpointTrack(facts: Facts): readonly TrackedCheckpoint[] {
  const answers = new Map(
    facts.evidence.rest.checkpoints.map((checkpoint) => [checkpoint.id, checkpoint]),
  );
  const fromLogs = facts.timeline.checkpoints.map((life): TrackedCheckpoint => {
    const answer = answers.get(life.checkpointId);
    return {
      checkpointId: life.checkpointId,
      jobId: life.jobId ?? null,
      isSavepoint: life.isSavepoint,
      outcome: life.outcome,
      triggeredAtMs: moment(life.triggeredAtMs),
      endedAtMs: moment(life.endedAtMs),
      durationMs: amount(life.durationMs) ?? spanMs(life.triggeredAtMs, life.endedAtMs),
      sizeBytes: amount(life.sizeBytes ?? answer?.stateBytes),
      reason: masked(life.reason ?? answer?.failure),
      notAcknowledged: notAcknowledged(facts, life.checkpointId),
      file: shownPath(life.place.file),
      line: life.place.line,
    };
  });
  const logged = new Set(fromLogs.map((tracked) => tracked.checkpointId));
  const fromAnswers = [...answers.values()]
    .filter((answer) => !logged.has(answer.id))
    .map((answer) => trackAnswer(answer, facts));
  return [...fromLogs, ...fromAnswers]
    .toSorted(
      (a, b) =>
        (a.triggeredAtMs ?? a.endedAtMs ?? 0) - (b.triggeredAtMs ?? b.endedAtMs ?? 0) ||
        a.checkpointId - b.checkpointId,
    )
    .slice(-MAX_TRACKED);
}

function trackAnswer(answer: RestCheckpoint, facts: Facts): TrackedCheckpoint {
  const triggeredAtMs = moment(answer.triggeredAtMs);
  const durationMs = amount(answer.durationMs);
  return {
    checkpointId: answer.id,
    jobId: null,
    isSavepoint: answer.isSavepoint,
    outcome: outcomeOf(answer),
    triggeredAtMs,
    endedAtMs:
      triggeredAtMs === null || durationMs === null ? null : moment(triggeredAtMs + durationMs),
    durationMs,
    sizeBytes: amount(answer.stateBytes),
    reason: masked(answer.failure),
    notAcknowledged: notAcknowledged(facts, answer.id),
    file: shownPath(answer.place.file),
    line: answer.place.line,
  };
}

function outcomeOf(answer: RestCheckpoint): TrackedCheckpoint["outcome"] {
  if (answer.status === "COMPLETED") return "completed";
  if (answer.status !== "FAILED") return "open";
  return /expired/iu.test(answer.failure ?? "") ? "expired" : "failed";
}

function notAcknowledged(facts: Facts, checkpointId: number): readonly string[] {
  const named = facts.evidence.rest.subtasks
    .filter((answer) => answer.checkpointId === checkpointId && answer.status !== "COMPLETED")
    .flatMap((answer) =>
      answer.subtasks
        .filter((subtask) => !subtask.completed)
        .map((subtask) => {
          const name = answer.vertexName ?? vertexName(facts, answer.vertexId);
          return `${name} (${subtask.index + 1}/${answer.subtasks.length})`;
        }),
    );
  return [...new Set(named.map(shownText))].slice(0, MAX_NAMED);
}

function vertexName(facts: Facts, vertexId: string | undefined): string {
  const known = facts.evidence.rest.vertices.find((vertex) => vertex.id === vertexId);
  return known?.name ?? vertexId ?? "";
}

function spanMs(from: number | undefined, to: number | undefined): number | null {
  return from === undefined || to === undefined ? null : Math.max(0, to - from);
}

const LAST_MOMENT_MS = 8_640_000_000_000_000;

/** What a calendar can show; input may claim anything. */
function moment(atMs: number | undefined): number | null {
  return atMs !== undefined && Math.abs(atMs) <= LAST_MOMENT_MS ? Math.round(atMs) : null;
}

function amount(value: number | undefined): number | null {
  return value !== undefined && value >= 0 && value <= Number.MAX_SAFE_INTEGER
    ? Math.round(value)
    : null;
}

function masked(text: string | undefined): string | null {
  return text === undefined ? null : shownText(text);
}
