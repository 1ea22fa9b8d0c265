import type { JSX } from "preact";
import { useEffect } from "preact/hooks";

import type { CheckpointHistory } from "../model/from-flink.ts";
import type { Job } from "../model/job.ts";
import { usePage, useText } from "../page-context.ts";
import { useNow } from "../parts/connection-banner.tsx";
import { Awaited, Empty } from "../parts/empty.tsx";
import { StatusPill } from "../parts/status-pill.tsx";
import { loadHistory, loadJob } from "../rest/job-queries.ts";
import { type Polled, usePolled } from "../rest/polled.ts";
import { isMissing } from "../rest/rest-client.ts";
import { formatRoute, JOB_TABS, type JobRoute, jobRoute } from "../route.ts";
import { dayAndTime, duration } from "../text/format.ts";
import { CheckpointsView } from "./checkpoints-view.tsx";
import { ConfigurationView } from "./configuration-view.tsx";
import { DoctorView } from "./doctor-view.tsx";
import { ExceptionsView } from "./exceptions-view.tsx";
import { GraphView } from "./graph-view.tsx";
import { JobActions } from "./job-actions.tsx";
import { jobLinesOf } from "./jobs-view.tsx";
import { LogsView } from "./logs-view.tsx";

/** One job: its state, what can be done with it, and its views. */
export function JobView({ route }: { readonly route: JobRoute }): JSX.Element {
  const { client } = usePage();
  const { jobId } = route;
  const polledJob = usePolled(`job ${jobId}`, (abort) => loadJob(client, jobId, abort));
  const polledHistory = usePolled(`history ${jobId}`, (abort) => loadHistory(client, jobId, abort));
  const job = polledJob.data;
  useTitle(job?.name);
  if (isMissing(polledJob.error)) return <MissingJob name={job?.name} />;
  if (job === undefined) return <Awaited error={polledJob.error} />;
  return (
    <>
      <JobHeader job={job} history={polledHistory.data ?? undefined} />
      <Tabs route={route} />
      <Tab route={route} job={job} history={polledHistory} />
    </>
  );
}

interface TabProps {
  readonly route: JobRoute;
  readonly job: Job;
  readonly history: Polled<CheckpointHistory | null>;
}

function Tab({ route, job, history }: TabProps): JSX.Element {
  switch (route.tab) {
    case "graph":
      return <GraphView job={job} vertexId={route.vertexId} />;
    case "checkpoints":
      return <CheckpointsView route={route} job={job} history={history} />;
    case "doctor":
      return <DoctorView jobId={job.jobId} />;
    case "exceptions":
      return <ExceptionsView jobId={job.jobId} />;
    case "configuration":
      return <ConfigurationView jobId={job.jobId} />;
    case "logs":
      return <LogsView />;
  }
}

function JobHeader({
  job,
  history,
}: {
  readonly job: Job;
  readonly history: CheckpointHistory | undefined;
}): JSX.Element {
  const text = useText();
  const nowMs = useNow(true);
  const last = history?.latestCompleted;
  const newest = history?.checkpoints.find(({ status }) => status !== "IN_PROGRESS");
  return (
    <>
      <nav class="crumbs" aria-label={text.jobs}>
        <a href="#/">{text.jobs}</a>
        <span aria-hidden="true">/</span>
        <span class="mono faint">{job.jobId}</span>
      </nav>
      <div class="title-row">
        <h1>
          {job.name} <StatusPill state={job.state} />
        </h1>
        <JobActions jobId={job.jobId} state={job.state} />
      </div>
      <p class="facts">
        <span>
          {text.started} {dayAndTime(job.startedAtMs)}
        </span>
        <span>
          {text.duration} {duration(job.durationMs)}
        </span>
        {history !== undefined && (
          <span>
            {text.completedCount} {history.counts.completed} · {text.failedCount}{" "}
            {history.counts.failed}
          </span>
        )}
        {last?.endedAtMs !== undefined && (
          <span>
            {text.lastCompleted} {text.ago(duration(Math.max(0, nowMs - last.endedAtMs)))}
          </span>
        )}
      </p>
      {newest?.status === "FAILED" && (
        <p class="banner bad" role="status">
          <a href={formatRoute(jobRoute(job.jobId, "checkpoints", newest.checkpointId))}>
            {text.lastFailed(newest.checkpointId, newest.failureMessage?.split("\n")[0] ?? "")}
          </a>
        </p>
      )}
      {job.state === "RESTARTING" && (
        <p class="banner away" role="status">
          {text.restarting}
        </p>
      )}
    </>
  );
}

function Tabs({ route }: { readonly route: JobRoute }): JSX.Element {
  const text = useText();
  return (
    <nav class="tabs" aria-label={text.views}>
      {JOB_TABS.map((tab) => (
        <a
          key={tab}
          href={formatRoute(jobRoute(route.jobId, tab))}
          aria-current={tab === route.tab ? "page" : undefined}
          data-test={`tab-${tab}`}
        >
          {text[tab]}
        </a>
      ))}
    </nav>
  );
}

/** The job is gone; if one of its name runs, the way there. */
function MissingJob({ name }: { readonly name: string | undefined }): JSX.Element {
  const { client } = usePage();
  const text = useText();
  const jobs = usePolled("jobs", async (abort) =>
    jobLinesOf(await client.get("jobs/overview", abort)),
  );
  const heirs = (jobs.data ?? []).filter(
    (job) => job.state === "RUNNING" && (name === undefined || job.name === name),
  );
  return (
    <Empty title={text.jobMissing} hint={text.jobMissingHint}>
      <p>
        <a href="#/">{text.jobs}</a>
      </p>
      {heirs.map((job) => (
        <p key={job.jobId}>
          <a href={formatRoute(jobRoute(job.jobId, "graph"))}>{text.jobRunsAs(job.name)}</a>
        </p>
      ))}
    </Empty>
  );
}

/** Shows the job's name in the browser's tab while it is open. */
function useTitle(name: string | undefined): void {
  useEffect(() => {
    if (name !== undefined) document.title = `${name} · Cutwater`;
    return () => {
      document.title = "Cutwater";
    };
  }, [name]);
}
