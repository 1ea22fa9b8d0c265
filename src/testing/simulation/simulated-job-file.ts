import type { JobDefinition } from "../../api/index.ts";
import { Configuration, type FileSystem, type Platform, silentLogger } from "../../base/index.ts";
import type { JobGraph } from "../../graph/index.ts";
import { withPrintedLinesInFiles } from "./printed-lines.ts";
import { CHECKPOINT_DIRECTORY, type SimulatedJob } from "./simulation.ts";
import { SAVEPOINT_DIRECTORY } from "./user-requests.ts";

/** A file of this machine that the job reads. */
interface InputFile {
  readonly path: string;
  readonly content: Uint8Array;
}

/**
 * A job file as the simulator runs it: the files that its sources find are copied to the simulated disk, and what its sinks publish there is its
 * output. What it prints goes to files, too.
 *
 * @param mostLines - Of each input file so many lines are read at most.
 */
export async function simulatedJobFile(
  job: JobDefinition,
  jobArguments: readonly string[],
  platform: Platform,
  mostLines: number = Number.POSITIVE_INFINITY,
): Promise<SimulatedJob> {
  const found = await inputFiles(job.build(new Configuration(), jobArguments), platform);
  const inputs = found.map(({ path, content }) => ({
    path,
    content: firstLines(content, mostLines),
  }));
  const inputPaths = new Set(inputs.map(({ path }) => absolute(path)));
  return {
    build: (configuration) => withPrintedLinesInFiles(job.build(configuration, jobArguments)),
    prepare(disk) {
      for (const { path, content } of inputs) disk.put(path, content);
    },
    output: (disk) =>
      disk
        .filesBelow("/")
        .filter((path) => !inputPaths.has(path) && !isSnapshot(path))
        .flatMap((path) => linesOf(path, disk.read(path))),
  };
}

function isSnapshot(path: string): boolean {
  return [CHECKPOINT_DIRECTORY, SAVEPOINT_DIRECTORY].some((folder) =>
    path.startsWith(`${folder}/`),
  );
}

/** Records of a finished file with the folder they are in: parts are named and cut differently in each run. A hidden file was left behind. */
function linesOf(path: string, content: Uint8Array): readonly string[] {
  const slash = path.lastIndexOf("/");
  const folder = path.slice(0, slash);
  if (path.startsWith(".", slash + 1)) return [`${folder}: a file was left behind`];
  const lines = new TextDecoder().decode(content).split("\n");
  return lines.filter((line) => line !== "").map((line) => `${folder}: ${line}`);
}

function firstLines(content: Uint8Array, count: number): Uint8Array {
  let end = 0;
  for (let line = 0; line < count; line++) {
    const newline = content.indexOf(NEWLINE, end);
    if (newline < 0) return content;
    end = newline + 1;
  }
  return content.subarray(0, end);
}

const NEWLINE = 10;

/** What the sources' enumerators find when they look for their files on this machine. */
async function inputFiles(graph: JobGraph, platform: Platform): Promise<readonly InputFile[]> {
  const found = new Set<string>();
  const sources = graph.vertices.flatMap(({ operators }) =>
    operators.flatMap(({ logic }) => (logic.kind === "source" ? [logic.source] : [])),
  );
  for (const source of sources) {
    let failure: unknown;
    const files = recordingFiles(platform.files, found);
    const enumerator = source.createEnumerator(
      {
        platform: { ...platform, files },
        files,
        log: silentLogger,
        parallelism: 1,
        registeredReaders: () => [],
        assignSplit: () => undefined,
        signalNoMoreSplits: () => undefined,
        fail: (error) => void (failure ??= error),
      },
      undefined,
    );
    await enumerator.start();
    await enumerator.close();
    if (failure !== undefined) throw failure;
  }
  const paths = [...found].toSorted();
  return await Promise.all(
    paths.map(async (path) => ({ path, content: await platform.files.read(path) })),
  );
}

/** Remembers the files that are looked at or listed. */
function recordingFiles(files: FileSystem, found: Set<string>): FileSystem {
  return {
    ...files,
    async status(path) {
      const status = await files.status(path);
      if (status?.kind === "file") found.add(path);
      return status;
    },
  };
}

function absolute(path: string): string {
  return `/${path
    .split("/")
    .filter((part) => part !== "" && part !== ".")
    .join("/")}`;
}
