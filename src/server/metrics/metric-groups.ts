import { slotCount, workersOf } from "../answers/worker-answers.ts";
import type { ServedJob, ServedTask } from "../served-job.ts";
import type { ServerContext } from "../server-context.ts";
import type { MetricGroup, ValueMetric } from "./metric.ts";
import { workerMetrics } from "./worker-metrics.ts";

/** Where everything runs. */
const HOST = "localhost";

/** The JobManager's own metrics. */
export function clusterMetrics({
  registry,
  processMetrics,
}: ServerContext): readonly ValueMetric[] {
  return [
    { name: "numRegisteredTaskManagers", value: workersOf(registry.jobs).length },
    { name: "numRunningJobs", value: registry.jobs.filter(({ isOver }) => !isOver).length },
    { name: "taskSlotsTotal", value: slotCount(registry.jobs) },
    { name: "taskSlotsAvailable", value: 0 },
    ...processMetrics.read(),
  ];
}

/** All metrics of all jobs that run, with Flink's labels. */
export function metricGroups(context: ServerContext): readonly MetricGroup[] {
  const running = context.registry.jobs.filter(({ isOver }) => !isOver);
  return [
    { scope: "jobmanager", labels: { host: HOST }, metrics: clusterMetrics(context) },
    ...workersOf(running).map((worker): MetricGroup => ({
      scope: "taskmanager",
      labels: { host: HOST, tm_id: worker.id },
      metrics: workerMetrics(worker, context),
    })),
    ...running.flatMap(groupsOfJob),
  ];
}

function groupsOfJob(job: ServedJob): readonly MetricGroup[] {
  const labels = { host: HOST, job_id: job.jobId, job_name: job.name };
  return [
    { scope: "jobmanager_job", labels, metrics: job.jobMetrics() },
    ...job.graph.vertices.flatMap((vertex) =>
      job.tasksOf(vertex.id).flatMap((task) => groupsOfTask(job, vertex.name, task, labels)),
    ),
  ];
}

function groupsOfTask(
  job: ServedJob,
  vertexName: string,
  task: ServedTask,
  jobLabels: MetricGroup["labels"],
): readonly MetricGroup[] {
  const { vertexId, subtaskIndex, attempt } = task.timeline.task;
  const labels = {
    ...jobLabels,
    tm_id: job.workerIdOf(task.timeline.task),
    task_id: vertexId,
    task_name: vertexName,
    task_attempt_id: `${job.jobId}_${vertexId}_${subtaskIndex}_${attempt}`,
    task_attempt_num: String(attempt),
    subtask_index: String(subtaskIndex),
  };
  const { own, operators } = job.taskMetrics(task);
  return [
    { scope: "taskmanager_job_task", labels, metrics: own },
    ...operators.map(({ id, name, metrics }): MetricGroup => ({
      scope: "taskmanager_job_task_operator",
      labels: { ...labels, operator_id: id, operator_name: name },
      metrics,
    })),
  ];
}
