import { describe, expect, test } from "vitest";

import type { CheckpointMetrics, SubtaskRef } from "../checkpoint-gateway.ts";
import { propertiesOfCheckpoint } from "../metadata/checkpoint-properties.ts";
import {
  PENDING_CHECKPOINT_TRANSITIONS,
  PendingCheckpoint,
  type PendingCheckpointStatus,
} from "./pending-checkpoint.ts";

const TASK: SubtaskRef = { vertexId: "v", subtaskIndex: 0, attempt: 2 };
const METRICS: CheckpointMetrics = {
  startDelayMs: 1,
  alignmentDurationMs: 2,
  alignmentProcessedBytes: 3,
  alignmentPersistedBytes: 4,
  syncDurationMs: 5,
  asyncDurationMs: 6,
  checkpointedSizeBytes: 7,
  stateSizeBytes: 8,
  isUnaligned: false,
};

/** A checkpoint of one task, brought to a status. */
function pendingIn(status: PendingCheckpointStatus): PendingCheckpoint {
  const pending = new PendingCheckpoint({
    jobId: "j",
    checkpointId: 1,
    triggeredAtMs: 1_000,
    isPeriodic: true,
    properties: propertiesOfCheckpoint("CHECKPOINT", "NO_EXTERNALIZED_CHECKPOINTS"),
    plan: {
      tasksToTrigger: [TASK],
      tasksToWaitFor: [TASK],
      finishedTasks: [],
      fullyFinishedVertexIds: [],
    },
    vertices: [
      { vertexId: "v", name: "v", parallelism: 1, maxParallelism: 128, operators: [], inputs: [] },
    ],
  });
  if (status === "TRIGGERING") return pending;
  pending.tasksTriggered(1_001);
  if (status === "COLLECTING") return pending;
  pending.acknowledge(TASK, METRICS, undefined, 1_002);
  pending.beginFinalization();
  if (status === "COMPLETED") pending.complete(1_003, 1);
  if (status === "ABORTED") {
    pending.abort(
      { reason: "CHECKPOINT_EXPIRED", detail: undefined, causes: [] },
      undefined,
      1_003,
    );
  }
  return pending;
}

/** What brings a checkpoint to a status, if that is legal. */
const CHANGES: {
  readonly [S in PendingCheckpointStatus]: ((pending: PendingCheckpoint) => void) | undefined;
} = {
  TRIGGERING: undefined,
  COLLECTING: (pending) => pending.tasksTriggered(1_010),
  FINALIZING: (pending) => {
    pending.acknowledge(TASK, METRICS, undefined, 1_010);
    pending.beginFinalization();
  },
  COMPLETED: (pending) => pending.complete(1_010, 1),
  ABORTED: (pending) =>
    pending.abort({ reason: "CHECKPOINT_DECLINED", detail: undefined, causes: [] }, TASK, 1_010),
};

describe("a pending checkpoint", () => {
  const statuses = Object.keys(PENDING_CHECKPOINT_TRANSITIONS) as PendingCheckpointStatus[];
  const changes = statuses.flatMap((from) =>
    statuses.flatMap((to) => {
      const change = CHANGES[to];
      const isLegal = PENDING_CHECKPOINT_TRANSITIONS[from].includes(to);
      return change === undefined ? [] : [{ from, to, change, isLegal }];
    }),
  );

  test.each(changes)(
    "that is $from becomes $to: legal is $isLegal",
    ({ from, to, change, isLegal }) => {
      const pending = pendingIn(from);
      let hasThrown = false;
      try {
        change(pending);
      } catch {
        hasThrown = true;
      }
      expect(hasThrown).toBe(!isLegal);
      expect(pending.status).toBe(isLegal ? to : from);
    },
  );

  test("counts a task once, and no other attempt of it", () => {
    const pending = pendingIn("COLLECTING");
    expect(pending.acknowledge({ ...TASK, attempt: 1 }, METRICS, undefined, 0)).toBe("UNKNOWN");
    expect(pending.isFullyAcknowledged).toBe(false);
    expect(pending.acknowledge(TASK, METRICS, undefined, 0)).toBe("SUCCESS");
    expect(pending.acknowledge(TASK, METRICS, undefined, 0)).toBe("DUPLICATE");
    expect(pending.isFullyAcknowledged).toBe(true);
    expect(pendingIn("ABORTED").acknowledge(TASK, METRICS, undefined, 0)).toBe("DISCARDED");
  });

  test("is a record that survives JSON", () => {
    const record = pendingIn("COMPLETED").toRecord();
    expect(JSON.parse(JSON.stringify(record))).toEqual(record);
  });
});
