import type { Context, Hono } from "hono";

import { workersOf } from "../answers/worker-answers.ts";
import { type Aggregation, AGGREGATIONS, aggregateMetrics } from "../metrics/aggregate-metrics.ts";
import { clusterMetrics, metricGroups } from "../metrics/metric-groups.ts";
import { metricText, queryName, singleValues, type ValueMetric } from "../metrics/metric.ts";
import { workerMetrics } from "../metrics/worker-metrics.ts";
import { PROMETHEUS_CONTENT_TYPE, prometheusText } from "../metrics/prometheus-text.ts";
import {
  idParameter,
  integerParameter,
  json,
  listQuery,
  parameter,
  unresolved,
} from "../http/rest-call.ts";
import { RestError } from "../http/rest-error.ts";
import type { ServedJob, ServedTask } from "../served-job.ts";
import type { ServerContext } from "../server-context.ts";

const VERTEX = "/jobs/:jobid/vertices/:vertexid";

/** Metrics of everything, one by one and aggregated. What is not known has no metrics, as in Flink. */
export function metricRoutes(rest: Hono, context: ServerContext): void {
  const { registry } = context;
  const metricsOf = (id: string): readonly ValueMetric[] => {
    const worker = workersOf(registry.jobs).find((candidate) => candidate.id === id);
    return worker === undefined ? [] : workerMetrics(worker, context);
  };
  const jobOfPath = (c: Context): ServedJob | undefined => registry.find(idParameter(c, "jobid"));
  const tasksOfPath = (c: Context): readonly ServedTask[] =>
    jobOfPath(c)?.tasksOf(idParameter(c, "vertexid")) ?? [];

  rest.get("/jobmanager/metrics", (c) => json(c, chosen(c, clusterMetrics(context))));
  rest.get("/taskmanagers/metrics", (c) =>
    json(
      c,
      aggregated(
        c,
        selected(
          c,
          "taskmanagers",
          workersOf(registry.jobs).map(({ id }) => id),
        ).map(metricsOf),
      ),
    ),
  );
  rest.get("/taskmanagers/:id/metrics", (c) => json(c, chosen(c, metricsOf(parameter(c, "id")))));
  rest.get("/jobs/metrics", (c) => {
    const ids = selected(
      c,
      "jobs",
      registry.jobs.map(({ jobId }) => jobId),
    );
    return json(
      c,
      aggregated(
        c,
        ids.map((id) => registry.find(id)?.jobMetrics() ?? []),
      ),
    );
  });
  rest.get("/jobs/:jobid/metrics", (c) => json(c, chosen(c, jobOfPath(c)?.jobMetrics() ?? [])));
  rest.get(`${VERTEX}/metrics`, (c) => {
    const job = jobOfPath(c);
    const metrics = tasksOfPath(c).flatMap((task) =>
      named(job, task).map(({ name, value }) => ({
        name: `${task.timeline.task.subtaskIndex}.${name}`,
        value,
      })),
    );
    return json(c, chosen(c, metrics));
  });
  rest.get(`${VERTEX}/jm-operator-metrics`, (c) => json(c, chosen(c, [])));
  rest.get(`${VERTEX}/subtasks/metrics`, (c) => {
    const job = jobOfPath(c);
    const tasks = tasksOfPath(c);
    const indexes = subtaskIndexes(c, tasks.length);
    const picked = tasks.filter(({ timeline }) => indexes.has(timeline.task.subtaskIndex));
    return json(
      c,
      aggregated(
        c,
        picked.map((task) => named(job, task)),
      ),
    );
  });
  rest.get(`${VERTEX}/subtasks/:subtaskindex/metrics`, (c) => {
    const index = integerParameter(c, "subtaskindex");
    const task = tasksOfPath(c).find(({ timeline }) => timeline.task.subtaskIndex === index);
    return json(c, chosen(c, task === undefined ? [] : named(jobOfPath(c), task)));
  });
}

/** `/metrics`, for Prometheus. */
export function prometheusRoute(app: Hono, context: ServerContext): void {
  app.get("/metrics", (c) =>
    c.body(prometheusText(metricGroups(context)), 200, { "Content-Type": PROMETHEUS_CONTENT_TYPE }),
  );
}

/** A task's own metrics, and those of its operators with the operator's name in front. */
function named(job: ServedJob | undefined, task: ServedTask): readonly ValueMetric[] {
  if (job === undefined) return [];
  const { own, operators } = job.taskMetrics(task);
  return [
    ...own,
    ...operators.flatMap(({ name: operator, metrics }) =>
      singleValues(metrics).map(({ name, value }) => ({
        name: `${queryName(operator)}.${name}`,
        value,
      })),
    ),
  ];
}

/** The names of all metrics, or the values of those that the query names. */
function chosen(c: Context, metrics: readonly ValueMetric[]): readonly object[] {
  const names = listQuery(c, "get");
  if (names === undefined) return metrics.map(({ name }) => ({ id: name }));
  const byName = new Map(metrics.map((metric) => [metric.name, metric]));
  return names.flatMap((name) => {
    const metric = byName.get(name);
    return metric === undefined ? [] : [{ id: name, value: metricText(metric.value) }];
  });
}

function aggregated(c: Context, each: readonly (readonly ValueMetric[])[]): readonly object[] {
  const aggregations = aggregationsOf(c);
  const names = listQuery(c, "get");
  if (names === undefined) {
    return [...new Set(each.flat().map(({ name }) => name))].map((id) => ({ id }));
  }
  const values = each.map((metrics) => new Map(metrics.map(({ name, value }) => [name, value])));
  return aggregateMetrics(names, values, aggregations);
}

function aggregationsOf(c: Context): readonly Aggregation[] {
  const words = listQuery(c, "agg");
  if (words === undefined) return AGGREGATIONS;
  return words.map((word) => {
    const found = AGGREGATIONS.find((aggregation) => aggregation === word.toLowerCase());
    if (found === undefined) throw unresolved("query", "agg", words.join(","));
    return found;
  });
}

function selected(c: Context, name: string, all: readonly string[]): readonly string[] {
  const wanted = listQuery(c, name);
  return wanted === undefined ? all : all.filter((id) => wanted.includes(id));
}

/** `subtasks=0,2-4`. @throws RestError 400. */
function subtaskIndexes(c: Context, count: number): ReadonlySet<number> {
  const ranges = listQuery(c, "subtasks");
  if (ranges === undefined) return new Set(Array.from({ length: count }, (_, index) => index));
  const indexes = new Set<number>();
  for (const range of ranges) {
    const [, first, last = first] = /^(\d{1,6})(?:-(\d{1,6}))?$/.exec(range) ?? [];
    if (first === undefined) throw new RestError(400, `Invalid subtask range: ${range}.`);
    for (let index = Number(first); index <= Math.min(Number(last), count); index++) {
      indexes.add(index);
    }
  }
  return indexes;
}
