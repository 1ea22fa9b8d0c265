import type { PressureCause } from "../model/pressure.ts";
import type { SubtaskGroup, Verdict } from "../model/verdict.ts";
import type { Topology } from "../model/topology.ts";
import type { Catalogue } from "./english.ts";
import { duration, percent, subtaskName } from "./format.ts";

/** A verdict in words: who, and then what else is known. */
export interface VerdictSentences {
  readonly headline: string;
  readonly explanation: readonly string[];
}

export function verdictSentences(
  text: Catalogue,
  verdict: Verdict,
  topology: Topology,
): VerdictSentences {
  switch (verdict.kind) {
    case "unknown":
      return { headline: text.verdictUnknown, explanation: [] };
    case "declined":
      return {
        headline: text.verdictDeclined(groupName(text, verdict.group), duration(verdict.afterMs)),
        explanation: verdict.cause === undefined ? [] : [text.reason(verdict.cause)],
      };
    case "held-up":
      return heldUpSentences(text, verdict, topology);
    case "silent":
      return silentSentences(text, verdict, topology);
  }
}

function heldUpSentences(
  text: Catalogue,
  verdict: Extract<Verdict, { kind: "held-up" }>,
  topology: Topology,
): VerdictSentences {
  const who = groupName(text, verdict.group);
  const time = duration(verdict.durationMs);
  const total = duration(verdict.totalMs);
  if (!verdict.isSlow) {
    return {
      headline: text.verdictQuick(total, who, text.longest[verdict.phase], time),
      explanation: [],
    };
  }
  return {
    headline: text.verdictHeldUp(who, text.heldUp[verdict.phase], time, total),
    explanation: [
      ...(verdict.siblingMs === undefined ? [] : [text.siblings(duration(verdict.siblingMs))]),
      ...pressureSentences(text, verdict.pressure, topology, false),
    ],
  };
}

function silentSentences(
  text: Catalogue,
  verdict: Extract<Verdict, { kind: "silent" }>,
  topology: Topology,
): VerdictSentences {
  const who = groupName(text, verdict.group);
  const many = verdict.group.subtaskIndexes.length > 1;
  const headline = verdict.isOver ? text.verdictSilent : text.verdictWaiting;
  const { answeredCount, othersMs, behindCount } = verdict;
  return {
    headline: headline(who, duration(verdict.waitedMs)),
    explanation: [
      verdict.isSnapshotting ? text.barrierPassed(many) : text.barrierStuck(many, verdict.isOver),
      ...(othersMs === undefined ? [] : [text.othersAnswered(answeredCount, duration(othersMs))]),
      ...(behindCount === 0 ? [] : [text.behind(behindCount)]),
      ...pressureSentences(text, verdict.pressure, topology, many),
    ],
  };
}

function pressureSentences(
  text: Catalogue,
  pressure: PressureCause | undefined,
  topology: Topology,
  many: boolean,
): readonly string[] {
  switch (pressure?.kind) {
    case undefined:
      return [];
    case "skewed":
      return [
        (pressure.isKeyed ? text.nowSkewed : text.nowUneven)(
          percent(pressure.busyRatio),
          percent(pressure.siblingBusyRatio),
        ),
      ];
    case "busy":
      return [text.nowBusy(percent(pressure.busyRatio), many)];
    case "blocked": {
      const vertex = topology.find(({ vertexId }) => vertexId === pressure.byVertexId);
      const group: SubtaskGroup = {
        vertexId: pressure.byVertexId,
        name: vertex?.name ?? pressure.byVertexId,
        parallelism: vertex?.parallelism ?? pressure.bySubtaskIndexes.length,
        subtaskIndexes: pressure.bySubtaskIndexes,
      };
      return [text.nowBlocked(groupName(text, group), percent(pressure.busyRatio), many)];
    }
  }
}

/** At most so many subtasks are named one by one. */
const NAMED = 4;

/** Subtasks of one vertex, counted from 1 as Flink does. */
export function groupName(text: Catalogue, group: SubtaskGroup): string {
  const { name, parallelism, subtaskIndexes } = group;
  const [first = 0] = subtaskIndexes;
  if (subtaskIndexes.length === 1) return subtaskName(name, first, parallelism);
  if (subtaskIndexes.length === parallelism) return text.allSubtasks(parallelism, name);
  const named = subtaskIndexes.slice(0, NAMED).map((index) => index + 1);
  return text.someSubtasks(
    listed(text, named, subtaskIndexes.length > NAMED),
    subtaskIndexes.length - named.length,
    parallelism,
    name,
  );
}

/** "1, 2 and 3", or "1, 2, 3" if more follow. */
function listed(text: Catalogue, numbers: readonly number[], goesOn: boolean): string {
  const last = goesOn ? undefined : numbers.at(-1);
  const separator = text.listSeparator;
  return last === undefined
    ? numbers.join(separator)
    : `${numbers.slice(0, -1).join(separator)}${text.lastSeparator}${last}`;
}
