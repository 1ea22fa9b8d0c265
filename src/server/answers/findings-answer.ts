import { OPTION_GROUPS } from "../../api/index.ts";
import {
  articleOn,
  diagnose,
  type DoctorInput,
  type Language,
  renderText,
  type Report,
  reportOf,
  subjectNamesIn,
} from "../../doctor/index.ts";
import { LOG_FILE_NAME } from "../log/log-file-name.ts";
import type { ServedJob } from "../served-job.ts";
import type { ServerContext } from "../server-context.ts";
import {
  checkpointDetails,
  checkpointsAnswer,
  checkpointsConfig,
  checkpointSubtasks,
} from "./checkpoint-answers.ts";
import { exceptionHistory, jobDetails } from "./job-answers.ts";
import { backPressure } from "./vertex-answers.ts";

/** How many of the newest checkpoints the doctor is shown subtask by subtask. */
const DETAILED_COUNT = 10;

/** Every option that a job reads. */
const OWN_KEYS: ReadonlySet<string> = new Set(
  OPTION_GROUPS.flatMap(({ table }) => Object.values(table)).map(({ key }) => key),
);

/** How wide text is laid out. */
const TEXT_COLUMNS = 100;

interface Known {
  readonly signature: string;
  readonly answer: Promise<object>;
}

/** The last answer for each job and language; the doctor is asked anew only when something has changed. */
const known = new WeakMap<ServedJob, Map<Language, Known>>();

/** `/cutwater/findings/:jobid`: what the doctor says of the job as it is now. */
export function findingsAnswer(
  job: ServedJob,
  context: ServerContext,
  language: Language,
): Promise<object> {
  const answers = known.get(job) ?? new Map<Language, Known>();
  known.set(job, answers);
  const signature = JSON.stringify([
    job.record.lastChangedAtMs,
    job.statistics.counts,
    context.log.changedAtMs,
  ]);
  const before = answers.get(language);
  if (before?.signature === signature) return before.answer;
  const answer = findings(job, context, language);
  answers.set(language, { signature, answer });
  return answer;
}

async function findings(
  job: ServedJob,
  context: ServerContext,
  language: Language,
): Promise<object> {
  const diagnosis = await diagnose(inputsOf(job, context), context.platform);
  const report = reportOf(diagnosis);
  const logLines = context.log.text.split("\n");
  return {
    ...report,
    subjectNames: subjectNamesIn(language),
    text: renderText(diagnosis, { language, width: TEXT_COLUMNS, colour: false }),
    findings: report.findings.map((finding) => ({
      ...finding,
      article: articleOn(finding.cause, language),
      // What is Flink's alone says nothing to a job of this process.
      remedies: finding.remedies.filter(({ key }) => OWN_KEYS.has(key)),
      evidence: linked(
        finding.evidence.map((entry) => evidenceLine(entry, logLines)),
        newestFailure(report),
      ),
    })),
    ruledOut: report.ruledOut.map(({ cause, because }) => ({
      cause,
      because,
      text: articleOn(cause, language).title,
    })),
    notAssessed: report.notAssessed.map(({ cause, needs }) => ({
      cause,
      needs,
      text: `${articleOn(cause, language).title} (${needs.join(", ")})`,
    })),
  };
}

type ReportedLine = Report["findings"][number]["evidence"][number];

/** With what it speaks of, for the link to it. */
interface LinkedLine extends ReportedLine {
  readonly checkpointId?: number;
  readonly vertexId?: string;
}

function newestFailure({ timeline }: Report): number | undefined {
  return timeline.findLast(({ outcome }) => outcome !== "completed" && outcome !== "open")
    ?.checkpointId;
}

/** If no line names a checkpoint, the newest that failed is the case in point. */
function linked(
  lines: readonly LinkedLine[],
  checkpointId: number | undefined,
): readonly LinkedLine[] {
  if (checkpointId === undefined || lines.some((line) => line.checkpointId !== undefined))
    return lines;
  return lines.map((line, index) => (index === 0 ? { ...line, checkpointId } : line));
}

function evidenceLine(entry: ReportedLine, logLines: readonly string[]): LinkedLine {
  const { file, text, line } = entry;
  const logged = file === LOG_FILE_NAME ? (logLines[line - 1] ?? "") : "";
  const checkpointId =
    /^checkpoint-(\d+)/.exec(file)?.[1] ?? /\bcheckpoint (\d+)\b/i.exec(`${text}\n${logged}`)?.[1];
  const vertexId = /^backpressure-([0-9a-f]{32})/.exec(file)?.[1];
  return {
    ...entry,
    ...(checkpointId === undefined ? {} : { checkpointId: Number(checkpointId) }),
    ...(vertexId === undefined ? {} : { vertexId }),
  };
}

/** The job as files, as an operator would have gathered them. */
function inputsOf(job: ServedJob, { log, platform }: ServerContext): readonly DoctorInput[] {
  const nowMs = platform.nowMs();
  const { statistics, client } = job;
  const { checkpointing } = client.job.options;
  const settings = client.configuration.entries().map(({ key, value }) => `${key}: ${value}\n`);
  const inputs: DoctorInput[] = [
    input(LOG_FILE_NAME, log.text),
    input("config.yaml", settings.join("")),
    input("job.json", JSON.stringify(jobDetails(job, nowMs))),
    input("exceptions.json", JSON.stringify(exceptionHistory(job, 20))),
  ];
  if (checkpointing.intervalMs !== undefined) {
    inputs.push(
      input("checkpoints.json", JSON.stringify(checkpointsAnswer(statistics))),
      input("checkpoints-config.json", JSON.stringify(checkpointsConfig(checkpointing))),
    );
  }
  for (const record of statistics.history().slice(0, DETAILED_COUNT)) {
    const name = `checkpoint-${record.checkpointId}`;
    inputs.push(input(`${name}.json`, JSON.stringify(checkpointDetails(record, statistics))));
    for (const vertex of record.vertices) {
      const answer = checkpointSubtasks(record, vertex);
      inputs.push(input(`${name}-vertex-${vertex.vertexId}.json`, JSON.stringify(answer)));
    }
  }
  for (const vertex of job.graph.vertices) {
    const answer = backPressure(job, vertex, nowMs);
    inputs.push(input(`backpressure-${vertex.id}.json`, JSON.stringify(answer)));
  }
  return inputs;
}

function input(name: string, content: string): DoctorInput {
  return { kind: "bytes", name, bytes: new TextEncoder().encode(content) };
}
