export const JOB_TABS = [
  "graph",
  "checkpoints",
  "doctor",
  "exceptions",
  "configuration",
  "logs",
] as const;
export type JobTab = (typeof JOB_TABS)[number];

/** What the page shows, as its address says it after `#`. */
export type Route =
  | { readonly view: "jobs" }
  | {
      readonly view: "history";
      readonly checkpointId: number | undefined;
      readonly compareId: number | undefined;
    }
  | {
      readonly view: "job";
      readonly jobId: string;
      readonly tab: JobTab;
      readonly checkpointId: number | undefined;
      readonly compareId: number | undefined;
      readonly vertexId: string | undefined;
    };

export type JobRoute = Extract<Route, { view: "job" }>;

/** Reads `#/jobs/<id>/checkpoints/7?compare=5`; what is not understood leads to the list of jobs. */
export function parseRoute(hash: string): Route {
  const [path = "", search = ""] = hash.replace(/^#/, "").split("?");
  const [first, second, third, fourth] = path.split("/").filter((part) => part !== "");
  const query = new URLSearchParams(search);
  if (first === "history") {
    return { view: "history", checkpointId: idOf(second), compareId: idOf(query.get("compare")) };
  }
  if (first !== "jobs" || second === undefined) return { view: "jobs" };
  const tab = JOB_TABS.find((known) => known === third) ?? "graph";
  return {
    view: "job",
    jobId: decodeURIComponent(second),
    tab,
    checkpointId: tab === "checkpoints" ? idOf(fourth) : undefined,
    compareId: tab === "checkpoints" ? idOf(query.get("compare")) : undefined,
    vertexId: tab === "graph" ? fourth : undefined,
  };
}

export function formatRoute(route: Route): string {
  if (route.view === "jobs") return "#/";
  const compare = route.compareId === undefined ? "" : `?compare=${route.compareId}`;
  const checkpoint = route.checkpointId === undefined ? "" : `/${route.checkpointId}`;
  if (route.view === "history") return `#/history${checkpoint}${compare}`;
  const vertex = route.vertexId === undefined ? "" : `/${route.vertexId}`;
  return `#/jobs/${encodeURIComponent(route.jobId)}/${route.tab}${checkpoint}${vertex}${compare}`;
}

/** The first view of a job. */
export function jobRoute(jobId: string, tab: JobTab, checkpointId?: number): JobRoute {
  return { view: "job", jobId, tab, checkpointId, compareId: undefined, vertexId: undefined };
}

function idOf(text: string | null | undefined): number | undefined {
  return text !== null && text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
}
