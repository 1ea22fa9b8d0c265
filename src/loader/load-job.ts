import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

import { errorText, type FileSystem, StreamError } from "../base/index.ts";
import { registerJobLoader } from "./register-job-loader.ts";

/** What the default export of a job file must be; `api` has the whole of it. */
export interface LoadedJob {
  readonly name: string;
  build(...input: never[]): unknown;
}

/** What a job file says about its own result: throws if the job's output is not what it must be, else returns a text about it. */
export type ResultCheck = (
  jobArguments: readonly string[],
) => string | undefined | Promise<string | undefined>;

/** What a job file exports. */
export interface JobFile<J extends LoadedJob> {
  readonly job: J;
  /** Its export `check`, if it has one. */
  readonly check: ResultCheck | undefined;
}

/**
 * Imports a job file, TypeScript or JavaScript: the job is its default export.
 *
 * @param path - Relative to the working directory.
 * @throws StreamError JOB_FILE_NOT_FOUND; JOB_FILE_NOT_LOADED with what the file's own code or syntax did as its cause;
 * JOB_FILE_WITHOUT_JOB if it exports no job.
 */
export async function loadJob<J extends LoadedJob>(
  path: string,
  files: FileSystem,
): Promise<JobFile<J>> {
  const file = resolve(path);
  const status = await files.status(file).catch((error: unknown) => {
    throw new StreamError("JOB_FILE_NOT_FOUND", { path, problem: errorText(error) }, error);
  });
  if (status === undefined) {
    throw new StreamError("JOB_FILE_NOT_FOUND", { path, problem: "there is no such file" });
  }
  if (status.kind !== "file") {
    throw new StreamError("JOB_FILE_NOT_FOUND", { path, problem: "it is no file" });
  }
  // Before the loader is there: below Node 22.15 every module that is imported later takes a way through another thread.
  await import(OWN_DOOR);
  registerJobLoader();
  let namespace: Readonly<Record<string, unknown>>;
  try {
    namespace = (await import(pathToFileURL(file).href)) as Readonly<Record<string, unknown>>;
  } catch (error) {
    throw new StreamError("JOB_FILE_NOT_LOADED", { path }, error);
  }
  const job = namespace["default"];
  const check = namespace["check"];
  if (isJob(job)) {
    return {
      job: job as J,
      check: typeof check === "function" ? (check as ResultCheck) : undefined,
    };
  }
  const named = Object.keys(namespace).find((name) => isJob(namespace[name]));
  throw new StreamError("JOB_FILE_WITHOUT_JOB", {
    path,
    problem:
      named !== undefined
        ? `the job is exported as \`${named}\`, not as the default`
        : job === undefined
          ? "it has no default export"
          : "its default export is not what defineJob returns",
  });
}

/** What the job file will import: the package finds itself by its name. */
const OWN_DOOR: string = "cutwater";

/** By what it has, since the job file may have brought another copy of the package. */
function isJob(value: unknown): value is LoadedJob {
  return (
    typeof value === "object" &&
    value !== null &&
    "name" in value &&
    typeof value.name === "string" &&
    "build" in value &&
    typeof value.build === "function"
  );
}
