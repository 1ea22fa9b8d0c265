import type { RestSubtask, RestSubtaskAnswer } from "../evidence/evidence.ts";
import type { Facts } from "./facts.ts";

const SYNC =
  /^(.+?) \((\d+)\/\d+\)(?:#\d+)? - finished synchronous part of checkpoint (\d+)\. ?Alignment duration: (\d+) ms, snapshot duration (\d+) ms/u;
const ASYNC =
  /^(.+?) \((\d+)\/\d+\)(?:#\d+)? - finished asynchronous part of checkpoint (\d+)\. Asynchronous duration: (\d+) ms/u;
const TABLE =
  /(Start Delay|Alignment Duration|(?:Checkpoint Duration \()?Sync(?:hronous)?(?: Duration|\))|(?:Checkpoint Duration \()?Async(?:hronous)?(?: Duration|\)))\s*[:=|]?\s*((?:\d+(?:\.\d+)?\s?(?:h|m|ms|s|min)\b\s?)+)/giu;
const END_TO_END =
  /End[- ]to[- ]End Duration\s*[:=|]?\s*((?:\d+(?:\.\d+)?\s?(?:h|m|ms|s|min)\b\s?)+)/iu;

/** Times of subtasks that logs at DEBUG level, or numbers copied from the web UI, tell in place of REST answers. */
export function loggedTimes(facts: Facts): readonly RestSubtaskAnswer[] {
  const found: RestSubtaskAnswer[] = [];
  for (const statement of facts.statements) {
    if (statement.thrown !== undefined) continue;
    const sync = SYNC.exec(statement.text);
    const parts = sync ?? ASYNC.exec(statement.text);
    if (parts !== null) {
      const times =
        sync === null
          ? { asyncMs: Number(parts[4]) }
          : { alignmentMs: Number(parts[4]), syncMs: Number(parts[5]) };
      found.push(
        answerOf(Number(parts[3]), parts[1], Number(parts[2]) - 1, times, statement.place),
      );
      continue;
    }
    if (!/Start Delay|Alignment Duration|Duration/iu.test(statement.text)) continue;
    const times = tableTimes(statement.text);
    if (times !== undefined) found.push(answerOf(0, undefined, 0, times, statement.place));
  }
  return found;
}

type Times = Partial<
  Pick<RestSubtask, "startDelayMs" | "alignmentMs" | "syncMs" | "asyncMs" | "durationMs">
>;

function tableTimes(text: string): Times | undefined {
  const times: { -readonly [K in keyof Times]: Times[K] } = {};
  for (const match of text.matchAll(TABLE)) {
    const name = (match[1] ?? "").toLowerCase();
    const ms = spokenMs(match[2] ?? "");
    if (name.includes("start")) times.startDelayMs = ms;
    else if (name.includes("align")) times.alignmentMs = ms;
    else if (name.includes("async")) times.asyncMs = ms;
    else times.syncMs = ms;
  }
  const whole = END_TO_END.exec(text)?.[1];
  if (whole !== undefined) times.durationMs = spokenMs(whole);
  return Object.keys(times).length >= 2 ? times : undefined;
}

const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
};

/** `9m 58s` as the web UI writes it. */
function spokenMs(text: string): number {
  let ms = 0;
  for (const match of text.matchAll(/(\d+(?:\.\d+)?)\s?(ms|min|h|m|s)\b/giu)) {
    ms += Number(match[1]) * (UNITS[(match[2] ?? "").toLowerCase()] ?? 0);
  }
  return ms;
}

function answerOf(
  checkpointId: number,
  vertexName: string | undefined,
  index: number,
  times: Times,
  place: RestSubtaskAnswer["place"],
): RestSubtaskAnswer {
  const subtask: RestSubtask = {
    index,
    completed: true,
    durationMs: times.durationMs,
    stateBytes: undefined,
    syncMs: times.syncMs,
    asyncMs: times.asyncMs,
    alignmentMs: times.alignmentMs,
    persistedBytes: undefined,
    startDelayMs: times.startDelayMs,
    unaligned: undefined,
  };
  return { checkpointId, status: "", vertexId: undefined, vertexName, subtasks: [subtask], place };
}
