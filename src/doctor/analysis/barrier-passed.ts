import type { RestFacts, RestSubtaskAnswer, RestVertex } from "../evidence/evidence.ts";

/** Subtasks of one vertex that had not acknowledged when the checkpoint ended. */
export interface MissingAcknowledgement {
  readonly vertexId: string;
  readonly vertexName: string | undefined;
  readonly missing: readonly number[];
  readonly subtasks: number;
  readonly checkpointId: number;
}

/** Subtasks of one vertex, from `first` up to, not including, `end`. */
interface SubtaskRange {
  readonly vertexId: string;
  readonly first: number;
  readonly end: number;
}

/**
 * Whether a subtask that did not acknowledge had passed the barrier on: then one behind it could acknowledge.
 *
 * @remarks
 * Without the job's edges every vertex that stands later is taken for one that reads from it, which is wrong of a second branch.
 */
export function barrierPassed(
  rest: Pick<RestFacts, "subtasks" | "vertices">,
  missing: readonly MissingAcknowledgement[],
): boolean {
  const silent = missing.filter((entry) => entry.missing.length > 0);
  const id = missing[0]?.checkpointId;
  const answers = rest.subtasks.filter((answer) => answer.checkpointId === id);
  const vertices = new Map(rest.vertices.map((vertex) => [vertex.id, vertex]));
  const areEdgesKnown =
    vertices.size > 0 && [...vertices.values()].every(({ inputs }) => inputs !== undefined);
  return areEdgesKnown
    ? answers.some((answer) => hasPassedThrough(answer, silent, vertices))
    : hasLaterAnswer(answers, silent, vertices);
}

/** Follows the barriers that the subtasks had which acknowledged. */
function hasPassedThrough(
  { vertexId, subtasks }: RestSubtaskAnswer,
  silent: readonly MissingAcknowledgement[],
  vertices: ReadonlyMap<string, RestVertex>,
): boolean {
  if (vertexId === undefined) return false;
  const seen = new Set<string>();
  const rest = subtasks
    .filter(({ completed }) => completed)
    .flatMap(({ index }) => producersOf({ vertexId, first: index, end: index + 1 }, vertices));
  for (let range = rest.pop(); range !== undefined; range = rest.pop()) {
    const { first, end } = range;
    const key = `${range.vertexId} ${first} ${end}`;
    if (seen.has(key)) continue;
    seen.add(key);
    const own = silent.filter((entry) => entry.vertexId === range?.vertexId);
    if (own.some((entry) => entry.missing.some((index) => index >= first && index < end)))
      return true;
    rest.push(...producersOf(range, vertices));
  }
  return false;
}

/** Source: Flink `VertexInputInfoComputationUtils`; FORWARD and RESCALE connect some subtasks, all other edges all. */
function producersOf(
  { vertexId, first, end }: SubtaskRange,
  vertices: ReadonlyMap<string, RestVertex>,
): readonly SubtaskRange[] {
  const vertex = vertices.get(vertexId);
  return (vertex?.inputs ?? []).flatMap((input) => {
    const producer = vertices.get(input.vertexId);
    if (vertex === undefined || producer === undefined) return [];
    const { parallelism } = producer;
    if (!/^(?:FORWARD|RESCALE)$/u.test(input.shipStrategy))
      return [{ vertexId: producer.id, first: 0, end: parallelism }];
    const share = (index: number): number => (index * parallelism) / vertex.parallelism;
    const isWider = parallelism >= vertex.parallelism;
    return [
      {
        vertexId: producer.id,
        first: Math.floor(share(first)),
        end: isWider ? Math.floor(share(end)) : Math.floor(share(end - 1)) + 1,
      },
    ];
  });
}

function hasLaterAnswer(
  answers: readonly RestSubtaskAnswer[],
  silent: readonly MissingAcknowledgement[],
  vertices: ReadonlyMap<string, RestVertex>,
): boolean {
  const positionOf = (vertexId: string | undefined): number | undefined =>
    vertexId === undefined ? undefined : vertices.get(vertexId)?.position;
  const first = Math.min(
    ...silent.map((entry) => positionOf(entry.vertexId)).filter((at) => at !== undefined),
  );
  return answers.some(
    (answer) =>
      (positionOf(answer.vertexId) ?? -1) > first &&
      answer.subtasks.some((subtask) => subtask.completed),
  );
}
