import type { Platform } from "../../base/index.ts";
import { readSnapshot, snapshotFacts } from "../../checkpoint/index.ts";

/**
 * What lies in a snapshot, by operator, as far as its `_metadata` says.
 *
 * @throws what reading it throws.
 */
export async function inspectionAnswer(path: string, { files }: Platform): Promise<object> {
  const { metadata } = await readSnapshot(path, files);
  const facts = snapshotFacts(metadata);
  return {
    checkpointId: facts.checkpointId,
    version: facts.version,
    totalStateSizeBytes: facts.totalStateSize,
    operators: facts.operators.map((operator) => ({
      operatorId: operator.id,
      name: operator.name ?? operator.id,
      uid: operator.uid ?? undefined,
      states: [
        ...operator.operatorStateNames.map((name) => ({ name, kind: "operator", type: "" })),
        ...(operator.managedKeyed === 0
          ? []
          : [
              {
                name: "keyed state",
                kind: "keyed",
                type: operator.keyedHandleKinds.join(", "),
                sizeBytes: operator.stateSize,
              },
            ]),
        ...(operator.coordinatorState ? [{ name: "splits", kind: "coordinator", type: "" }] : []),
      ],
    })),
  };
}
