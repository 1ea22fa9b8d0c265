/** Columns that a character takes: East Asian wide characters take two. */
function columnsOf(character: string): number {
  const code = character.codePointAt(0) ?? 0;
  const wide =
    (code >= 0x1100 && code <= 0x115f) ||
    (code >= 0x2e80 && code <= 0xa4cf) ||
    (code >= 0xac00 && code <= 0xd7a3) ||
    (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0xfe30 && code <= 0xfe6f) ||
    (code >= 0xff00 && code <= 0xff60) ||
    (code >= 0xffe0 && code <= 0xffe6) ||
    (code >= 0x1f300 && code <= 0x1faff) ||
    (code >= 0x20000 && code <= 0x3fffd);
  return wide ? 2 : 1;
}

export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += columnsOf(character);
  return width;
}

/** Breaks a text at blanks, and between wide characters; a longer word is broken where the line ends. */
export function wrapText(text: string, width: number, indent: number): readonly string[] {
  const room = Math.max(10, width - indent);
  const margin = " ".repeat(indent);
  const lines: string[] = [];
  let line = "";
  let used = 0;
  const flush = (): void => {
    lines.push(margin + line.trimEnd());
    line = "";
    used = 0;
  };
  for (const word of text.match(/\s+|[\u2E80-\uFFEF]|[^\s\u2E80-\uFFEF]+/gu) ?? []) {
    const size = widthOf(word);
    if (used + size > room && used > 0) flush();
    if (/^\s+$/u.test(word) && used === 0) continue;
    if (size <= room) {
      line += word;
      used += size;
      continue;
    }
    for (const character of word) {
      const columns = columnsOf(character);
      if (used + columns > room) flush();
      line += character;
      used += columns;
    }
  }
  if (line.trim() !== "" || lines.length === 0) flush();
  return lines;
}
