import { errorText, nodePlatform } from "../../base/index.ts";
import { type Language, type LintFinding, loadLint, parseRelease } from "../../doctor/index.ts";
import type { CliContext } from "../cli-context.ts";
import { EXIT_CODES } from "../exit-code.ts";
import { writeTextFile } from "../write-text-file.ts";
import { reportLanguage } from "./report-language.ts";

export interface LintFlags {
  readonly flink: string;
  readonly fix: boolean;
  readonly print: boolean;
  readonly strict: boolean;
  readonly json: boolean;
  readonly lang?: Language;
}

/** `cutwater lint`: the findings of a configuration file, and the file mended on request. */
export async function runLint(this: CliContext, flags: LintFlags, path: string): Promise<void> {
  const { stdout, stderr, env } = this.process;
  const release = parseRelease(flags.flink);
  const text = await readText(path);
  if (release === undefined || text.problem !== undefined) {
    const problem =
      release === undefined
        ? `"${flags.flink}" is no release of Flink, such as 1.20`
        : text.problem;
    stderr.write(`Error: ${problem}\n`);
    this.process.exitCode = EXIT_CODES.REFUSED;
    return;
  }
  const { applyFixes, lintConfig, readConfigDocument, renderLint, renderLintJson } =
    await loadLint();
  const document = readConfigDocument(path, text.content);
  const findings = lintConfig(document, release);
  const language = reportLanguage(flags.lang, env);
  const report = flags.json ? renderLintJson(path, findings) : renderLint(path, findings, language);
  (flags.print ? stderr : stdout).write(report);
  if (flags.print || flags.fix) {
    const mended = applyFixes(document, findings);
    if (flags.print) stdout.write(mended);
    else if (mended !== text.content && !(await writeTextFile(path, mended, this.process))) return;
  }
  this.process.exitCode = exitCodeOf(findings, flags);
}

function exitCodeOf(findings: readonly LintFinding[], flags: LintFlags): number {
  if (findings.some(({ code }) => code === "unreadable")) return EXIT_CODES.REFUSED;
  const left = flags.fix ? findings.filter(({ fix }) => fix === undefined) : findings;
  const isBad = left.some(
    ({ severity }) => severity === "error" || (flags.strict && severity === "warning"),
  );
  return isBad ? EXIT_CODES.FAILED : EXIT_CODES.FINISHED;
}

async function readText(
  path: string,
): Promise<{ readonly content: string; readonly problem: string | undefined }> {
  try {
    const bytes = await nodePlatform().files.read(path);
    const content = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return { content, problem: undefined };
  } catch (error) {
    return { content: "", problem: `${path} cannot be read: ${errorText(error)}` };
  }
}
