import type { OperatorFacts, Snapshot, SnapshotFileCheck } from "../../checkpoint/index.ts";
import { snapshotFacts } from "../../checkpoint/index.ts";
import { type TableColumn, textTable } from "../text-table.ts";

interface ReadSnapshot {
  readonly snapshot: Snapshot;
  readonly check: SnapshotFileCheck;
}

/** Most problems of one checkpoint that are shown, if it is one of several. */
const MAX_PROBLEMS_SHOWN = 3;

const COLUMNS: readonly TableColumn[] = [
  { title: "operator" },
  { title: "uid" },
  { title: "parallelism", align: "right" },
  { title: "max", align: "right" },
  { title: "state", align: "right" },
  { title: "holds" },
];

/** A checkpoint in one line. */
export function snapshotLine({ snapshot }: ReadSnapshot): string {
  const facts = snapshotFacts(snapshot.metadata);
  return (
    `${snapshot.directory}: ${whatItIs(snapshot)}, format version ${facts.version}, ` +
    `${counted(facts.operators.length, "operator")}, ${sizeText(facts.totalStateSize)}`
  );
}

/** A checkpoint explained. */
export function snapshotText({ snapshot, check }: ReadSnapshot): readonly string[] {
  const { metadata } = snapshot;
  const facts = snapshotFacts(metadata);
  const rows = facts.operators.map((operator) => [
    operator.name ?? operator.id,
    operator.uid ?? "",
    String(operator.parallelism),
    String(operator.maxParallelism),
    sizeText(operator.stateSize),
    contentsOf(operator).join(", "),
  ]);
  return [
    `${snapshot.directory}`,
    `  ${whatItIs(snapshot)}, format version ${facts.version} (${writersOf(facts.version)})`,
    `  ${counted(facts.operators.length, "operator")}, ${sizeText(facts.totalStateSize)} of state` +
      (facts.masterStates === 0 ? "" : `, ${counted(facts.masterStates, "state")} of master hooks`),
    `  ${filesText(check)}`,
    ...lifeText(snapshot),
    "",
    ...textTable(COLUMNS, rows).map((line) => `  ${line}`),
    ...(facts.operators.some(({ name }) => name === null)
      ? [
          "",
          "  Operators without a name here are shown by their id: versions below 5 hold no names.",
        ]
      : []),
  ];
}

/** What is wrong with a checkpoint's files, a line each. */
export function problemLines(
  { snapshot, check }: ReadSnapshot,
  isAlone: boolean,
): readonly string[] {
  const shown = isAlone ? check.problems : check.problems.slice(0, MAX_PROBLEMS_SHOWN);
  const lines = shown.map(({ kind, path, expectedBytes, foundBytes, cause, ...of }) => {
    const subtask = of.subtaskIndex === undefined ? "" : `, subtask ${of.subtaskIndex + 1}`;
    const expected = expectedBytes === undefined ? "" : ` (${expectedBytes} bytes)`;
    const what = {
      missing: `missing${expected}`,
      "wrong-size": `${foundBytes ?? 0} bytes instead of ${expectedBytes ?? 0}`,
      "not-a-file": "not a file",
      unreadable: `unreadable: ${cause ?? ""}`,
    }[kind];
    return `${path}: ${what}; it holds ${of.state} state of ${of.operatorName ?? of.operatorId}${subtask}.`;
  });
  const more = check.problems.length - shown.length;
  return more === 0 ? lines : [...lines, `${snapshot.directory}: ${more} more files like these.`];
}

function whatItIs({ metadata }: Snapshot): string {
  const { properties, checkpointId } = metadata;
  if (properties === undefined) return `checkpoint or savepoint ${checkpointId}`;
  const { type } = properties;
  if (type.kind === "checkpoint") return `${type.name.toLowerCase()} ${checkpointId}`;
  return `${type.name.toLowerCase()} ${checkpointId} in ${type.format.toLowerCase()} format`;
}

const WRITERS: ReadonlyMap<number, string> = new Map([
  [2, "Flink 1.3 to 1.10"],
  [3, "Flink 1.11 to 1.15"],
  [4, "Flink 1.16 to 1.20"],
  [5, "Flink 2.0"],
  [6, "Cutwater, or Flink 2.1 to 2.3"],
  [7, "a Flink later than 2.3"],
]);

function writersOf(version: number): string {
  return WRITERS.get(version) ?? "an unknown writer";
}

/** What becomes of it when its job ends; only what the file says. */
function lifeText({ metadata }: Snapshot): readonly string[] {
  const { properties } = metadata;
  if (properties === undefined || properties.type.kind === "savepoint") return [];
  const deleted = [
    properties.discardFinished && "finishes",
    properties.discardCancelled && "is cancelled",
    properties.discardFailed && "fails",
  ].filter((word) => word !== false);
  return deleted.length === 0 ? [] : [`  deleted when its job ${deleted.join(" or ")}`];
}

function filesText(check: SnapshotFileCheck): string {
  const { checkedCount, problems, uncheckedPaths } = check;
  const elsewhere =
    uncheckedPaths.length === 0
      ? ""
      : `; ${counted(uncheckedPaths.length, "file")} elsewhere not looked for, as ${uncheckedPaths[0]}`;
  if (checkedCount === 0) return `all state lies in _metadata itself${elsewhere}`;
  const found = problems.length === 0 ? "all there" : `${problems.length} not as they should be`;
  return `${counted(checkedCount, "file")} beside _metadata, ${found}${elsewhere}`;
}

function contentsOf(operator: OperatorFacts): readonly string[] {
  const subtasks = (count: number) => ` (${counted(count, "subtask")})`;
  const contents: string[] = [];
  if (operator.fullyFinished) contents.push("finished");
  if (operator.coordinatorState) contents.push("coordinator state");
  if (operator.managedKeyed + operator.rawKeyed > 0) {
    contents.push(`keyed state${subtasks(operator.managedKeyed + operator.rawKeyed)}`);
  }
  if (operator.managedOperator + operator.rawOperator > 0) {
    const names = operator.operatorStateNames.join(", ");
    const count = operator.managedOperator + operator.rawOperator;
    contents.push(`operator state${names === "" ? "" : ` ${names}`}${subtasks(count)}`);
  }
  const inFlight = operator.inputChannel + operator.resultSubpartition;
  if (inFlight > 0) contents.push(`in-flight data (${counted(inFlight, "channel")})`);
  return contents.length === 0 ? ["no state"] : contents;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

const SIZE_UNITS: readonly string[] = ["b", "kb", "mb", "gb", "tb"];

/** Short, for a table: `12.1 kb`. */
export function sizeText(sizeBytes: number): string {
  let size = sizeBytes;
  let unit = 0;
  while (size >= 1024 && unit < SIZE_UNITS.length - 1) {
    size /= 1024;
    unit += 1;
  }
  return `${unit === 0 ? size : size.toFixed(1)} ${SIZE_UNITS[unit] ?? ""}`;
}
