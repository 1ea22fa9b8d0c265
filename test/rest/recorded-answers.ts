import { readFileSync } from "node:fs";

import { shapeDifferences, shapeOf } from "./shape.ts";

/** What a server answered to one request. */
export interface Answer {
  readonly status: number;
  readonly contentType: string | null;
  readonly body: unknown;
}

/** The Flinks whose answers are recorded by `scripts/record-flink-rest.mjs`; the first is the one that we answer like. */
export const RECORDED_VERSIONS = ["2.3.0", "1.20.5"] as const;

export type RecordedVersion = (typeof RECORDED_VERSIONS)[number];

export function recordedOf(version: RecordedVersion, name: string): Answer {
  const file = new URL(`../golden/rest/flink-${version}/${name}.json`, import.meta.url);
  return JSON.parse(readFileSync(file, "utf8")) as Answer;
}

/** Ids that stand in texts of errors. */
export interface AnswerIds {
  readonly jobId: string;
  readonly completed: number;
}

export function idsOf(version: RecordedVersion): AnswerIds {
  const { jobs } = recordedOf(version, "jobs").body as {
    readonly jobs: readonly { readonly id: string }[];
  };
  const { id } = recordedOf(version, "checkpoint-completed").body as { readonly id: number };
  return { jobId: jobs[0]?.id ?? "", completed: id };
}

/** In what an answer is not that of a Flink, one line each. */
export function answerDifferences(
  ours: Answer | undefined,
  ids: AnswerIds,
  version: RecordedVersion,
  name: string,
): readonly string[] {
  const flinks = recordedOf(version, name);
  if (ours?.status !== flinks.status)
    return [`status is ${ours?.status}, in Flink ${flinks.status}`];
  const theirs = idsOf(version);
  const about = [
    ["content type", mediaType(ours.contentType), mediaType(flinks.contentType)],
    ...(flinks.status >= 400
      ? [["text", unnamed(errorText(ours.body), ids), unnamed(errorText(flinks.body), theirs)]]
      : []),
  ];
  const others = about
    .filter(([, own, flink]) => own !== flink)
    .map(([what, own, flink]) => `${what} is ${own}, in Flink ${flink}`);
  if (flinks.status >= 400 || typeof flinks.body === "string") return others;
  return [...others, ...shapeDifferences(shapeOf(ours.body), shapeOf(flinks.body))];
}

function mediaType(contentType: string | null | undefined): string | undefined {
  return contentType?.split(";")[0]?.toLowerCase();
}

/** The first line, without the class of the exception. */
function errorText(body: unknown): string {
  const { errors } = body as { readonly errors: readonly string[] };
  const text =
    errors
      .join("\n")
      .split("\n")
      .slice(0, errors.length > 1 ? 1 : undefined)[0] ?? "";
  return text.replace(/^org\.apache\.flink\.[\w.$]+: /, "");
}

/** A text without the ids of its run. */
function unnamed(text: string, { jobId, completed }: AnswerIds): string {
  return text
    .replaceAll(jobId, ":jobid")
    .replace(/flink-web-[0-9a-f]{8}-[0-9a-f-]+/, "flink-web")
    .replace(`for checkpoint ${completed}.`, "for checkpoint :completed.");
}
