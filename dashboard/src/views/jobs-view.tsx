import type { JSX } from "preact";

import { field, listIn, numberIn, textIn } from "../model/json.ts";
import { usePage, useText } from "../page-context.ts";
import { Awaited, Empty } from "../parts/empty.tsx";
import { StatusPill } from "../parts/status-pill.tsx";
import { usePolled } from "../rest/polled.ts";
import { formatRoute, jobRoute } from "../route.ts";
import { dayAndTime, duration } from "../text/format.ts";
import { RecentCheckpoints } from "./recent-checkpoints.tsx";

export interface JobLine {
  readonly jobId: string;
  readonly name: string;
  readonly state: string;
  readonly startedAtMs: number | undefined;
  readonly durationMs: number | undefined;
  readonly runningTaskCount: number;
  readonly taskCount: number;
}

/** Reads `/jobs/overview`; jobs that run come first, then the newest. */
export function jobLinesOf(answer: unknown): readonly JobLine[] {
  return listIn(answer, "jobs")
    .map((job) => ({
      jobId: textIn(job, "jid") ?? "",
      name: textIn(job, "name") ?? "",
      state: textIn(job, "state") ?? "",
      startedAtMs: numberIn(job, "start-time"),
      durationMs: numberIn(job, "duration"),
      runningTaskCount: numberIn(field(job, "tasks"), "running") ?? 0,
      taskCount: numberIn(field(job, "tasks"), "total") ?? 0,
    }))
    .toSorted(
      (left, right) =>
        Number(right.state === "RUNNING") - Number(left.state === "RUNNING") ||
        (right.startedAtMs ?? 0) - (left.startedAtMs ?? 0),
    );
}

/** All jobs of the server. */
export function JobsView(): JSX.Element {
  const { client } = usePage();
  const text = useText();
  const overview = usePolled("overview", async (abort) => {
    const [server, jobs] = await Promise.all([
      client.get("overview", abort),
      client.get("jobs/overview", abort),
    ]);
    return { server, jobs: jobLinesOf(jobs) };
  });
  if (overview.data === undefined) return <Awaited error={overview.error} />;
  const { server, jobs } = overview.data;
  return (
    <>
      <div class="title-row">
        <h1>{text.jobs}</h1>
        <p class="facts">
          <span>{text.workers(numberIn(server, "taskmanagers") ?? 0)}</span>
          <span>
            {text.slots(
              numberIn(server, "slots-available") ?? 0,
              numberIn(server, "slots-total") ?? 0,
            )}
          </span>
          <span>{text.version(textIn(server, "flink-version") ?? "–")}</span>
        </p>
      </div>
      {jobs.length === 0 ? (
        <Empty title={text.noJobs} hint={text.noJobsHint} />
      ) : (
        <JobsTable jobs={jobs} />
      )}
    </>
  );
}

function JobsTable({ jobs }: { readonly jobs: readonly JobLine[] }): JSX.Element {
  const text = useText();
  return (
    <div class="card scroll" tabIndex={0} role="group" aria-label={text.jobs}>
      <table class="list">
        <thead>
          <tr>
            <th scope="col">{text.name}</th>
            <th scope="col">{text.state}</th>
            <th scope="col">{text.tasks}</th>
            <th scope="col">{text.recentCheckpoints}</th>
            <th scope="col">{text.started}</th>
            <th scope="col" class="number">
              {text.duration}
            </th>
          </tr>
        </thead>
        <tbody>
          {jobs.map((job) => (
            <tr key={job.jobId}>
              <th scope="row">
                <a href={formatRoute(jobRoute(job.jobId, "graph"))}>{job.name}</a>
                <span class="mono faint id">{job.jobId}</span>
              </th>
              <td>
                <StatusPill state={job.state} />
              </td>
              <td>{text.tasksRunning(job.runningTaskCount, job.taskCount)}</td>
              <td>{job.state === "RUNNING" ? <RecentCheckpoints jobId={job.jobId} /> : "–"}</td>
              <td>{dayAndTime(job.startedAtMs)}</td>
              <td class="number">{duration(job.durationMs)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
