import { nearestWord } from "../../base/index.ts";
import { explainCause, isCauseCode, type Language, listCauses } from "../../doctor/index.ts";
import type { CliContext } from "../cli-context.ts";
import { EXIT_CODES } from "../exit-code.ts";
import { textTable } from "../text-table.ts";
import { hasColour, reportLanguage, reportWidth } from "./report-language.ts";

export interface ExplainFlags {
  readonly lang?: Language;
}

/** `cutwater explain`: the article on a cause, or the list of all. */
export function explain(this: CliContext, flags: ExplainFlags, code?: string): void {
  const { stdout, stderr, env } = this.process;
  const language = reportLanguage(flags.lang, env);
  const causes = listCauses(language);
  if (code === undefined) {
    const rows = causes.map(({ code: name, title }) => [name, title]);
    // The first line would be the columns' titles.
    const lines = textTable([{ title: "" }, { title: "" }], rows).slice(1);
    stdout.write(`${lines.join("\n")}\n`);
    return;
  }
  if (!isCauseCode(code)) {
    const nearest = nearestWord(
      code,
      causes.map((cause) => cause.code),
    );
    const hint =
      nearest === undefined ? " `cutwater explain` lists them all." : ` Did you mean ${nearest}?`;
    stderr.write(`Error: There is no cause "${code}".${hint}\n`);
    this.process.exitCode = EXIT_CODES.REFUSED;
    return;
  }
  const width = reportWidth(stdout);
  stdout.write(explainCause(code, { language, width, colour: hasColour(this.process) }));
}
