import {
  calculateCheckpointPlan,
  type CheckpointFailureReason,
  type CheckpointProperties,
  CompletedCheckpointStore,
  countSuccess,
  decideOnFailure,
  decideQueued,
  decideRequest,
  decideRestart,
  type FailureCount,
  type FailureDecision,
  isSynchronous,
  MAX_QUEUED_REQUESTS,
  NO_FAILURES,
  NO_RESTARTS,
  noteFailure,
  type PlanInput,
  propertiesOfCheckpoint,
  propertiesOfSavepoint,
  type RequestDecision,
  type RestartHistory,
  type RestartStrategy,
  type SubtaskRef,
  type TriggerRequest,
} from "../../../checkpoint/index.ts";
import { producersOfConsumer } from "../../../graph/index.ts";
import {
  assertSame,
  type ConformanceScenario,
  type ConformanceStep,
} from "./checkpoint-scenario.ts";

const DAY_MS = 86_400_000;

interface NamedRequest extends TriggerRequest {
  readonly name: string;
}

/** Runs a `checkpoint-requests` scenario. Keys that `expect` does not list are free. */
export function runCheckpointRequestsScenario(scenario: ConformanceScenario): void {
  const config = scenario.config;
  const limits = {
    maxConcurrent: Number(config["maxConcurrent"] ?? 1),
    maxQueued: Number(config["maxQueued"] ?? MAX_QUEUED_REQUESTS),
    minPauseMs: Number(config["minPauseMs"] ?? 0),
  };
  const situation = {
    nowMs: Number(config["nowMs"] ?? DAY_MS),
    isTriggering: config["triggering"] === true,
    pendingCount: Number(config["pending"] ?? 0),
    cleaningCount: Number(config["cleaning"] ?? 0),
    lastCompletedAtMs:
      config["lastCompletionMs"] === undefined ? undefined : Number(config["lastCompletionMs"]),
  };
  let queue: readonly NamedRequest[] = [];
  let execute: string | null = null;
  let failed: Record<string, string> = {};
  for (const [index, step] of scenario.steps.entries()) {
    if ("expect" in step) {
      assertListed({ execute, failed }, step, `${scenario.id}, step ${index}`);
      failed = {};
      continue;
    }
    situation.nowMs += Number(step["advanceMs"] ?? 0);
    situation.pendingCount = Number(step["pending"] ?? situation.pendingCount);
    situation.cleaningCount = Number(step["cleaning"] ?? situation.cleaningCount);
    situation.isTriggering = (step["triggering"] ?? situation.isTriggering) === true;
    let decision: RequestDecision<NamedRequest>;
    if ("request" in step) {
      decision = decideRequest(queue, requestOf(step, situation.nowMs), situation, limits);
    } else if (step["next"] === true) {
      decision = decideQueued(queue, situation, limits);
    } else {
      continue;
    }
    queue = decision.queue;
    execute = decision.outcome.kind === "execute" ? decision.outcome.request.name : null;
    for (const { request, reason } of decision.refused) failed[request.name] = reason;
  }
}

function requestOf(step: ConformanceStep, requestedAtMs: number): NamedRequest {
  return {
    name: String(step["as"]),
    isSavepoint: step["request"] === "savepoint",
    isForced: step["forced"] === true,
    isPeriodic: step["periodic"] === true,
    requestedAtMs,
  };
}

/** Runs a `failure-counter` scenario. */
export function runFailureCounterScenario(scenario: ConformanceScenario): void {
  let count: FailureCount = NO_FAILURES;
  let decision: FailureDecision = { kind: "tolerate" };
  for (const [index, step] of scenario.steps.entries()) {
    if ("expect" in step) {
      assertListed(
        { jobFails: decision.kind !== "tolerate" },
        step,
        `${scenario.id}, step ${index}`,
      );
    } else if ("success" in step) {
      count = countSuccess(count, Number(step["success"]));
    } else {
      const id = Number(step["failure"]);
      const failure = {
        checkpointId: id < 0 ? undefined : id,
        reason: step["reason"] as CheckpointFailureReason,
        kind: step["savepoint"] === true ? ("SAVEPOINT" as const) : ("CHECKPOINT" as const),
        isFromTask: false,
      };
      ({ count, decision } = decideOnFailure(count, failure, Number(scenario.config["tolerable"])));
    }
  }
}

/** Runs a `restart-strategy` scenario. */
export function runRestartStrategyScenario(scenario: ConformanceScenario): void {
  const strategy = {
    attemptsBeforeReset: 2_147_483_647,
    ...scenario.config,
  } as unknown as RestartStrategy;
  let history: RestartHistory = NO_RESTARTS;
  let nowMs = DAY_MS;
  let newAttempt = false;
  for (const [index, step] of scenario.steps.entries()) {
    if ("expect" in step) {
      const { kind, backoffMs } = decideRestart(strategy, history, nowMs);
      const answer = { canRestart: kind === "restart", backoffMs, newAttempt };
      assertListed(answer, step, `${scenario.id}, step ${index}`);
    } else if (step["failure"] === true) {
      ({ history, isNewAttempt: newAttempt } = noteFailure(strategy, history, nowMs, 0.5));
    } else {
      nowMs += Number(step["advanceMs"]);
    }
  }
}

/** Runs a `retained-checkpoints` scenario. */
export function runRetainedCheckpointsScenario(scenario: ConformanceScenario): void {
  const store = new CompletedCheckpointStore<{
    readonly checkpointId: number;
    readonly properties: CheckpointProperties;
  }>(Number(scenario.config["retained"]));
  let subsumed: readonly number[] = [];
  for (const [index, step] of scenario.steps.entries()) {
    if ("expect" in step) {
      const retained = store.all.map(({ checkpointId }) => checkpointId);
      assertListed({ subsumed, retained }, step, `${scenario.id}, step ${index}`);
    } else {
      const checkpointId = Number(step["add"]);
      const type = step["type"];
      const properties = propertiesOf(typeof type === "string" ? type : "checkpoint");
      subsumed = store.add({ checkpointId, properties }).map((gone) => gone.checkpointId);
    }
  }
}

/** Runs a `retention` scenario. */
export function runRetentionScenario(scenario: ConformanceScenario): void {
  let properties = propertiesOf("savepoint");
  for (const [index, step] of scenario.steps.entries()) {
    if (!("expect" in step)) {
      properties = propertiesOf(String(step["of"]));
      continue;
    }
    const answer = {
      forced: properties.isForced,
      savepoint: properties.type.kind === "savepoint",
      synchronous: isSynchronous(properties),
      discardOnSubsumed: properties.discardSubsumed,
      discardOnJobFinished: properties.discardFinished,
      discardOnJobCancelled: properties.discardCancelled,
      discardOnJobFailed: properties.discardFailed,
      discardOnJobSuspended: properties.discardSuspended,
    };
    assertListed(answer, step, `${scenario.id}, step ${index}`);
  }
}

/** The scenarios' names: Flink's enum of retention in its code, and the kinds of savepoint. */
function propertiesOf(name: string): CheckpointProperties {
  switch (name) {
    case "savepoint":
      return propertiesOfSavepoint("CANONICAL", "NONE");
    case "sync-savepoint":
      return propertiesOfSavepoint("CANONICAL", "SUSPEND");
    case "RETAIN_ON_FAILURE":
      return propertiesOfCheckpoint("CHECKPOINT", "DELETE_ON_CANCELLATION");
    case "RETAIN_ON_CANCELLATION":
      return propertiesOfCheckpoint("CHECKPOINT", "RETAIN_ON_CANCELLATION");
    default:
      return propertiesOfCheckpoint("CHECKPOINT", "NO_EXTERNALIZED_CHECKPOINTS");
  }
}

interface PlanConfig {
  readonly vertices: readonly {
    readonly parallelism: number;
    readonly finished: readonly number[];
  }[];
  readonly edges: readonly {
    readonly from: number;
    readonly to: number;
    readonly pattern: string;
  }[];
}

/** Runs a `checkpoint-plan` scenario. */
export function runCheckpointPlanScenario(scenario: ConformanceScenario): void {
  const { vertices, edges } = scenario.config as unknown as PlanConfig;
  const decision = calculateCheckpointPlan(
    vertices.map(({ parallelism, finished }, vertexIndex) => ({
      vertexId: String(vertexIndex),
      name: `v${vertexIndex}`,
      tasks: Array.from({ length: parallelism }, (_, subtask) => ({
        status: finished.includes(subtask) ? ("FINISHED" as const) : ("RUNNING" as const),
        attempt: 0,
      })),
      inputs: edges
        .filter(({ to }) => to === vertexIndex)
        .map(({ from, pattern }): PlanInput => ({
          sourceVertexId: String(from),
          producersOf:
            pattern === "pointwise"
              ? (subtask) =>
                  producersOfConsumer(subtask, vertices[from]?.parallelism ?? 0, parallelism)
              : undefined,
        })),
    })),
    { jobId: "job", checkpointsAfterTasksFinish: true },
  );
  for (const [index, step] of scenario.steps.entries()) {
    if (!("expect" in step)) continue;
    const answer =
      decision.kind === "refuse"
        ? { refused: decision.reason }
        : {
            trigger: byVertex(decision.plan.tasksToTrigger),
            waitFor: byVertex(decision.plan.tasksToWaitFor),
            fullyFinished: decision.plan.fullyFinishedVertexIds.map(Number),
          };
    assertListed(answer, step, `${scenario.id}, step ${index}`);
  }
}

function byVertex(tasks: readonly SubtaskRef[]): readonly unknown[] {
  const subtasks = new Map<string, number[]>();
  for (const { vertexId, subtaskIndex } of tasks) {
    subtasks.set(vertexId, [...(subtasks.get(vertexId) ?? []), subtaskIndex]);
  }
  return [...subtasks].map(([vertex, indices]) => ({ vertex: Number(vertex), subtasks: indices }));
}

/** Compares the keys that `expect` lists. */
function assertListed(
  actual: Readonly<Record<string, unknown>>,
  step: ConformanceStep,
  place: string,
): void {
  const expected = step["expect"] as Readonly<Record<string, unknown>>;
  for (const [key, value] of Object.entries(expected))
    assertSame(actual[key], value, `${place}, ${key}`);
}
