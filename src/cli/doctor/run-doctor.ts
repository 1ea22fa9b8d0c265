import { nodePlatform } from "../../base/index.ts";
import {
  diagnose,
  type DoctorInput,
  exitCodeOf,
  type Language,
  nothingRead,
  renderHtml,
  renderJson,
  renderText,
} from "../../doctor/index.ts";
import type { CliContext } from "../cli-context.ts";
import { EXIT_CODES } from "../exit-code.ts";
import { writeTextFile } from "../write-text-file.ts";
import { hasColour, reportLanguage, reportWidth } from "./report-language.ts";

export interface DoctorFlags {
  readonly json: boolean;
  readonly html?: string;
  readonly lang?: Language;
}

/** `cutwater doctor`: the report goes to the standard output, what could not be read to the standard error. */
export async function runDoctor(
  this: CliContext,
  flags: DoctorFlags,
  ...paths: readonly string[]
): Promise<void> {
  const { stdout, stderr, env } = this.process;
  const diagnosis = await diagnose(paths.map(toInput), nodePlatform());
  for (const { path, problem } of diagnosis.facts.evidence.sources) {
    if (problem !== undefined) stderr.write(`${path}: ${problem}\n`);
  }
  if (nothingRead(diagnosis)) {
    this.process.exitCode = EXIT_CODES.REFUSED;
    return;
  }
  const language = reportLanguage(flags.lang, env);
  const width = reportWidth(stdout);
  if (flags.html !== undefined) {
    const page = await renderHtml(diagnosis, language);
    if (!(await writeTextFile(flags.html, page, this.process))) return;
  }
  stdout.write(
    flags.json
      ? renderJson(diagnosis)
      : renderText(diagnosis, { language, width, colour: hasColour(this.process) }),
  );
  this.process.exitCode = exitCodeOf(diagnosis.verdict);
}

function toInput(path: string): DoctorInput {
  return path === "-"
    ? { kind: "stream", name: "standard input", chunks: process.stdin }
    : { kind: "path", path };
}
