import { EMBEDDED_RECORD } from "./log-header.ts";

/** A line after repair, with the number of the physical line that it stands in. */
export interface NumberedLine {
  readonly text: string;
  readonly line: number;
}

const FLAT_FRAME =
  /\s+(?=at (?:[\w.@$-]*\/{1,2})*(?:[\w$]+\.){2,}[\w$<>]+\((?:[\w$]+\.(?:java|scala|kt)|Native Method|Unknown Source|SourceFile|<generated>))/gu;
const FLAT_CAUSE = /\s*(?=Caused by: |Suppressed: (?:[a-z]\w*\.)+)/gu;
const FLAT_MORE = /\s+(?=\.\.\. \d+ (?:more|common frames omitted))/gu;
const AFTER_MORE = /(\.\.\. \d+ (?:more|common frames omitted))(?=\S)/gu;
const AFTER_FRAME_TEXT =
  /(\((?:[\w$]+\.(?:java|scala|kt)(?::\d+)?|Native Method|Unknown Source)\)(?:\s+~?\[[^\]]*\])?)[ \t]+(?!at |\.\.\.|Caused|Suppressed|~?\[|$)/gu;
const HEAD_BEFORE_FRAME =
  /([.:)] )(?=(?:[a-z_$][\w$]*\.){2,}[A-Z][\w$]*(?:Exception|Error)(?:: |$))/u;

/**
 * Takes apart what was joined: a stack trace that a chat or a web form flattened onto one line, several
 * records on one line, or text in which line breaks were written as `\n`.
 */
export function splitFlattened(text: string): readonly string[] {
  if (
    !/\sat [\w.$/@-]+\(|Caused by: |\\n|\d\d:\d\d:\d\d[.,]\d{3}\s.{20,}\d\d:\d\d:\d\d[.,]\d{3}\s/u.test(
      text,
    )
  )
    return [text];
  let repaired = text;
  if (/\\n\s*(?:\\t)?(?:at |Caused by|\t|\.\.\. )/u.test(text)) {
    repaired = repaired.replace(/\\r?\\n/gu, "\n").replace(/\\t/gu, "\t");
  }
  if ((text.match(/\\n/gu)?.length ?? 0) >= 3) {
    repaired = text
      .replace(/\\r?\\n/gu, "\n")
      .replace(/\\t/gu, "\t")
      .replace(/\\"/gu, '"');
  }
  repaired = repaired.replace(EMBEDDED_RECORD, "\n");
  const frames = repaired.match(FLAT_FRAME)?.length ?? 0;
  if (
    frames >= 2 ||
    (frames === 1 && /(?:Exception|Error|Throwable|Caused by)\b.*\sat /su.test(repaired))
  ) {
    repaired = repaired
      .replace(FLAT_CAUSE, "\n")
      .replace(FLAT_FRAME, "\n\t")
      .replace(FLAT_MORE, "\n\t")
      .replace(AFTER_MORE, "$1\n")
      .replace(AFTER_FRAME_TEXT, "$1\n");
  } else if (
    /(?:Exception|Error|Throwable|[.)])\S*\s*Caused by: \S|: .*Caused by: \S/u.test(repaired)
  ) {
    repaired = repaired.replace(FLAT_CAUSE, "\n");
  }
  const lines = repaired.split("\n").filter((line) => line.trim() !== "");
  return lines.flatMap((line) => splitHead(line));
}

/** `Could not complete snapshot 1 for operator X (4/4). java.lang.Exception: text` is a message and an exception. */
function splitHead(line: string): readonly string[] {
  if (/^\s*(?:at |\.\.\.)|\b(?:Caused by|Suppressed): /u.test(line)) return [line];
  const found = HEAD_BEFORE_FRAME.exec(line);
  if (found === null || found.index < 20) return [line];
  const at = found.index + found[0].length;
  return [line.slice(0, at).trimEnd(), line.slice(at)];
}

/** Rows of a listing are often equally long, and none goes on in the next. */
const LISTING_ROW = /^[bcdlps-][rwxsStT-]{9}[.+@]?\s/u;

/**
 * Joins lines that a terminal or a mail program cut at a fixed width.
 *
 * @remarks
 * Only if a good part of the lines has exactly the greatest length there is, which text by itself has not.
 */
export function joinWrapped(lines: readonly NumberedLine[]): readonly NumberedLine[] {
  if (lines.length < 3) return lines;
  let width = 0;
  for (const line of lines) width = Math.max(width, line.text.length);
  if (width < 60 || width > 260) return lines;
  const full = lines.filter((line) => line.text.length === width).length;
  const usual = [72, 76, 78, 79, 80, 100, 120, 132].includes(width);
  if (full < (usual ? 2 : 4) || full < lines.length * 0.2) return lines;
  if (!usual && lines.length < 8) return lines;
  const joined: { text: string; line: number }[] = [];
  let open = false;
  for (const line of lines) {
    const last = joined.at(-1);
    if (open && last !== undefined && !LISTING_ROW.test(line.text)) last.text += line.text;
    else joined.push({ text: line.text, line: line.line });
    open = line.text.length === width;
  }
  return joined;
}
