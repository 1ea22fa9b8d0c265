import type { StagePrograms } from "../../src/flink-worker/index.ts";
import type { TypeSerializer } from "../../src/serde/index.ts";
import { OPERATOR_CASES } from "../../src/testing/operator-cases.ts";
import { STAGE_OPERATOR_ID, stageOutputs } from "../../src/testing/stage/stage-harness.ts";

/** Each case of the operator suite as a stage. */
export const stages: StagePrograms = Object.fromEntries(
  OPERATOR_CASES.map((one) => [
    one.name,
    {
      inputs: one.inputTypes,
      keyType: one.setup.keyType as TypeSerializer<unknown> | undefined,
      outputs: stageOutputs(one),
      operators: [{ id: STAGE_OPERATOR_ID, name: one.name, factory: one.setup.factory as never }],
    },
  ]),
);
