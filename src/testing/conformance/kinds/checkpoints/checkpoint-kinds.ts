import type { ScenarioKind } from "../../scenario-kind.ts";
import { barrierHandlerKind } from "./barrier-handler.ts";
import { checkpointPlanKind } from "./checkpoint-plan.ts";
import { checkpointRequestsKind } from "./checkpoint-requests.ts";
import { coordinatorKind } from "./coordinator.ts";
import { failureCounterKind } from "./failure-counter.ts";
import { restartStrategyKind } from "./restart-strategy.ts";
import { retainedCheckpointsKind, retentionKind } from "./retained-checkpoints.ts";

/** The kinds of the area `checkpoints`. */
export const CHECKPOINT_KINDS: readonly ScenarioKind[] = [
  barrierHandlerKind,
  checkpointPlanKind,
  checkpointRequestsKind,
  coordinatorKind,
  failureCounterKind,
  restartStrategyKind,
  retainedCheckpointsKind,
  retentionKind,
];
