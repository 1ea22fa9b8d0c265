import type { RestSubtask, RestSubtaskAnswer, ThreadStack } from "../evidence/evidence.ts";
import { barrierPassed, type MissingAcknowledgement } from "./barrier-passed.ts";
import type { Facts } from "./facts.ts";
import { loggedTimes } from "./logged-times.ts";
import { classifyStack, type ClassifiedStack } from "./task-stack.ts";

/** What the time of one subtask's part went into. */
export interface SubtaskTime {
  readonly checkpointId: number;
  readonly vertexId: string | undefined;
  readonly vertexName: string | undefined;
  readonly subtask: RestSubtask;
  readonly kind: "start-delay" | "alignment" | "sync" | "async";
  readonly ms: number;
  readonly line: { readonly file: string; readonly line: number };
}

/** The vertex that the job waits for. */
export interface Bottleneck {
  readonly vertexId: string;
  readonly name: string;
  readonly busy: number;
  readonly isSink: boolean;
  /** Index of the one busy subtask, if its siblings idle. */
  readonly skewedTo: number | undefined;
  readonly upstreamBackpressured: boolean;
  readonly place: { readonly file: string; readonly line: number };
}

/** Why checkpoints run into their time-out, as far as the evidence tells. */
export interface ExpiryAnalysis {
  readonly expired: boolean;
  readonly missing: readonly MissingAcknowledgement[];
  /** True if subtasks after a missing one acknowledged: the barrier went through it. */
  readonly barrierPassed: boolean;
  /** No subtask at all acknowledged. */
  readonly nobodyAcknowledged: boolean;
  readonly slowest: SubtaskTime | undefined;
  readonly bottleneck: Bottleneck | undefined;
  readonly stacks: readonly ClassifiedStack[];
  readonly persistedBytes: number;
  readonly stateBytes: number | undefined;
  readonly lateCount: number;
  /** Greatest time from trigger to a late acknowledgement, in milliseconds. */
  readonly latestAckMs: number | undefined;
}

const SINK_NAME =
  /(?:^|-> ?)\s*\(?(?:Sink\b|.*\b(?:sink|writer|committer|jdbc|elasticsearch|opensearch|clickhouse|doris|starrocks|hbase|redis)\b)/iu;

const ANALYSES = new WeakMap<Facts, ExpiryAnalysis>();

/** The analysis of these facts, made once. */
export function expiryOf(facts: Facts): ExpiryAnalysis {
  let analysis = ANALYSES.get(facts);
  if (analysis === undefined) {
    analysis = analyseExpiry(facts);
    ANALYSES.set(facts, analysis);
  }
  return analysis;
}

export function analyseExpiry(facts: Facts): ExpiryAnalysis {
  const missing = missingOf(facts);
  const answers = facts.evidence.rest.subtasks;
  const slowest = slowestOf(facts, [...answers, ...loggedTimes(facts)]);
  return {
    expired:
      facts.hasExpired ||
      facts.evidence.rest.checkpoints.some(
        (checkpoint) => checkpoint.status === "IN_PROGRESS" && (checkpoint.acknowledged ?? 1) === 0,
      ),
    missing,
    barrierPassed: barrierPassed(facts.evidence.rest, missing),
    nobodyAcknowledged: nobodyAcknowledged(facts),
    slowest,
    bottleneck: bottleneckOf(facts),
    stacks: distinctStacks(facts.taskStacks),
    persistedBytes: Math.max(
      0,
      ...facts.evidence.rest.checkpoints.map((checkpoint) => checkpoint.persistedBytes ?? 0),
      ...answers.map((answer) =>
        answer.subtasks.reduce((sum, subtask) => sum + (subtask.persistedBytes ?? 0), 0),
      ),
    ),
    stateBytes: maximum(
      facts.evidence.rest.checkpoints
        .filter((checkpoint) => checkpoint.status === "FAILED" || checkpoint.status === "COMPLETED")
        .map((checkpoint) => checkpoint.stateBytes),
    ),
    lateCount: facts.timeline.checkpoints.reduce((sum, life) => sum + life.lateBy.length, 0),
    latestAckMs: latestAck(facts),
  };
}

function maximum(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}

function distinctStacks(stacks: readonly ThreadStack[]): readonly ClassifiedStack[] {
  const seen = new Set<string>();
  const found: ClassifiedStack[] = [];
  for (const stack of stacks) {
    const key = `${stack.thread}|${stack.frames
      .slice(0, 6)
      .map((frame) => frame.method)
      .join("|")}`;
    if (seen.has(key)) continue;
    seen.add(key);
    found.push(classifyStack(stack));
  }
  return found;
}

/** The failed checkpoint with the highest id that an answer describes; else the one in progress. */
function missingOf(facts: Facts): readonly MissingAcknowledgement[] {
  const found: MissingAcknowledgement[] = [];
  const nameOf = (id: string): string | undefined =>
    facts.evidence.rest.vertices.find((vertex) => vertex.id === id)?.name;
  for (const answer of facts.evidence.rest.subtasks) {
    if (answer.status !== "FAILED" && answer.status !== "IN_PROGRESS") continue;
    const missing = answer.subtasks
      .filter((subtask) => !subtask.completed)
      .map((subtask) => subtask.index);
    if (missing.length === 0) continue;
    found.push({
      vertexId: answer.vertexId ?? "",
      vertexName:
        answer.vertexName ?? (answer.vertexId === undefined ? undefined : nameOf(answer.vertexId)),
      missing,
      subtasks: answer.subtasks.length,
      checkpointId: answer.checkpointId,
    });
  }
  if (found.length > 0) return newestFailed(facts, found);
  for (const checkpoint of facts.evidence.rest.checkpoints) {
    if (checkpoint.status !== "FAILED") continue;
    for (const task of checkpoint.tasks) {
      if (task.acknowledged >= task.subtasks) continue;
      found.push({
        vertexId: task.vertexId,
        vertexName: nameOf(task.vertexId),
        missing: [],
        subtasks: task.subtasks - task.acknowledged,
        checkpointId: checkpoint.id,
      });
    }
  }
  return found;
}

function newestFailed(
  facts: Facts,
  found: readonly MissingAcknowledgement[],
): readonly MissingAcknowledgement[] {
  const failedIds = new Set(facts.failedCheckpoints.map((checkpoint) => checkpoint.id));
  const ids = found.map((entry) => entry.checkpointId);
  const failed = ids.filter((id) => failedIds.has(id));
  const newest = Math.max(...(failed.length > 0 ? failed : ids));
  return found.filter((entry) => entry.checkpointId === newest);
}

function nobodyAcknowledged(facts: Facts): boolean {
  const failed = facts.evidence.rest.checkpoints.filter(
    (checkpoint) =>
      checkpoint.status === "FAILED" && /expired/u.test(checkpoint.failure ?? "expired"),
  );
  return failed.length > 0 && failed.every((checkpoint) => checkpoint.acknowledged === 0);
}

/** The greatest single part of a subtask's time, over all answers. */
function slowestOf(facts: Facts, answers: readonly RestSubtaskAnswer[]): SubtaskTime | undefined {
  let slowest: SubtaskTime | undefined;
  for (const answer of answers) {
    for (const subtask of answer.subtasks) {
      if (!subtask.completed) continue;
      const parts: readonly (readonly [SubtaskTime["kind"], number | undefined])[] = [
        ["start-delay", subtask.startDelayMs],
        ["alignment", subtask.alignmentMs],
        ["sync", subtask.syncMs],
        ["async", subtask.asyncMs],
      ];
      for (const [kind, ms] of parts) {
        if (ms === undefined || ms <= (slowest?.ms ?? 0)) continue;
        slowest = {
          checkpointId: answer.checkpointId,
          vertexId: answer.vertexId,
          vertexName:
            answer.vertexName ??
            facts.evidence.rest.vertices.find((vertex) => vertex.id === answer.vertexId)?.name,
          subtask,
          kind,
          ms,
          line: answer.place,
        };
      }
    }
  }
  return slowest;
}

function bottleneckOf(facts: Facts): Bottleneck | undefined {
  const levels = facts.evidence.rest.backpressure;
  if (levels.length === 0) return undefined;
  const vertices = facts.evidence.rest.vertices;
  const described = levels.map((level) => {
    const vertex = vertices.find((candidate) => candidate.id === level.vertexId);
    const busy = level.subtasks.map((subtask) => subtask.busy ?? 0);
    const backpressured = Math.max(
      0,
      ...level.subtasks.map((subtask) => subtask.backpressured ?? 0),
    );
    const name = vertex?.name ?? level.vertexId ?? "";
    return {
      level,
      name,
      position: vertex?.position ?? 0,
      busy,
      backpressured,
      high: backpressured >= 0.5 || /high/u.test(level.level),
    };
  });
  const candidates = described.filter((entry) => !entry.high && Math.max(0, ...entry.busy) >= 0.7);
  const best = candidates.toSorted(
    (a, b) => Math.max(...b.busy) - Math.max(...a.busy) || b.position - a.position,
  )[0];
  if (best === undefined) return undefined;
  const most = Math.max(...best.busy);
  const others = best.busy.filter((busy) => busy < most);
  const skewed =
    best.busy.length >= 2 &&
    others.length >= best.busy.length - 1 &&
    Math.max(0, ...others) < most * 0.5 &&
    Math.max(0, ...others) < 0.6;
  const last = Math.max(...vertices.map((vertex) => vertex.position), 0);
  return {
    vertexId: best.level.vertexId ?? "",
    name: best.name,
    busy: most,
    isSink:
      SINK_NAME.test(best.name) &&
      (vertices.length === 0 || best.position === last || /^sink/iu.test(best.name)),
    skewedTo: skewed ? best.level.subtasks[best.busy.indexOf(most)]?.index : undefined,
    upstreamBackpressured: described.some((entry) => entry.high),
    place: best.level.place,
  };
}

function latestAck(facts: Facts): number | undefined {
  let latest: number | undefined;
  for (const event of facts.evidence.events) {
    const match = /^Received late message for now expired checkpoint attempt (\d+)/u.exec(
      event.message,
    );
    if (match === null || event.atMs === undefined) continue;
    const life = facts.timeline.checkpoints.find(
      (candidate) => candidate.checkpointId === Number(match[1]),
    );
    if (life?.triggeredAtMs === undefined) continue;
    latest = Math.max(latest ?? 0, event.atMs - life.triggeredAtMs);
  }
  return latest;
}
