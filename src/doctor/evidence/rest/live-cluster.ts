import { errorText, type Platform } from "../../../base/index.ts";

/** One answer of a cluster, or why there is none. */
export interface ClusterAnswer {
  readonly name: string;
  readonly body: Uint8Array;
  readonly problem: string | undefined;
}

const TIMEOUT_MS = 10_000;
const MAX_BODY_BYTES = 32 * 1024 * 1024;
const MAX_JOBS = 5;
const MAX_CHECKPOINTS = 3;
const MAX_TASK_MANAGERS = 4;
const JOB_PATHS = ["", "/checkpoints", "/checkpoints/config", "/exceptions?maxExceptions=20"];

/**
 * Asks a cluster what a diagnosis needs, in the order in which it tells most.
 *
 * @remarks
 * Each request has a time-out, and none that fails keeps the others from being asked: an older version lacks some paths,
 * and an address may belong to something else.
 *
 * Source: REST reference part 5.
 */
export async function* askCluster(
  address: string,
  platform: Platform,
): AsyncIterable<ClusterAnswer> {
  const { base, headers } = withoutCredentials(address);
  const ask = (path: string): Promise<ClusterAnswer> =>
    request(`${base}${path}`, headers, platform);
  const first = await ask("/overview");
  yield first;
  if (first.problem !== undefined) return;
  yield await ask("/jobmanager/config");
  const jobs = await ask("/jobs/overview");
  yield jobs;
  const ids = idsIn(jobs, "jid").slice(0, MAX_JOBS);
  for (const id of ids) yield* askJob(`/jobs/${id}`, ask);
  const managers = await ask("/taskmanagers");
  yield managers;
  for (const id of idsIn(managers, "id").slice(0, MAX_TASK_MANAGERS)) {
    yield await ask(`/taskmanagers/${encodeURIComponent(id)}/thread-dump`);
  }
}

async function* askJob(
  job: string,
  ask: (path: string) => Promise<ClusterAnswer>,
): AsyncIterable<ClusterAnswer> {
  let vertices: readonly string[] = [];
  let checkpoints: readonly string[] = [];
  for (const path of JOB_PATHS) {
    const answer = await ask(`${job}${path}`);
    yield answer;
    if (path === "") vertices = vertexIdsIn(answer);
    if (path === "/checkpoints") checkpoints = checkpointIdsIn(answer);
  }
  for (const id of checkpoints) {
    yield await ask(`${job}/checkpoints/details/${id}`);
    for (const vertex of vertices)
      yield await ask(`${job}/checkpoints/details/${id}/subtasks/${vertex}`);
  }
  for (const vertex of vertices) yield await ask(`${job}/vertices/${vertex}/backpressure`);
}

/** Names and passwords in an address go into a header: no answer, message or report repeats them. */
function withoutCredentials(address: string): {
  readonly base: string;
  readonly headers: Readonly<Record<string, string>>;
} {
  const url = new URL(address);
  const { username, password } = url;
  url.username = "";
  url.password = "";
  const base = url.href.replace(/\/+$/u, "");
  if (username === "" && password === "") return { base, headers: {} };
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return {
    base,
    headers: { authorization: `Basic ${Buffer.from(pair, "utf8").toString("base64")}` },
  };
}

async function request(
  url: string,
  headers: Readonly<Record<string, string>>,
  platform: Platform,
): Promise<ClusterAnswer> {
  const controller = new AbortController();
  const cancel = platform.after(TIMEOUT_MS, () => controller.abort());
  try {
    const response = await fetch(url, {
      signal: controller.signal,
      headers: { accept: "application/json", ...headers },
    });
    const body = await readBody(response);
    if (body === undefined) return failed(url, `answers with more than ${MAX_BODY_BYTES} bytes`);
    const isJson = /^\s*[[{]/u.test(new TextDecoder().decode(body.subarray(0, 64)));
    if (!isJson)
      return failed(
        url,
        `answers ${response.status} and no JSON: is it the REST address of a cluster?`,
      );
    return { name: url, body, problem: undefined };
  } catch (error) {
    const problem = controller.signal.aborted
      ? `did not answer within ${TIMEOUT_MS} ms`
      : errorText(error);
    return failed(url, problem);
  } finally {
    cancel();
  }
}

/** The body, or undefined as soon as it is too long. */
async function readBody(response: Response): Promise<Uint8Array | undefined> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of response.body ?? []) {
    parts.push(part);
    length += part.length;
    if (length > MAX_BODY_BYTES) return undefined;
  }
  return Buffer.concat(parts);
}

function failed(name: string, problem: string): ClusterAnswer {
  return { name, body: new Uint8Array(0), problem };
}

/** Values of one member wherever it stands: answers are small, and their shape differs between versions. */
function idsIn(answer: ClusterAnswer, member: string): readonly string[] {
  const text = new TextDecoder().decode(answer.body);
  return [
    ...new Set(
      [...text.matchAll(new RegExp(`"${member}":"([^"]+)"`, "gu"))].map((match) => match[1] ?? ""),
    ),
  ];
}

function vertexIdsIn(answer: ClusterAnswer): readonly string[] {
  return idsIn(answer, "id")
    .filter((id) => /^[0-9a-f]{32}$/u.test(id))
    .slice(0, 50);
}

/** The newest checkpoints that did not complete, else the newest one. */
function checkpointIdsIn(answer: ClusterAnswer): readonly string[] {
  const text = new TextDecoder().decode(answer.body);
  const all = [...text.matchAll(/"id":(\d+),"status":"(\w+)"/gu)].map((match) => ({
    id: match[1] ?? "",
    status: match[2],
  }));
  const bad = [...new Set(all.filter(({ status }) => status !== "COMPLETED").map(({ id }) => id))];
  const chosen = bad.length > 0 ? bad : [...new Set(all.map(({ id }) => id))];
  return chosen.toSorted((a, b) => Number(b) - Number(a)).slice(0, MAX_CHECKPOINTS);
}
