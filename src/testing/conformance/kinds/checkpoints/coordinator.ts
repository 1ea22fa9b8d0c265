import {
  Configuration,
  nodePlatform,
  type Platform,
  resolveOptions,
  silentLogger,
} from "../../../../base/index.ts";
import {
  CheckpointCoordinator,
  CHECKPOINTING_OPTIONS,
  type CheckpointMetrics,
  type CoordinatorContext,
  MemoryCheckpointStorage,
  type SubtaskRef,
} from "../../../../checkpoint/index.ts";
import { compareListed } from "../../compare-listed.ts";
import { compareUnordered } from "../../comparison.ts";
import type { Fields } from "../../fields.ts";
import { ScenarioFault } from "../../scenario.ts";
import type { ScenarioInstance, ScenarioKind } from "../../scenario-kind.ts";

/** Turns of the microtask queue after which memory storage has answered everything. */
const TURN_COUNT = 100;

const METRICS: CheckpointMetrics = {
  startDelayMs: 0,
  alignmentDurationMs: 0,
  alignmentProcessedBytes: 0,
  alignmentPersistedBytes: 0,
  syncDurationMs: 0,
  asyncDurationMs: 0,
  checkpointedSizeBytes: 0,
  stateSizeBytes: 0,
  isUnaligned: false,
};

/** Acknowledgements, declines, time-outs and subsumption; the events of one step are unordered. */
export const coordinatorKind: ScenarioKind = {
  kind: "coordinator",
  start(config: Fields): ScenarioInstance {
    const tasks = config.list("tasks").map(String);
    const job = new ScenarioJob(tasks, config.number("retained"));
    return {
      async act(step) {
        job.act(step);
        for (let turn = 0; turn < TURN_COUNT; turn++) await Promise.resolve();
        job.noteSubsumed();
      },
      check(_name, expected) {
        if (Array.isArray(expected)) return compareUnordered(expected, job.takeEvents());
        const { pendingIds: pending, retained } = job.coordinator;
        const ids = retained.map(({ checkpointId }) => checkpointId);
        return compareListed(expected, { pending, retained: ids });
      },
      leftOver: () => compareUnordered([], job.takeEvents()),
    };
  },
};

class ScenarioJob {
  readonly coordinator: CheckpointCoordinator;
  readonly #timeouts = new Map<number, () => void>();
  #lastTimer: () => void = () => {};
  #events: unknown[] = [];
  #retainedIds: readonly number[] = [];

  constructor(tasks: readonly string[], retainedCount: number) {
    const { values } = resolveOptions(CHECKPOINTING_OPTIONS, new Configuration());
    const platform: Platform = {
      ...nodePlatform(),
      after: (_delayMs, callback) => {
        this.#lastTimer = callback;
        return () => {};
      },
    };
    this.coordinator = new CheckpointCoordinator({
      jobId: "0".repeat(32),
      platform,
      log: silentLogger,
      // Any number of checkpoints may be pending in a scenario, and no failure ends the job.
      options: {
        ...values,
        retainedCount,
        maxConcurrentCheckpoints: 1_000,
        tolerableFailedCheckpointCount: 1_000,
      },
      storage: new MemoryCheckpointStorage(platform),
      gateway: {
        triggerCheckpoint() {},
        notifyCheckpointComplete: (task, checkpointId) => {
          if (task.vertexId === tasks.at(-1)) this.#events.push({ notifyComplete: checkpointId });
        },
        notifyCheckpointAborted() {},
      },
      vertices: tasks.map((vertexId) => ({
        vertexId,
        name: vertexId,
        parallelism: 1,
        maxParallelism: 128,
        operators: [],
        inputs: [],
      })),
      operatorCoordinators: [],
      observers: [this.#observer()],
      plan: () => ({
        kind: "plan",
        plan: {
          tasksToTrigger: tasks.map(toTask),
          tasksToWaitFor: tasks.map(toTask),
          finishedTasks: [],
          fullyFinishedVertexIds: [],
        },
      }),
      failJob(error) {
        throw error;
      },
      failTask(_task, error) {
        throw error;
      },
      restored: [],
      firstCheckpointId: 1,
    });
  }

  act(step: Fields): void {
    if (step.has("trigger")) {
      this.#trigger(step.text("trigger"));
      step.number("id");
    } else if (step.has("ack")) {
      const task = toTask(step.text("task"));
      this.coordinator.acknowledgeCheckpoint(task, step.number("ack"), METRICS, undefined);
    } else if (step.has("decline")) {
      const task = toTask(step.text("task"));
      this.coordinator.declineCheckpoint(
        task,
        step.number("decline"),
        "CHECKPOINT_DECLINED",
        [],
        {},
      );
    } else {
      this.#timeouts.get(step.number("expire"))?.();
    }
  }

  /** What has left the store since the last call. */
  noteSubsumed(): void {
    const ids = this.coordinator.retained.map(({ checkpointId }) => checkpointId);
    for (const id of this.#retainedIds) if (!ids.includes(id)) this.#events.push({ subsumed: id });
    this.#retainedIds = ids;
  }

  takeEvents(): readonly unknown[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  #trigger(what: string): void {
    if (what === "checkpoint") {
      void this.coordinator.triggerCheckpoint();
      return;
    }
    if (what !== "savepoint" && what !== "stop-with-savepoint") {
      throw new ScenarioFault(`The trigger ${what} is not known to this runner`);
    }
    void this.coordinator.triggerSavepoint({
      targetDirectory: "savepoints",
      format: "CANONICAL",
      postAction: what === "savepoint" ? "NONE" : "SUSPEND",
    });
  }

  #observer(): CoordinatorContext["observers"][number] {
    return {
      onTriggered: (checkpointId) => {
        this.#timeouts.set(checkpointId, this.#lastTimer);
      },
      onEnded: ({ checkpointId, failure }) => {
        this.#events.push(
          failure === null
            ? { completed: checkpointId }
            : { aborted: checkpointId, reason: failure.reason },
        );
      },
    };
  }
}

function toTask(vertexId: string): SubtaskRef {
  return { vertexId, subtaskIndex: 0, attempt: 0 };
}
