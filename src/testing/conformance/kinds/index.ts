import type { ScenarioKind, WholeScenarioKind } from "../scenario-kind.ts";
import { CHECKPOINT_KINDS } from "./checkpoints/checkpoint-kinds.ts";
import { assignTimestampsKind } from "./watermarks/assign-timestamps.ts";
import { broadcastKind, keyedBroadcastKind } from "./broadcast.ts";
import { keyGroupsKind } from "./key-groups.ts";
import { keyedCoProcessKind, keyedProcessKind } from "./keyed-process.ts";
import { keyedStateKind } from "./keyed-state.ts";
import { operatorStateKind } from "./operator-state.ts";
import { timerServiceKind } from "./timer-service.ts";
import { twoInputWatermarksKind } from "./watermarks/two-input-watermarks.ts";
import { watermarkAlignmentKind } from "./watermarks/watermark-alignment.ts";
import { watermarkGeneratorKind } from "./watermarks/watermark-generator.ts";
import { mergeWindowsKind } from "./merge-windows.ts";
import { jobGraphKind } from "./job-graph.ts";
import { operatorIdKind } from "./operator-id.ts";
import { pointwiseKind } from "./pointwise.ts";
import { flatYamlKind } from "./flat-yaml.ts";
import { valuesKind } from "./values.ts";
import { watermarkMultiplexerKind } from "./watermarks/watermark-multiplexer.ts";
import { watermarkValveKind } from "./watermarks/watermark-valve.ts";
import { windowAssignerKind } from "./window-assigner.ts";
import { windowOperatorKind } from "./window-operator.ts";

/** All kinds that this runner knows. A new kind is a file beside this one and a line here. */
export const SCENARIO_KINDS: readonly (ScenarioKind | WholeScenarioKind)[] = [
  ...CHECKPOINT_KINDS,
  flatYamlKind,
  valuesKind,
  jobGraphKind,
  operatorIdKind,
  pointwiseKind,
  watermarkMultiplexerKind,
  watermarkValveKind,
  mergeWindowsKind,
  assignTimestampsKind,
  broadcastKind,
  keyedBroadcastKind,
  keyedCoProcessKind,
  keyedProcessKind,
  keyedStateKind,
  keyGroupsKind,
  operatorStateKind,
  timerServiceKind,
  twoInputWatermarksKind,
  watermarkAlignmentKind,
  watermarkGeneratorKind,
  windowAssignerKind,
  windowOperatorKind,
];

/** Kinds about what the engine does not offer yet, with the reason. */
export const NOT_OFFERED: ReadonlyMap<string, string> = new Map([
  ["interval-join", "interval joins are not offered yet"],
  ["window-join", "window joins are not offered yet"],
  ["co-group", "co-group is not offered yet"],
  ["async-queue", "asynchronous I/O is not offered yet"],
  ["async-operator", "asynchronous I/O is not offered yet"],
  ["cep-automaton", "pattern detection is not offered yet"],
  ["cep-operator", "pattern detection is not offered yet"],
]);
