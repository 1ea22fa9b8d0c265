import { nodePlatform } from "../../base/index.ts";
import {
  diagnose,
  type Diagnosis,
  type DoctorInput,
  exitCodeOf,
  type Language,
  loadComparison,
  shownPath,
  newsIn,
  nothingRead,
  renderHtml,
  renderJson,
  renderNews,
  renderText,
  type Report,
  reportOf,
} from "../../doctor/index.ts";
import type { CliContext } from "../cli-context.ts";
import { EXIT_CODES } from "../exit-code.ts";
import { onStopSignals } from "../run/stop-signals.ts";
import { writeTextFile } from "../write-text-file.ts";
import { followInputs } from "./follow-inputs.ts";
import { hasColour, reportLanguage, reportWidth } from "./report-language.ts";

export interface DoctorFlags {
  readonly json: boolean;
  readonly html?: string;
  readonly compare: boolean;
  readonly follow: boolean;
  readonly lang?: Language;
}

/** `cutwater doctor`: the report goes to the standard output, what could not be read to the standard error. */
export async function runDoctor(
  this: CliContext,
  flags: DoctorFlags,
  ...paths: readonly string[]
): Promise<void> {
  const misuse = misuseOf(flags, paths);
  if (misuse !== undefined) {
    this.process.stderr.write(`Error: ${misuse}\n`);
    this.process.exitCode = EXIT_CODES.REFUSED;
  } else if (flags.compare) await compare(this.process, flags, paths);
  else if (flags.follow) await follow(this.process, flags, paths);
  else await report(this.process, flags, paths);
}

function misuseOf(flags: DoctorFlags, paths: readonly string[]): string | undefined {
  if (flags.compare && flags.follow) return "--compare and --follow do not go together.";
  if (flags.compare && paths.length !== 2)
    return "--compare takes two inputs, such as two directories.";
  if ((flags.compare || flags.follow) && flags.html !== undefined)
    return "--html is for one report of one moment.";
  if (flags.follow && paths.includes("-"))
    return "The standard input cannot be followed: write it to a file, and follow that.";
  return undefined;
}

async function report(
  process: CliContext["process"],
  flags: DoctorFlags,
  paths: readonly string[],
): Promise<void> {
  const { stdout, env } = process;
  const diagnosis = await diagnose(paths.map(toInput), nodePlatform());
  if (!wasRead(process, diagnosis)) return;
  const language = reportLanguage(flags.lang, env);
  if (flags.html !== undefined) {
    const page = await renderHtml(diagnosis, language);
    if (!(await writeTextFile(flags.html, page, process))) return;
  }
  const options = { language, width: reportWidth(stdout), colour: hasColour(process) };
  stdout.write(flags.json ? renderJson(diagnosis) : renderText(diagnosis, options));
  process.exitCode = exitCodeOf(diagnosis.verdict);
}

async function compare(
  process: CliContext["process"],
  flags: DoctorFlags,
  paths: readonly string[],
): Promise<void> {
  const { stdout, env } = process;
  const [leftPath = "", rightPath = ""] = paths;
  const left = await diagnose([toInput(leftPath)], nodePlatform());
  const right = await diagnose([toInput(rightPath)], nodePlatform());
  if (!wasRead(process, left) || !wasRead(process, right)) return;
  const { compareDiagnoses, renderComparison, renderComparisonJson } = await loadComparison();
  const comparison = compareDiagnoses(left, right);
  const names = [shownPath(leftPath), shownPath(rightPath)] as const;
  const language = reportLanguage(flags.lang, env);
  stdout.write(
    flags.json
      ? renderComparisonJson(comparison, names)
      : renderComparison(comparison, { language, width: reportWidth(stdout), names }),
  );
  process.exitCode = comparison.differences.length === 0 ? EXIT_CODES.FINISHED : EXIT_CODES.FAILED;
}

/** Reports at once, and again whenever there is something new, until Ctrl-C. */
async function follow(
  process: CliContext["process"],
  flags: DoctorFlags,
  paths: readonly string[],
): Promise<void> {
  const { stdout, env } = process;
  const language = reportLanguage(flags.lang, env);
  const options = { language, width: reportWidth(stdout), colour: hasColour(process) };
  const stopping = new AbortController();
  const signals = onStopSignals(() => stopping.abort());
  const complaints = new Set<string>();
  let before: Report | undefined;
  try {
    await followInputs({
      paths,
      platform: nodePlatform(),
      stop: stopping.signal,
      onDiagnosis(diagnosis) {
        complain(process, diagnosis, complaints);
        if (nothingRead(diagnosis)) return;
        const after = reportOf(diagnosis);
        const news = newsIn(before, after);
        before = after;
        if (flags.json) stdout.write(news.length === 0 ? "" : `${JSON.stringify(after)}\n`);
        else stdout.write(renderNews(news, after, options));
        process.exitCode = exitCodeOf(diagnosis.verdict);
      },
    });
  } finally {
    signals.release();
  }
}

function wasRead(process: CliContext["process"], diagnosis: Diagnosis): boolean {
  complain(process, diagnosis, new Set());
  if (!nothingRead(diagnosis)) return true;
  process.exitCode = EXIT_CODES.REFUSED;
  return false;
}

/** Says what could not be read, each thing once. */
function complain(
  process: CliContext["process"],
  diagnosis: Diagnosis,
  complaints: Set<string>,
): void {
  for (const { path, problem } of diagnosis.facts.evidence.sources) {
    const complaint = `${shownPath(`${path}: ${problem}`)}\n`;
    if (problem === undefined || complaints.has(complaint)) continue;
    complaints.add(complaint);
    process.stderr.write(complaint);
  }
}

function toInput(path: string): DoctorInput {
  return path === "-"
    ? { kind: "stream", name: "standard input", chunks: process.stdin }
    : { kind: "path", path };
}
