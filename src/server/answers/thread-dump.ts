import { present } from "../../base/index.ts";
import type { ServedJob, ServedTask } from "../served-job.ts";
import { type ServedWorker, tasksOn, workersOf } from "./worker-answers.ts";

/** What all threads are doing: those of {@link workerDump}, one after the other. */
export function threadDump(jobs: readonly ServedJob[], nowMs: number): object {
  return { threadInfos: workersOf(jobs).flatMap((worker) => threadInfos(worker, nowMs)) };
}

/**
 * What one thread is doing, in the form of Flink's dumps: one entry for each task, since tasks share the thread and take turns, the one in whose
 * turn it is first.
 */
export function workerDump(worker: ServedWorker, nowMs: number): object {
  return { threadInfos: threadInfos(worker, nowMs) };
}

interface ThreadInfo {
  readonly threadName: string;
  readonly stringifiedThreadInfo: string;
}

function threadInfos(worker: ServedWorker, nowMs: number): readonly ThreadInfo[] {
  const turn = worker.thread?.turn;
  const infos = worker.jobs.flatMap((job) =>
    tasksOn(worker, job).map((task) => taskInfo(worker, job, task, nowMs)),
  );
  const isInTurn = ({ threadName }: ThreadInfo): boolean => threadName === turn?.task;
  return [
    ...infos.filter(isInTurn).map(({ threadName, stringifiedThreadInfo }) => ({
      threadName,
      stringifiedThreadInfo: stringifiedThreadInfo.replace(
        "\n",
        `\n\tat its turn for ${Math.round(turn?.forMs ?? 0)} ms\n`,
      ),
    })),
    ...infos.filter((info) => !isInTurn(info)),
  ];
}

function taskInfo(
  worker: ServedWorker,
  job: ServedJob,
  { timeline, metrics }: ServedTask,
  nowMs: number,
): ThreadInfo {
  const { vertexId, subtaskIndex, attempt } = timeline.task;
  const vertex = present(job.vertex(vertexId), "the task is in the graph");
  const name = `${vertex.name} (${subtaskIndex + 1}/${vertex.parallelism})#${attempt}`;
  const since = timeline.enteredAtMs.get(timeline.status) ?? nowMs;
  const share = (of: "busyMs" | "idleMs" | "backPressuredMs"): string =>
    metrics === undefined ? "?" : `${Math.round(job.rates.ofTask(metrics, of) / 10)} %`;
  const lines = [
    `"${name}" Id=${subtaskIndex} RUNNABLE on ${worker.id}`,
    `\tat task ${timeline.status} for ${nowMs - since} ms`,
    `\tat busy ${share("busyMs")}, idle ${share("idleMs")}, back-pressured ${share("backPressuredMs")}`,
    ...vertex.operators.map((operator) => `\tat operator ${operator.name} (${operator.id})`),
  ];
  return { threadName: name, stringifiedThreadInfo: `${lines.join("\n")}\n\n` };
}
