import {
  type CheckpointProperties,
  CompletedCheckpointStore,
  isSynchronous,
  propertiesOfCheckpoint,
  propertiesOfSavepoint,
} from "../../../../checkpoint/index.ts";
import { compareListed } from "../../compare-listed.ts";
import type { Fields } from "../../fields.ts";
import { ScenarioFault } from "../../scenario.ts";
import type { ScenarioInstance, ScenarioKind } from "../../scenario-kind.ts";

/** Which completed checkpoints stay, and which give way to the last one. */
export const retainedCheckpointsKind: ScenarioKind = {
  kind: "retained-checkpoints",
  start(config: Fields): ScenarioInstance {
    const store = new CompletedCheckpointStore<{
      readonly checkpointId: number;
      readonly properties: CheckpointProperties;
    }>(config.number("retained"));
    let subsumed: readonly number[] = [];
    return {
      act(step) {
        const checkpointId = step.number("add");
        const properties = propertiesOf(step.text("type", "checkpoint"));
        subsumed = store.add({ checkpointId, properties }).map((gone) => gone.checkpointId);
      },
      check(_name, expected) {
        const retained = store.all.map(({ checkpointId }) => checkpointId);
        return compareListed(expected, { subsumed, retained });
      },
    };
  },
};

/** The properties of a checkpoint or savepoint. */
export const retentionKind: ScenarioKind = {
  kind: "retention",
  start(): ScenarioInstance {
    let properties: CheckpointProperties | undefined;
    return {
      act(step) {
        properties = propertiesOf(step.text("of"));
      },
      check(_name, expected) {
        if (properties === undefined) throw new ScenarioFault("There is nothing to expect of");
        return compareListed(expected, {
          forced: properties.isForced,
          savepoint: properties.type.kind === "savepoint",
          synchronous: isSynchronous(properties),
          discardOnSubsumed: properties.discardSubsumed,
          discardOnJobFinished: properties.discardFinished,
          discardOnJobCancelled: properties.discardCancelled,
          discardOnJobFailed: properties.discardFailed,
          discardOnJobSuspended: properties.discardSuspended,
        });
      },
    };
  },
};

/** The scenarios use the names of the retention policies in Flink's code. */
function propertiesOf(name: string): CheckpointProperties {
  switch (name) {
    case "savepoint":
      return propertiesOfSavepoint("CANONICAL", "NONE");
    case "sync-savepoint":
      return propertiesOfSavepoint("CANONICAL", "SUSPEND");
    case "checkpoint":
    case "NEVER_RETAIN_AFTER_TERMINATION":
      return propertiesOfCheckpoint("CHECKPOINT", "NO_EXTERNALIZED_CHECKPOINTS");
    case "RETAIN_ON_FAILURE":
      return propertiesOfCheckpoint("CHECKPOINT", "DELETE_ON_CANCELLATION");
    case "RETAIN_ON_CANCELLATION":
      return propertiesOfCheckpoint("CHECKPOINT", "RETAIN_ON_CANCELLATION");
    default:
      throw new ScenarioFault(`The snapshot type ${name} is not known to this runner`);
  }
}
