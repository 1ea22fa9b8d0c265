import type { ScenarioKind } from "../scenario-kind.ts";
import { jobGraphKind } from "./job-graph.ts";
import { operatorIdKind } from "./operator-id.ts";
import { pointwiseKind } from "./pointwise.ts";
import { flatYamlKind } from "./flat-yaml.ts";
import { valuesKind } from "./values.ts";
import { watermarkMultiplexerKind } from "./watermark-multiplexer.ts";
import { watermarkValveKind } from "./watermark-valve.ts";

/** All kinds that this runner knows. A new kind is a file beside this one and a line here. */
export const SCENARIO_KINDS: readonly ScenarioKind[] = [
  flatYamlKind,
  valuesKind,
  jobGraphKind,
  operatorIdKind,
  pointwiseKind,
  watermarkMultiplexerKind,
  watermarkValveKind,
];

/** Kinds about what the engine does not offer yet, with the reason. */
export const NOT_OFFERED: ReadonlyMap<string, string> = new Map([
  ["watermark-alignment", "sources are not held back to align their watermarks yet"],
  ["interval-join", "interval joins are not offered yet"],
  ["window-join", "window joins are not offered yet"],
  ["co-group", "co-group is not offered yet"],
  ["async-queue", "asynchronous I/O is not offered yet"],
  ["async-operator", "asynchronous I/O is not offered yet"],
  ["cep-automaton", "pattern detection is not offered yet"],
  ["cep-operator", "pattern detection is not offered yet"],
]);
