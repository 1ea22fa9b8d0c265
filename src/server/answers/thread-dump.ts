import type { ServedJob } from "../served-job.ts";
import { WORKER_ID } from "./worker-answers.ts";

/**
 * What the thread of all tasks is doing, in the form of Flink's dumps: one entry for each task, since tasks share the thread and take turns.
 */
export function threadDump(jobs: readonly ServedJob[], nowMs: number): object {
  const running = jobs.filter(({ isOver }) => !isOver);
  const threadInfos = running.flatMap((job) =>
    job.graph.vertices.flatMap((vertex) =>
      job.tasksOf(vertex.id).map(({ timeline, metrics }) => {
        const { subtaskIndex, attempt } = timeline.task;
        const name = `${vertex.name} (${subtaskIndex + 1}/${vertex.parallelism})#${attempt}`;
        const since = timeline.enteredAtMs.get(timeline.status) ?? nowMs;
        const share = (of: "busyMs" | "idleMs" | "backPressuredMs"): string =>
          metrics === undefined ? "?" : `${Math.round(job.rates.ofTask(metrics, of) / 10)} %`;
        const lines = [
          `"${name}" Id=${subtaskIndex} RUNNABLE on ${WORKER_ID}`,
          `\tat task ${timeline.status} for ${nowMs - since} ms`,
          `\tat busy ${share("busyMs")}, idle ${share("idleMs")}, back-pressured ${share("backPressuredMs")}`,
          ...vertex.operators.map((operator) => `\tat operator ${operator.name} (${operator.id})`),
        ];
        return { threadName: name, stringifiedThreadInfo: `${lines.join("\n")}\n\n` };
      }),
    ),
  );
  return { threadInfos };
}
